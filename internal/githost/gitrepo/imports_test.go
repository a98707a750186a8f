package gitrepo

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const here = "ahp-lsp/internal/githost/gitrepo"

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// The pure packages have nothing to read files, run programs or wait with.
func TestPurePackages(t *testing.T) {
	pure := map[string]bool{}
	for _, p := range strings.Fields("bytes cmp errors fmt maps path runtime slices sort strconv strings ahp-lsp/mapping") {
		pure[p] = true
	}
	for _, p := range []string{"/gitfile", "/lines", "/patch"} {
		pure[here+p] = true
	}
	for _, p := range []string{"/gitfile", "/lines", "/patch"} {
		for _, imported := range goList(t, "-f", `{{join .Imports "\n"}}`, here+p) {
			require.True(t, pure[imported], "%s imports %s", p, imported)
		}
	}
}

// The engine knows nothing of the protocol, nor of who calls it.
func TestNoProtocol(t *testing.T) {
	for _, p := range goList(t, "-deps", here+"/...") {
		for _, room := range []string{"ahp-lsp/bridge", "ahp-lsp/lsp", "ahp-lsp/cmd"} {
			require.False(t, p == room || strings.HasPrefix(p, room+"/"), "depends on %s", p)
		}
	}
}

// Git is run, and programs are started, in one place.
func TestOneRunner(t *testing.T) {
	for _, line := range strings.Split(strings.Join(goList(t, "-f", `{{.ImportPath}}:{{join .Imports ","}}`, "ahp-lsp/internal/githost/..."), "\n"), "\n") {
		p, imports, _ := strings.Cut(line, ":")
		if p != here+"/gitcmd" {
			require.NotContains(t, strings.Split(imports, ","), "os/exec", "%s starts programs", p)
		}
	}
}
