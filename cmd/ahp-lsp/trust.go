package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/trust"
)

type trustCommand struct {
	Yes    bool `help:"Allow them without asking."`
	List   bool `help:"List the repositories whose programs are allowed." xor:"what"`
	Remove bool `help:"Take back what this repository is allowed." xor:"what"`
}

// Run allows the programs that the configuration of this repository names.
func (c *trustCommand) Run(ctx context.Context) error {
	store := trust.Default()
	if c.List {
		return listTrusted(store)
	}
	repo, err := openRepo(ctx)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	defer repo.Close()
	if c.Remove {
		had, err := store.Forget(repo.CommonDir())
		if err != nil {
			return fmt.Errorf("trust: %w", err)
		}
		if !had {
			fmt.Println("Nothing was allowed for this repository.")
			return nil
		}
		githost.TrustChanged(repo)
		fmt.Println("The programs of this repository do not run any more.")
		return nil
	}
	return c.allow(ctx, repo, store)
}

func listTrusted(store *trust.Store) error {
	entries, err := store.List()
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	for _, e := range entries {
		fmt.Printf("%s  %s\n", e.Repository, e.Allowed.Local().Format("2006-01-02 15:04:05"))
		for _, p := range e.Programs {
			fmt.Printf("\t%s\n", p)
		}
	}
	return nil
}

func (c *trustCommand) allow(ctx context.Context, repo *gitrepo.Repo, store *trust.Store) error {
	p, err := repo.Programs(ctx)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	if len(p.List) == 0 {
		fmt.Println("The configuration of this repository names no programs.")
		return nil
	}
	fmt.Println("The configuration of this repository names these programs:")
	for i, line := range p.Lines() {
		when := "runs whenever files are looked at"
		if p.List[i].ForCommit() {
			when = "runs in a commit"
		}
		fmt.Printf("\t%s: %s\n", line, when)
	}
	if !p.Held {
		fmt.Println("They are allowed already.")
		return nil
	}
	if !c.Yes {
		if err := ask("Let ahp-lsp run them in this repository?"); err != nil {
			return fmt.Errorf("trust: %w", err)
		}
	}
	if err := store.Allow(trust.EntryOf(repo.CommonDir(), p.Hash, p.Lines())); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	githost.TrustChanged(repo)
	fmt.Println("Allowed. \"ahp-lsp trust --remove\" takes it back.")
	return nil
}

// ask is nil if the user says yes on the terminal.
func ask(question string) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return errors.New("nothing was allowed: there is no terminal to ask on; --yes allows them without asking")
	}
	fmt.Print(question + " [y/N] ")
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was allowed")
}
