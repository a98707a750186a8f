package arch

import (
	"cmp"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Sizes beyond which a thing has more than one idea.
const (
	mostFiles   = 30  // of a package, tests left out
	mostLines   = 400 // of a file
	mostFields  = 15  // of a struct
	mostMethods = 80  // of a type
)

// Structs with more fields, and why they may have them: they are plain data, which nothing but its
// reader and writer knows as a whole.
var plainData = map[string]string{
	"bridge/ahp.ToolCall":      "the members of a wire type",
	"bridge/ahp.chatAction":    "the members of all actions of a channel, decoded at once",
	"bridge/ahp.sessionAction": "the members of all actions of a channel, decoded at once",
	"cmd/ahp-lsp.cli":          "a field for each subcommand and flag, which kong reads",
}

// Files with more lines, and why.
var longFiles = map[string]string{}

// A size is that of one thing.
type size struct {
	name string
	n    int
}

// largest prints the largest ones.
func largest(t *testing.T, what string, sizes map[string]int) {
	t.Helper()
	var sorted []size
	for name, n := range sizes {
		sorted = append(sorted, size{name, n})
	}
	slices.SortFunc(sorted, func(a, b size) int {
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.name, b.name))
	})
	t.Logf("%s:", what)
	for _, s := range sorted[:min(len(sorted), 8)] {
		t.Logf("%7d  %s", s.n, s.name)
	}
}

// over reports what is larger than it may be, and exceptions that are not needed.
func over(t *testing.T, sizes map[string]int, most int, what string, except map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if _, ok := except[name]; sizes[name] > most && !ok {
			t.Errorf("%s has %d %s; at most %d", name, sizes[name], what, most)
		}
	}
	for name, why := range except {
		if sizes[name] <= most {
			t.Errorf("%s has %d %s and needs no exception (%q)", name, sizes[name], what, why)
		}
	}
}

func TestLimits(t *testing.T) {
	packages, lines, long := map[string]int{}, map[string]int{}, map[string]int{}
	fields, methods := map[string]int{}, map[string]int{}
	for _, s := range sources(t) {
		packages[s.pkg]++
		lines[s.pkg] += s.lines
		long[s.path] = s.lines
		for _, decl := range s.file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if name := receiver(decl); name != "" {
					methods[s.pkg+"."+name]++
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if typed, ok := spec.(*ast.TypeSpec); ok {
						if structure, ok := typed.Type.(*ast.StructType); ok {
							fields[s.pkg+"."+typed.Name.Name] = count(structure)
						}
					}
				}
			}
		}
	}
	largest(t, "fields of a struct", fields)
	largest(t, "methods of a type", methods)
	largest(t, "files of a package", packages)
	largest(t, "lines of a package", lines)
	largest(t, "lines of a file", long)
	over(t, packages, mostFiles, "files", nil)
	over(t, long, mostLines, "lines", longFiles)
	over(t, fields, mostFields, "fields", plainData)
	over(t, methods, mostMethods, "methods", nil)
}

// receiver is the name of the type that a method belongs to.
func receiver(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return ""
	}
	typ := decl.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// count counts fields: "a, b int" is two, an embedded type is one.
func count(structure *ast.StructType) int {
	n := 0
	for _, field := range structure.Fields.List {
		n += max(1, len(field.Names))
	}
	return n
}
