// Package clidoc derives what a shell needs from the definition of a command line:
// completions ([Complete] answers the scripts of [Script]) and the manual page ([Man]).
package clidoc

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

//go:embed scripts
var scripts embed.FS

// Shells are the shells for which there is a completion script.
var Shells = []string{"bash", "zsh", "fish"}

// Script is the completion script for a shell. It asks "ahp-lsp complete -- WORDS",
// where the last word is the one to complete, and offers files if that says nothing.
func Script(shell string) (string, error) {
	if !slices.Contains(Shells, shell) {
		return "", fmt.Errorf("there are no completions for %q; there are for %s", shell, strings.Join(Shells, ", "))
	}
	data, err := scripts.ReadFile("scripts/complete." + shell)
	return string(data), err
}

// visibleFlags are the flags that can be given at a node: its own, those of the nodes
// above it, and those of its default command.
func visibleFlags(n *kong.Node) (flags []*kong.Flag) {
	for _, group := range n.AllFlags(true) {
		flags = append(flags, group...)
	}
	if n.DefaultCmd != nil {
		for _, f := range n.DefaultCmd.Flags {
			if !f.Hidden {
				flags = append(flags, f)
			}
		}
	}
	return flags
}

// enum are the values that v can have, without the empty one; none if it can have any.
func enum(v *kong.Value) (values []string) {
	if v.Enum == "" {
		return nil
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			values = append(values, word)
		}
	}
	return values
}
