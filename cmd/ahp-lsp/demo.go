package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"
)

type demoCommand struct {
	Text   bool   `help:"Print a guided tour instead of opening an editor."`
	Editor string `help:"The editor to open: nvim, hx or code; without, $VISUAL or the first that is found." enum:",nvim,hx,code" default:"" placeholder:"NAME"`
	Keep   bool   `help:"Keep the repository, and say where it is."`
}

// Run makes a repository in which an agent has been at work, and shows it.
func (c *demoCommand) Run(ctx context.Context) (err error) {
	if err := startLog("", "error"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ahp-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() {
		if c.Keep {
			fmt.Fprintf(os.Stderr, "the repository is in %s\n", filepath.Join(dir, demoName))
		} else if rerr := removeAll(dir); rerr != nil {
			err = errors.Join(err, fmt.Errorf("demo: clean up: %w", rerr))
		}
	}()
	var editor *demoEditor
	switch {
	case c.Text:
	case c.Editor != "":
		if editor, err = findEditor(ctx, c.Editor); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	case term.IsTerminal(int(os.Stdout.Fd())) && term.IsTerminal(int(os.Stdin.Fd())):
		if editor = anyEditor(ctx); editor == nil {
			fmt.Fprintln(os.Stderr, "no editor found (Neovim 0.11 or newer, Helix, VS Code); here is a tour in text")
		}
	}
	d, err := makeDemo(ctx, dir)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if editor != nil {
		err = editor.open(ctx, d)
	} else {
		err = d.tour(ctx, os.Stdout)
	}
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}

// removeAll removes a folder in which a process that was told to end may still
// be about to write.
func removeAll(dir string) (err error) {
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
