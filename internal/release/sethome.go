package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/atomicfile"
)

type setHomeCommand struct {
	Module     string `help:"Path of the Go module; that of the repository, unless it is given." placeholder:"PATH"`
	Repository string `help:"Address of the repository." placeholder:"URL"`
	Issues     string `help:"Where problems are reported; /issues of the repository, unless it is given." placeholder:"URL"`
	Maintainer string `help:"Who answers for packages." placeholder:"NAME <MAIL>"`
	Publisher  string `help:"Publisher of the VS Code extension." placeholder:"NAME"`
}

// Help is the long text of --help.
func (setHomeCommand) Help() string {
	return "What is not given stays as it is. The Go module and every import of its packages, the VS Code " +
		"extension, Neovim's help, the header of ahp.el and the README are written to agree with it; " +
		"descriptions of packages take it when they are made."
}

// Run sets the home, and says which files it wrote.
func (c *setHomeCommand) Run(r root) error {
	old, err := r.home()
	if err != nil {
		return fmt.Errorf("set-home: %w", err)
	}
	h := old
	if c.Repository != "" {
		h.Repository = strings.TrimSuffix(strings.TrimSuffix(c.Repository, "/"), ".git")
		h.Issues = h.Repository + "/issues"
		h.Module = strings.TrimPrefix(h.Repository, "https://")
	}
	h.Module = cmp.Or(c.Module, h.Module)
	h.Issues = cmp.Or(c.Issues, h.Issues)
	h.Maintainer = cmp.Or(c.Maintainer, h.Maintainer)
	h.Publisher = cmp.Or(c.Publisher, h.Publisher)
	changed, err := r.setHome(old, h)
	for _, name := range changed {
		fmt.Println("wrote", name)
	}
	if err != nil {
		return fmt.Errorf("set-home: %w", err)
	}
	if err := h.complete(); err != nil {
		fmt.Fprintln(os.Stderr, "note:", err)
	}
	return nil
}

// setHome applies a home to the whole tree and returns the files that it wrote. Where
// anything is not as expected, nothing is written.
func (r root) setHome(old, h Home) (changed []string, err error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	type file struct {
		name string
		text []byte
	}
	var files []file
	seen := map[string]bool{}
	err = r.walk(func(name string) error {
		edits := editsOf(name)
		if len(edits) == 0 {
			return nil
		}
		seen[name] = true
		text, err := os.ReadFile(r.path(name))
		if err != nil {
			return err
		}
		before := text
		for _, edit := range edits {
			if text, err = edit(text, old, h); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if !bytes.Equal(before, text) {
			files = append(files, file{name, text})
		}
		return nil
	})
	for name := range namedFiles {
		if err == nil && !seen[name] {
			err = fmt.Errorf("%s is not there: it has to name the home", name)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		info, err := os.Stat(r.path(f.name))
		if err != nil {
			return changed, err
		}
		if err := atomicfile.Replace(r.path(f.name), f.text, info.Mode().Perm()); err != nil {
			return changed, err
		}
		changed = append(changed, f.name)
	}
	// Last: after an interruption the same command does the rest.
	if h != old {
		changed = append(changed, homeFile)
	}
	return changed, r.saveHome(h)
}

// notOurs are folders that hold nothing of the project's own.
var notOurs = map[string]bool{".git": true, ".e2e": true, "node_modules": true, "dist": true, "out": true}

// walk visits the files of the project, by their slash-separated names.
func (r root) walk(visit func(name string) error) error {
	return filepath.WalkDir(string(r), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if notOurs[d.Name()] && path != string(r) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		name, err := filepath.Rel(string(r), path)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(name))
	})
}
