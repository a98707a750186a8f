package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The packages of the command line stand apart from it and from the editor's side:
// only this package, and what describes it, knows how it is parsed.
func TestImports(t *testing.T) {
	const kong, lsp = "github.com/alecthomas/kong", "ahp-lsp/lsp"
	for pkg, forbidden := range map[string][]string{
		"agenthook":   {kong, lsp},
		"buildinfo":   {kong, lsp, "ahp-lsp/bridge"},
		"clidoc":      {lsp, "ahp-lsp/bridge"},
		"demo":        {kong},
		"doctor":      {kong},
		"editor":      {kong, lsp, "ahp-lsp/bridge"},
		"helixconfig": {kong, lsp, "ahp-lsp/bridge"},
		"hosts":       {kong, lsp},
		"printable":   {kong, lsp, "ahp-lsp/bridge", "os", "net", "time"},
		"regularfile": {kong, lsp, "ahp-lsp/bridge"},
		"review":      {kong, lsp},
		"tokenfile":   {kong, lsp, "ahp-lsp/bridge"},
	} {
		args := []string{"list", "-deps", "ahp-lsp/internal/" + pkg}
		if pkg == "printable" { // fmt reaches os
			args = []string{"list", "-f", `{{join .Imports "\n"}}`, "ahp-lsp/internal/" + pkg}
		}
		out, err := exec.Command("go", args...).Output()
		require.NoError(t, err, pkg)
		for _, name := range forbidden {
			require.False(t, slices.Contains(strings.Fields(string(out)), name), "internal/%s must not reach %s", pkg, name)
		}
	}
}
