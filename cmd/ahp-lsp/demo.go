package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"ahp-lsp/internal/demo"
)

type demoCommand struct {
	Name   string `arg:"" optional:"" name:"editor" help:"The editor to open: nvim, hx (or helix) or code; without, $VISUAL or the first that is found." enum:",nvim,hx,helix,code" default:""`
	Editor string `hidden:"" enum:",nvim,hx,helix,code" default:""`
	Text   bool   `help:"Print a guided tour instead of opening an editor."`
	Keep   bool   `help:"Keep the repository, and say where it is."`
}

// Run makes a repository in which an agent has been at work, and shows it.
func (c *demoCommand) Run(ctx context.Context) error {
	if err := startLog("", "error"); err != nil {
		return err
	}
	d := demo.Command{
		Info: program(), Text: c.Text, Editor: cmp.Or(c.Name, c.Editor), Keep: c.Keep,
		Terminal: term.IsTerminal(int(os.Stdout.Fd())) && term.IsTerminal(int(os.Stdin.Fd())),
		Stdin:    os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
	if err := d.Run(ctx); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}
