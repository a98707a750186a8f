package githost

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "ahp-lsp/"
	here   = module + "internal/githost/"
)

// rooms says, of each package below this one, what of this module it may import.
// A path that ends in / stands for everything below it, too.
var rooms = map[string][]string{
	"wire":    {module + "bridge/ahp"},
	"journal": {module + "bridge/ahp", module + "internal/atomicfile", module + "internal/regularfile"},
	"session": {module + "bridge/ahp", here + "gitrepo/", here + "wire"},
	"disk":    {module + "bridge/ahp", here + "gitrepo/", here + "session", here + "wire"},
	"store":   {module + "bridge/ahp", module + "internal/atomicfile", module + "internal/regularfile", here + "gitrepo/", here + "journal", here + "session", here + "wire"},
	"publish": {module + "bridge/ahp", module + "internal/atomicfile", module + "internal/localsocket", module + "internal/regularfile"},
}

// pure are the packages without I/O, locks and goroutines.
var pure = []string{"session", "wire"}

// impure is what a pure package does not import.
var impure = []string{"io", "io/fs", "net", "net/http", "os", "os/exec", "sync", "sync/atomic", "syscall"}

// The direction of imports is what keeps the rooms apart.
func TestRooms(t *testing.T) {
	for room, allowed := range rooms {
		for _, file := range sources(t, room) {
			for _, spec := range file.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				if strings.HasPrefix(path, module) {
					require.True(t, slices.ContainsFunc(allowed, func(a string) bool {
						return path == strings.TrimSuffix(a, "/") || strings.HasSuffix(a, "/") && strings.HasPrefix(path, a)
					}), "%s must not import %s", room, path)
				}
				if slices.Contains(pure, room) {
					require.NotContains(t, impure, path, "%s does no I/O and takes no locks", room)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				_, starts := n.(*ast.GoStmt)
				require.False(t, starts && slices.Contains(pure, room), "%s starts no goroutines", room)
				return true
			})
		}
	}
}

// sources are the parsed files of a package below this one, without its tests.
func sources(t *testing.T, room string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(room, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, names, room)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	return files
}
