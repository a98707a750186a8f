package main

import (
	"context"
	"fmt"
	"os"

	"ahp-lsp/internal/helixconfig"
)

type helixCommand struct {
	Write    bool   `help:"Write it to your languages.toml, keeping what is there and a copy beside it." xor:"write"`
	Remove   bool   `help:"Print, or with --write write, your languages.toml without ahp-lsp." xor:"remove"`
	Builtin  bool   `help:"Print what the installed Helix gives each language, and no more." xor:"write,remove"`
	File     string `help:"The languages.toml to work on; a folder's own is .helix/languages.toml in it." type:"path" placeholder:"F"`
	Helix    string `help:"The hx to ask for its languages." type:"path" placeholder:"PROGRAM"`
	Shipped  bool   `help:"Use the languages of the Helix version that this program knows, where no Helix is installed. Helix ignores the whole file if its own version lacks one of them."`
	Absolute bool   `help:"Name this program by its full path, even if it is on the PATH."`
}

// Help is the long text of --help.
func (helixCommand) Help() string {
	return "Helix starts language servers per language, and a list in languages.toml replaces the one that is built in. " +
		"This prints a languages.toml in which every language that the installed Helix knows has its own servers and ahp-lsp."
}

// Run prints a languages.toml, or writes it.
func (c *helixCommand) Run(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("helix-config: %w", err)
	}
	home, _ := os.UserHomeDir()
	command := helixconfig.Command{
		Write: c.Write, Remove: c.Remove, Builtin: c.Builtin, File: c.File, Program: c.Helix,
		Shipped: c.Shipped, Absolute: c.Absolute, Dir: dir, Home: home,
	}
	if err := command.Run(ctx, os.Stdout, os.Stderr); err != nil {
		return fmt.Errorf("helix-config: %w", err)
	}
	return nil
}
