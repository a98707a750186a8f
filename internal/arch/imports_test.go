package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the path of the module, and root its folder as seen from here.
const (
	module = "ahp-lsp/"
	root   = "../.."
)

// imports has, for each package of the module, what it imports, its tests left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err, "go list")
	found := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		err := decoder.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		found[strings.TrimPrefix(pkg.ImportPath, module)] = pkg.Imports
	}
}

// within says whether a package is one of the listed ones or below one of them.
func within(path string, listed []string) bool {
	return slices.ContainsFunc(listed, func(l string) bool {
		return path == l || strings.HasPrefix(path, l+"/")
	})
}

// broken says why a room must not import a package, "" if it may.
func (r room) broken(imported string) string {
	if own, ok := strings.CutPrefix(imported, module); ok {
		leaf := slices.ContainsFunc(anywhere, func(a room) bool { return a.path == own })
		pure := within("os", r.not)
		if slices.Contains(r.may, own) || leaf && (!pure || own == pureLeaf) {
			return ""
		}
		return "is not among the packages that it may import"
	}
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case imported == "net/url" || imported == "net/netip": // names and numbers, no network
		return ""
	case within(imported, r.not):
		return "is forbidden there"
	case strings.Contains(first, ".") && r.modules != nil && !within(imported, r.modules):
		return "is none of the modules that it may use"
	}
	return ""
}

func TestImports(t *testing.T) {
	graph := imports(t)
	known := map[string]bool{}
	for _, r := range append(slices.Clone(rooms), anywhere...) {
		known[r.path] = true
		t.Run(strings.ReplaceAll(r.path, "/", "."), func(t *testing.T) {
			imported, ok := graph[r.path]
			if !ok {
				t.Fatalf("there is no package %s: build it, or take it off the map", r.path)
			}
			for _, path := range imported {
				if why := r.broken(path); why != "" {
					t.Errorf("%s imports %s, which %s", r.path, strings.TrimPrefix(path, module), why)
				}
			}
		})
	}
	for path := range graph {
		if !known[path] {
			t.Errorf("the package %s is not on the map: say in rooms_test.go and ARCHITECTURE.md what it may know", path)
		}
	}
}

// The rules themselves: a rule that lets everything through would never be noticed.
func TestRules(t *testing.T) {
	pure := room{path: "pure", may: list("mapping"), modules: std, not: noIO}
	open := room{path: "open"}
	for _, c := range []struct {
		room     room
		imported string
		allowed  bool
	}{
		{pure, "strings", true},
		{pure, "os", false},
		{pure, "os/exec", false},
		{pure, "net/http", false},
		{pure, "net/url", true},
		{pure, "ahp-lsp/mapping", true},
		{pure, "ahp-lsp/mapping/thread", false},
		{pure, "ahp-lsp/bridge", false},
		{pure, "ahp-lsp/internal/atomicfile", false},
		{pure, "ahp-lsp/internal/printable", true},
		{pure, "znkr.io/diff", false},
		{open, "os", true},
		{open, "znkr.io/diff", true},
		{open, "ahp-lsp/bridge", false},
		{open, "ahp-lsp/internal/atomicfile", true},
	} {
		require.Equal(t, c.allowed, c.room.broken(c.imported) == "", "%s imports %s", c.room.path, c.imported)
	}
}
