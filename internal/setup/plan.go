package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"ahp-lsp/internal/atomicfile"
)

// A plan is what is still to be done.
type plan struct {
	folder  string   // where files of ours alone go; those are counted, not named
	prune   string   // the folder in which empty folders are removed afterwards; "" for none
	files   []change // in the order in which they are made
	actions []action
	notes   []string // what the user should know besides
	next    string   // how the user goes on
}

// A change replaces a file, creates it (old is nil) or removes it (text is nil).
type change struct {
	path string
	old  []byte
	text []byte
	ours bool // old is a text of ours: nobody misses it
	link bool // path is a link, which is removed
	edit bool // the file is the user's, and part of it changes
}

// An action is something that another program or package does.
type action struct {
	what string // for the user
	run  func(ctx context.Context) (said string, err error)
}

func (p *plan) empty() bool { return len(p.files) == 0 && len(p.actions) == 0 }

// set adds what makes a file have this text, nil for no file.
func (p *plan) set(path string, text []byte, ours func(old []byte) bool) error {
	old, err := read(path)
	if err != nil {
		return err
	}
	if same(old, text) {
		return nil
	}
	p.files = append(p.files, change{path: path, old: old, text: text, ours: old != nil && ours(old)})
	return nil
}

// read returns nil where there is no file, and no nil otherwise.
func read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case data == nil:
		data = []byte{}
	}
	return data, nil
}

func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// maxShown is how many lines of a difference are shown.
const maxShown = 60

// show prints what would be done.
func (p *plan) show(w io.Writer) {
	kinds := map[string]int{}
	for _, c := range p.files {
		switch verb := c.verb(); {
		case c.edit:
			fmt.Fprintf(w, "%s %s:\n", verb, c.path)
			showDiff(w, c.old, c.text)
		case p.folder == "" || !inside(p.folder, c.path) || c.link || c.old != nil && !c.ours:
			fmt.Fprintf(w, "%s %s\n", verb, c.path)
		default:
			kinds[verb]++
		}
	}
	for _, verb := range []string{"create", "replace", "remove"} {
		if n := kinds[verb]; n > 0 {
			files := "files"
			if n == 1 {
				files = "file"
			}
			fmt.Fprintf(w, "%s %d %s in %s\n", verb, n, files, p.folder)
		}
	}
	for _, a := range p.actions {
		fmt.Fprintln(w, a.what)
	}
}

func (c change) verb() string {
	switch {
	case c.link:
		return "remove the link"
	case c.old == nil:
		return "create"
	case c.text == nil:
		return "remove"
	case c.edit:
		return "change"
	}
	return "replace"
}

// showDiff prints the lines that change.
func showDiff(w io.Writer, old, text []byte) {
	unified := strings.TrimSuffix(textdiff.Unified(string(old), string(text), diff.Context(1)), "\n")
	lines := strings.Split(unified, "\n")
	shown := min(len(lines), maxShown)
	for _, line := range lines[:shown] {
		fmt.Fprintln(w, "  "+line)
	}
	if more := len(lines) - shown; more > 0 {
		fmt.Fprintf(w, "  … and %d lines more\n", more)
	}
}

func (p *plan) writeNotes(w io.Writer) error {
	for _, n := range p.notes {
		if _, err := fmt.Fprintln(w, "note:", n); err != nil {
			return err
		}
	}
	return nil
}

// apply does what was planned. What it replaces and is not ours is kept beside the file.
func (p *plan) apply(ctx context.Context, w io.Writer) error {
	for _, c := range p.files {
		kept, err := c.apply()
		if err != nil {
			return err
		}
		if kept != "" {
			fmt.Fprintf(w, "the old %s is in %s\n", filepath.Base(c.path), kept)
		}
	}
	if p.prune != "" {
		removeEmpty(p.prune)
	}
	for _, a := range p.actions {
		said, err := a.run(ctx)
		if said != "" {
			fmt.Fprintln(w, said)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c change) apply() (kept string, err error) {
	if c.link {
		return "", os.Remove(c.path)
	}
	path, mode := c.path, fs.FileMode(0o644)
	if c.old != nil {
		if path, err = filepath.EvalSymlinks(c.path); err != nil { // a link (dotfiles) stays one
			return "", err
		}
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		mode = info.Mode().Perm()
		if now, err := read(path); err != nil || !same(now, c.old) {
			return "", errors.Join(err, fmt.Errorf("%s has changed meanwhile: nothing was done to it", path))
		}
		if !c.ours {
			if kept, err = keepBackup(c.path, c.old, mode); err != nil {
				return "", fmt.Errorf("keep a copy of %s: %w", c.path, err)
			}
		}
	}
	if c.text == nil {
		return kept, os.Remove(c.path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return kept, err
	}
	return kept, atomicfile.Replace(path, c.text, mode)
}

// keepBackup copies a text beside the file. It never replaces another copy.
func keepBackup(path string, text []byte, mode fs.FileMode) (string, error) {
	for n := 0; ; n++ {
		name := path + ".bak"
		if n > 0 {
			name = fmt.Sprintf("%s.bak.%d", path, n)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			if there, err := os.ReadFile(name); err == nil && bytes.Equal(there, text) {
				return name, nil
			}
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(text)
		return name, errors.Join(err, f.Close())
	}
}

// inside reports whether a path is in a folder, or the folder.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// removeEmpty removes the folders in dir that have nothing in them, and dir if it is one.
func removeEmpty(dir string) {
	var dirs []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	for i := len(dirs) - 1; i >= 0; i-- {
		_ = os.Remove(dirs[i]) // fails where there is something
	}
}
