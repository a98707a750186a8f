// Package demo is "ahp-lsp demo": a throw-away git repository in which an agent has
// been at work, shown in an editor or as a guided tour in text.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/editor"
)

// Command is one run of the demo.
type Command struct {
	Info     ahp.Implementation // of this program
	Text     bool               // print a guided tour; open no editor
	Editor   string             // the editor to open, see package editor; "" is the first that is found
	Keep     bool               // keep the repository
	Terminal bool               // Stdin and Stdout are a terminal, on which an editor can run

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run makes the repository, shows it, and removes it.
func (c Command) Run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "ahp-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if c.Keep {
			fmt.Fprintf(c.Stderr, "the repository is in %s\n", filepath.Join(dir, repoName))
		} else if rerr := removeAll(dir); rerr != nil {
			err = errors.Join(err, fmt.Errorf("clean up: %w", rerr))
		}
	}()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	var e editor.Editor
	opens := false // in an editor
	switch {
	case c.Text:
	case c.Editor != "":
		opens = true
		if e, err = findEditor(ctx, c.Editor); err != nil {
			return err
		}
	case c.Terminal:
		if e, opens = anyEditor(ctx); !opens {
			fmt.Fprintln(c.Stderr, "no editor found (Neovim 0.11 or newer, Helix, VS Code); here is a tour in text")
		}
	}
	d := &demo{Command: c, dir: real, root: filepath.Join(real, repoName)}
	if err := d.make(ctx); err != nil {
		return err
	}
	if opens {
		return d.open(ctx, e)
	}
	return d.tour(ctx)
}

// removeAll removes a folder in which a process that is ending may still write.
func removeAll(dir string) (err error) {
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
