package main

import (
	"context"
	"fmt"
	"os"

	"ahp-lsp/internal/agenthook"
	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/printable"
)

type turnCommand struct {
	Start turnStartCommand `cmd:"" help:"Record that an agent begins to work."`
	End   turnEndCommand   `cmd:"" help:"Record that the agent is done."`
	List  turnListCommand  `cmd:"" help:"List the recorded turns, oldest first."`
	Hook  turnHookCommand  `cmd:"" help:"Print what makes a command-line agent record its turns by itself."`
}

type turnStartCommand struct {
	Title string `help:"What the agent was asked to do." placeholder:"T"`
	Agent string `help:"The agent's name." placeholder:"NAME"`
	Hook  string `help:"Called by this agent's hook: reads its input, never fails." enum:",claude,gemini,cursor" default:"" placeholder:"AGENT"`
}

// Run records the work tree as it is before the turn.
func (c *turnStartCommand) Run(ctx context.Context) error {
	if c.Hook != "" {
		agenthook.Begin(ctx, c.Hook, os.Stdin, os.Stdout, os.Stderr)
		return nil
	}
	repo, err := openRepo(ctx)
	if err != nil {
		return fmt.Errorf("turn start: %w", err)
	}
	defer repo.Close()
	t, err := githost.StartTurn(ctx, repo, c.Title, c.Agent)
	if err != nil {
		return err
	}
	fmt.Println(t.ID)
	return nil
}

type turnEndCommand struct {
	Hook string `help:"Called by this agent's hook: reads its input, never fails." enum:",claude,gemini,cursor" default:"" placeholder:"AGENT"`
}

// Run records the work tree as it is after the turn.
func (c *turnEndCommand) Run(ctx context.Context) error {
	if c.Hook != "" {
		agenthook.End(ctx, os.Stdin, os.Stderr)
		return nil
	}
	repo, err := openRepo(ctx)
	if err != nil {
		return fmt.Errorf("turn end: %w", err)
	}
	defer repo.Close()
	t, err := githost.EndTurn(ctx, repo)
	if err != nil {
		return err
	}
	fmt.Println(t.ID)
	return nil
}

type turnListCommand struct{}

// Run lists the turns.
func (turnListCommand) Run(ctx context.Context) error {
	repo, err := openRepo(ctx)
	if err != nil {
		return fmt.Errorf("turn list: %w", err)
	}
	defer repo.Close()
	turns, err := githost.Turns(ctx, repo)
	if err != nil {
		return err
	}
	for _, t := range turns {
		state := "running"
		if !t.Ended.IsZero() {
			state = "ended " + t.Ended.Local().Format("15:04")
		}
		fmt.Printf("%s  %s, %s  %s\n", t.ID, t.Started.Local().Format("2006-01-02 15:04"), state, printable.Label(t.Title))
	}
	return nil
}

type turnHookCommand struct {
	Agent string `arg:"" enum:"claude,gemini,cursor" help:"claude, gemini or cursor."`
}

// Run prints what makes an agent call this program.
func (c *turnHookCommand) Run() error {
	file, snippet, _ := agenthook.Setup(c.Agent)
	fmt.Fprintf(os.Stderr, "Merge this into %s of the project, or of your home folder:\n\n", file)
	fmt.Println(snippet)
	return nil
}
