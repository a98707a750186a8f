package main

import (
	"os"

	"github.com/alecthomas/kong"

	"ahp-lsp/internal/clidoc"
)

type manCommand struct{}

// Run prints the manual page.
func (manCommand) Run(k *kong.Context) error {
	_, err := os.Stdout.WriteString(clidoc.Man(k.Model, buildVersion(), []clidoc.Environment{
		{Name: "AHP_HOST", Help: "The agent host, as --host names it."},
		{Name: "AHP_TOKEN", Help: "The host's token."},
		{Name: "AHP_SESSION", Help: "The session to follow: a URI, or all."},
		{Name: "VISUAL", Help: "The editor that demo opens, if it is one that demo knows."},
	}))
	return err
}
