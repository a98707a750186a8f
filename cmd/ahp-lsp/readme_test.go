package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// The README's table of the command line has every subcommand, and no other.
func TestReadmeHasEverySubcommand(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(data), "\n## Command line\n")
	require.True(t, found)
	rest, _, _ = strings.Cut(rest, "\n## ")
	var documented []string
	for _, line := range strings.Split(rest, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || strings.Contains(cells[1], "ahp-lsp") {
			continue
		}
		for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(cells[1], -1) {
			words := regexp.MustCompile(`^[a-z]+(-[a-z]+)*( [a-z]+)*`).FindString(strings.Trim(code, "`"))
			documented = append(documented, words)
		}
	}
	var there []string
	parser, err := kong.New(&cli{})
	require.NoError(t, err)
	for _, leaf := range parser.Model.Leaves(true) {
		there = append(there, strings.TrimPrefix(leaf.Path(), "ahp-lsp "))
	}
	slices.Sort(documented)
	slices.Sort(there)
	require.Equal(t, there, documented)
}
