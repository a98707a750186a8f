package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"ahp-lsp/internal/clidoc"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a completion script.
func (c *completionCommand) Run() error {
	script, err := clidoc.Script(c.Shell)
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	_, err = os.Stdout.WriteString(script)
	return err
}

// completeCommand answers completion scripts.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints the candidates for the last word, each with a tab and its description.
func (c *completeCommand) Run(k *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	var b strings.Builder
	for _, candidate := range clidoc.Complete(k.Model.Node, words) {
		fmt.Fprintf(&b, "%s\t%s\n", candidate.Word, candidate.Help)
	}
	_, err := os.Stdout.WriteString(b.String())
	return err
}
