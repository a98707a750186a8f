package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A source is one Go file, tests left out.
type source struct {
	path  string // below the root, with slashes
	pkg   string // its folder, as a package
	lines int
	file  *ast.File
}

var files = token.NewFileSet()

// sources reads every Go file of the tree, whatever system it is for.
func sources(t *testing.T) []source {
	t.Helper()
	var found []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		found = append(found, source{path: below, pkg: filepath.ToSlash(filepath.Dir(below)), lines: bytes.Count(text, []byte("\n")), file: file})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, found)
	return found
}

func (s source) at(node ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, files.Position(node.Pos()).Line)
}

// called has the functions of a package of the standard library that a file uses, and where.
func (s source) called(pkg string, use func(name string, node ast.Node)) {
	ast.Inspect(s.file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == pkg {
				use(selector.Sel.Name, node)
			}
		}
		return true
	})
}

// Files that may sleep, and why there is no event to wait for.
var sleepers = map[string]string{
	"internal/demo/demo.go": "another program's child may still write into a folder that is to be removed",
}

// What sleeps is woken too early or too late: wait for the event.
func TestNothingSleeps(t *testing.T) {
	for _, s := range sources(t) {
		s.called("time", func(name string, node ast.Node) {
			if _, ok := sleepers[s.path]; name == "Sleep" && !ok {
				t.Errorf("%s: time.Sleep", s.at(node))
			}
		})
	}
}

// A still room starts nothing and asks no clock.
func TestStillRooms(t *testing.T) {
	known := map[string]room{}
	for _, r := range append(append([]room{}, rooms...), anywhere...) {
		known[r.path] = r
	}
	timers := map[string]bool{"After": true, "AfterFunc": true, "Tick": true, "NewTimer": true, "NewTicker": true}
	clock := map[string]bool{"Now": true, "Since": true, "Until": true}
	for _, s := range sources(t) {
		r := known[s.pkg]
		if !r.still {
			continue
		}
		s.called("time", func(name string, node ast.Node) {
			if timers[name] || clock[name] && !r.stamps {
				t.Errorf("%s: time.%s in a package that asks no clock", s.at(node), name)
			}
		})
		ast.Inspect(s.file, func(node ast.Node) bool {
			if _, ok := node.(*ast.GoStmt); ok {
				t.Errorf("%s: a goroutine in a package that starts none", s.at(node))
			}
			return true
		})
	}
}
