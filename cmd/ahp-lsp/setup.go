package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"ahp-lsp/internal/setup"
)

type setupCommand struct {
	Editor    string `arg:"" optional:"" help:"The editor to set up: nvim, helix, code, emacs or vim; without, list them." enum:",nvim,helix,hx,code,emacs,vim" default:""`
	Remove    bool   `help:"Take it back."`
	Yes       bool   `short:"y" help:"Do not ask."`
	Extension string `help:"The extension for VS Code; without, the one that came with this program." type:"existingfile" placeholder:"VSIX"`
}

// Help is the long text of --help.
func (setupCommand) Help() string {
	return "What would be done is shown first. What is replaced, and is not of this program, is kept beside it in " +
		"a file that ends in .bak. A second time there is nothing to do, unless this program is another version."
}

// Run sets an editor up, or lists what is set up.
func (c *setupCommand) Run(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	home, _ := os.UserHomeDir()
	name := c.Editor
	if name == "hx" {
		name = "helix"
	}
	command := setup.Command{
		Editor: name, Remove: c.Remove, Yes: c.Yes, Extension: c.Extension, Home: home, Dir: dir,
		Terminal: term.IsTerminal(int(os.Stdout.Fd())) && term.IsTerminal(int(os.Stdin.Fd())),
		Stdin:    os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
	if err := command.Run(ctx); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	return nil
}
