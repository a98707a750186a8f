package mapping

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What these packages may reach, by whatever way, outside the standard library.
// gitrepo, which knows nothing of AHP, imports package mapping; only
// mapping/thread knows the protocol.
func TestImportGraph(t *testing.T) {
	for pkg, allowed := range map[string][]string{
		"ahp-lsp/mapping/words":  {"znkr.io/diff"},
		"ahp-lsp/mapping":        {"znkr.io/diff", "ahp-lsp/mapping/words"},
		"ahp-lsp/mapping/thread": {"znkr.io/diff", "ahp-lsp/mapping/words", "ahp-lsp/mapping", "ahp-lsp/bridge/ahp"},
	} {
		t.Run(pkg, func(t *testing.T) {
			cmd := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			require.NoError(t, err, stderr.String())
			for _, dep := range strings.Fields(string(out)) {
				ok := dep == pkg
				for _, a := range allowed {
					packages := a == "znkr.io/diff" || a == "ahp-lsp/bridge/ahp" // with those below
					ok = ok || dep == a || packages && strings.HasPrefix(dep, a+"/")
				}
				require.True(t, ok, "%s must not reach %s", pkg, dep)
			}
		})
	}
}

// Pure packages do no I/O: neither files, nor the network, nor processes, nor
// the clock.
func TestNoInputOrOutput(t *testing.T) {
	for _, pkg := range []string{"ahp-lsp/mapping", "ahp-lsp/mapping/thread", "ahp-lsp/mapping/words"} {
		out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, pkg).Output()
		require.NoError(t, err)
		for _, name := range strings.Fields(string(out)) {
			require.NotContains(t, []string{"os", "os/exec", "io/fs", "net", "net/http", "path/filepath", "time", "syscall"}, name, pkg)
		}
	}
}
