package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost"
)

type hostCommand struct {
	Listen    string `help:"Listen on this TCP address too, on this machine only unless it names a host." placeholder:"ADDR"`
	TokenFile string `help:"File with the token to ask for; without, one is made up and printed." placeholder:"F" type:"path"`
	LogLevel  string `help:"${enum}." enum:"error,warning,notice,info,debug" default:"notice" placeholder:"L"`
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
	token, err := tokenFrom(c.TokenFile)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	service, err := githost.Serve(ctx, repo, githost.Options{
		Info: ahp.Implementation{Name: "ahp-lsp", Version: buildVersion()}, Log: commonlog.GetLogger("ahp.githost"),
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
	fmt.Fprintf(os.Stderr, "serving %s\nat %s\npublished in %s\n", repo.Root(), url, file)
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
