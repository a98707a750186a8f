package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An edit makes the text of a file agree with a home. It works whether the text
// agreed with old or already agrees with h.
type edit func(text []byte, old, h Home) ([]byte, error)

// namedFiles have a place of their own for the home.
var namedFiles = map[string]edit{
	"go.mod":                      editModule,
	"README.md":                   editReadme,
	"editors/vscode/package.json": editManifest,
	"editors/neovim/doc/ahp.txt":  editNeovimHelp,
	"editors/emacs/ahp.el":        editEmacsHeader,
}

// editsOf are the edits for the file of this name.
func editsOf(name string) (edits []edit) {
	if e := namedFiles[name]; e != nil {
		edits = append(edits, e)
	}
	ext := path.Ext(name)
	if ext == ".go" && !strings.Contains("/"+name, "/testdata/") {
		edits = append(edits, editPaths)
	}
	if (ext == ".go" || ext == ".txtar") && path.Dir(name) != "internal/release" { // whose tests name other homes
		edits = append(edits, editExtension)
	}
	return edits
}

var moduleLine = regexp.MustCompile(`(?m)^module .*$`)

func editModule(text []byte, _, h Home) ([]byte, error) {
	if len(moduleLine.FindAll(text, 2)) != 1 {
		return nil, errors.New("there is not one line that names the module")
	}
	return moduleLine.ReplaceAllLiteral(text, []byte("module "+h.Module)), nil
}

// folders are those at the top that have packages. Other names after the module's, such as
// those of the protocol's messages, are no packages.
var folders = map[string]bool{"": true, "bridge": true, "cmd": true, "editors": true, "internal": true, "lsp": true, "mapping": true}

// editPaths has a Go file import the project's packages from the new module, and name them so.
func editPaths(text []byte, old, h Home) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", text, 0)
	if err != nil {
		return nil, err
	}
	if old.Module == h.Module {
		return text, nil
	}
	var literals []*ast.BasicLit
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			literals = append(literals, l)
		}
		return true
	})
	slices.SortFunc(literals, func(a, b *ast.BasicLit) int { return int(b.Pos() - a.Pos()) }) // offsets before one stay right
	changed := false
	for _, l := range literals {
		value, err := strconv.Unquote(l.Value)
		if err != nil {
			return nil, err
		}
		rest, ours := strings.CutPrefix(value, old.Module+"/")
		if first, _, _ := strings.Cut(rest, "/"); !ours || !folders[first] {
			continue
		}
		at := files.Position(l.Pos()).Offset
		text = slices.Concat(text[:at], []byte(strconv.Quote(h.Module+"/"+rest)), text[at+len(l.Value):])
		changed = true
	}
	if !changed {
		return text, nil
	}
	return format.Source(text) // imports have an order
}

// editExtension has code look for the VS Code extension under its publisher's name.
func editExtension(text []byte, old, h Home) ([]byte, error) {
	name := regexp.MustCompile(`\b` + regexp.QuoteMeta(old.extension()) + `\b`)
	return name.ReplaceAllLiteral(text, []byte(h.extension())), nil
}

// editManifest edits single lines, so that npm's layout stays.
func editManifest(text []byte, _, h Home) ([]byte, error) {
	var err error
	members := []struct {
		key   string
		value any
		set   bool
	}{
		{"publisher", h.Publisher, true},
		{"homepage", h.Repository + "#readme", h.Repository != ""},
		{"repository", map[string]string{"type": "git", "url": h.Repository, "directory": "editors/vscode"}, h.Repository != ""},
		{"bugs", map[string]string{"url": h.Issues}, h.Issues != ""},
	}
	after := "publisher"
	for _, m := range members {
		var line []byte
		if m.set {
			value, err := json.Marshal(m.value)
			if err != nil {
				return nil, err
			}
			line = fmt.Appendf(nil, "  %q: %s,\n", m.key, value)
		}
		if text, err = setLine(text, `  "`+m.key+`": .*,`, line, `  "`+after+`": .*,`); err != nil {
			return nil, err
		}
		if m.set {
			after = m.key
		}
	}
	if !json.Valid(text) {
		return nil, errors.New("it would no longer be valid JSON")
	}
	return text, nil
}

func editNeovimHelp(text []byte, _, h Home) ([]byte, error) {
	var line []byte
	if h.Repository != "" {
		line = fmt.Appendf(nil, "Home: %s\n", h.Repository)
	}
	text, err := setLine(text, `Home: .*`, line, `\*ahp\.txt\*.*`)
	if err != nil {
		return nil, err
	}
	source := "file:///home/me/src/ahp-lsp"
	if h.Repository != "" {
		source = h.Repository
	}
	src := regexp.MustCompile(`(vim\.pack\.add\(\{ \{ src = ')[^']*'`)
	if !src.Match(text) {
		return nil, errors.New("there is no example for vim.pack.add")
	}
	return src.ReplaceAll(text, []byte(`${1}`+strings.ReplaceAll(source, "$", "$$")+`'`)), nil
}

func editEmacsHeader(text []byte, _, h Home) ([]byte, error) {
	var author, address []byte
	if h.Maintainer != "" {
		author = fmt.Appendf(nil, ";; Author: %s\n", h.Maintainer)
	}
	if h.Repository != "" {
		address = fmt.Appendf(nil, ";; URL: %s\n", h.Repository)
	}
	text, err := setLine(text, `;; Author: .*`, author, `;; SPDX-License-Identifier: .*`)
	if err != nil {
		return nil, err
	}
	return setLine(text, `;; URL: .*`, address, `;; Keywords: .*`)
}

// setLine replaces the one line that matches, or inserts it after another one. No line
// removes it.
func setLine(text []byte, pattern string, line []byte, after string) ([]byte, error) {
	there := regexp.MustCompile(`(?m)^` + pattern + `\n`)
	if there.Match(text) {
		if len(there.FindAll(text, 2)) > 1 {
			return nil, fmt.Errorf("several lines match %s", pattern)
		}
		return there.ReplaceAllLiteral(text, line), nil
	}
	if line == nil {
		return text, nil
	}
	found := regexp.MustCompile(`(?m)^` + after + `\n`).FindIndex(text)
	if found == nil {
		return nil, fmt.Errorf("no line matches %s", after)
	}
	return slices.Concat(text[:found[1]], line, text[found[1]:]), nil
}

// Marks in the README around what depends on the home.
const (
	readmeBegin = "<!-- home: set by go run ./internal/release set-home -->\n"
	readmeEnd   = "<!-- /home -->\n"
)

func editReadme(text []byte, _, h Home) ([]byte, error) {
	before, rest, found := bytes.Cut(text, []byte(readmeBegin))
	_, after, ended := bytes.Cut(rest, []byte(readmeEnd))
	if !found || !ended {
		return nil, fmt.Errorf("there is no block between %q and %q", strings.TrimSpace(readmeBegin), strings.TrimSpace(readmeEnd))
	}
	block := "```sh\ngo install ./cmd/ahp-lsp    # in a clone of this repository\n```\n"
	if h.Repository != "" {
		block = fmt.Sprintf("Archives and packages are among the [releases](%s/releases); problems are reported\n"+
			"to <%s>. With Go 1.26,\n\n```sh\ngo install %s/cmd/ahp-lsp@latest\n```\n", h.Repository, h.Issues, h.Module)
	}
	return slices.Concat(before, []byte(readmeBegin), []byte(block), []byte(readmeEnd), after), nil
}
