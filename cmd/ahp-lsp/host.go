package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tliron/commonlog"

	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/hosts"
	"ahp-lsp/internal/printable"
	"ahp-lsp/internal/tokenfile"
)

type hostCommand struct {
	Listen    string `help:"Listen on this TCP address too, on this machine only unless it names a host." placeholder:"ADDR"`
	TokenFile string `help:"File with the token that clients need; without, one is made and printed." placeholder:"F" type:"path"`
	LogLevel  string `help:"How much to log: ${enum}." enum:"error,warning,notice,info,debug" default:"notice" placeholder:"L"`
}

// Run serves the work tree until it is interrupted.
func (c *hostCommand) Run(ctx context.Context) error {
	if err := startLog("", c.LogLevel); err != nil {
		return err
	}
	repo, err := openRepo(ctx)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	defer repo.Close()
	token := ""
	if c.TokenFile != "" {
		if token, err = tokenfile.Read(c.TokenFile); err != nil {
			return fmt.Errorf("host: %w", err)
		}
	}
	if hosts.OpenToOthers(c.Listen) {
		fmt.Fprintf(os.Stderr, "warning: other machines can connect to %s, and the connection is not encrypted: the network can read the token\nhint: leave the host name out, and reach the port through a tunnel (ssh -L)\n", c.Listen)
	}
	service, err := githost.Serve(ctx, repo, githost.Options{
		Info: program(), Log: commonlog.GetLogger("ahp.githost"),
		Listen: c.Listen, Token: token,
		OnListen: func(url, token string) { fmt.Printf("%s\ntoken %s\n", url, token) },
	})
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	defer service.Close()
	if service.Owner() == nil {
		fmt.Fprintln(os.Stderr, "another process serves this work tree; waiting to take over")
	}
	if err := service.Own(ctx); err != nil {
		return endOf(ctx, err)
	}
	file, url := service.Entry()
	fmt.Fprintf(os.Stderr, "serving %s\nat %s\npublished in %s\n", printable.Line(repo.Root()), url, printable.Line(file))
	<-ctx.Done()
	return nil
}

// endOf is nil for an error that only says that the user ended the command.
func endOf(ctx context.Context, err error) error {
	if errors.Is(err, ctx.Err()) {
		return nil
	}
	return fmt.Errorf("host: %w", err)
}
