package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/githost/gitrepo"
)

// The demo's files, as they were and as the agent left them after each turn.
//
//go:embed testdata/demo
var demoFiles embed.FS

// demoName is the name of the demo's repository.
const demoName = "parcel"

// demoTurns are what the agent was asked, and the folders with what it did.
var demoTurns = []struct{ title, files string }{
	{"Add a surcharge for heavy parcels", "turn1"},
	{"End cut labels in an ellipsis; insure for 50 cents at least", "turn2"},
}

// demoComments are the agent's.
var demoComments = []struct{ place, text string }{
	{"price.go:20-22", "I charge this after doubling, so it is the same abroad. The task does not say; should it be doubled too?"},
	{"label.go:11", "This cuts between bytes: a name such as \"Jürgen\" may lose half of a letter. Shall I count letters instead?"},
	{"README.md:10", "This is the price with the surcharge included: 9.99 € and 8.00 €."},
}

// demo is a throw-away repository in which an agent has been at work.
type demo struct {
	dir  string // holds all that the demo makes; removed at the end
	root string // the work tree
}

// makeDemo makes the repository in dir.
func makeDemo(ctx context.Context, dir string) (*demo, error) {
	// Set while git runs a hook; they would lead into that repository.
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"} {
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	d := &demo{dir: dir, root: filepath.Join(dir, demoName)}
	if err := d.write("before"); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--template="},
		{"symbolic-ref", "HEAD", "refs/heads/main"},
		{"config", "user.name", "ahp-lsp demo"},
		{"config", "user.email", "demo@example.invalid"},
		{"config", "core.autocrlf", "false"},
		{"config", "core.hooksPath", os.DevNull},
		{"config", "commit.gpgSign", "false"},
		{"add", "."},
		{"commit", "--quiet", "--message", "What a parcel costs"},
	} {
		if err := d.git(ctx, args...); err != nil {
			return nil, err
		}
	}
	repo, err := gitrepo.Open(ctx, d.root)
	if err != nil {
		return nil, err
	}
	for _, turn := range demoTurns {
		_, err = githost.StartTurn(ctx, repo, turn.title, "demo")
		if err == nil {
			err = d.write(turn.files)
		}
		if err == nil {
			_, err = githost.EndTurn(ctx, repo)
		}
		if err != nil {
			return nil, errors.Join(err, repo.Close())
		}
	}
	r, err := reviewOf(ctx, repo, d.hosts(ctx, true))
	if err != nil {
		return nil, err
	}
	defer r.close()
	for _, comment := range demoComments {
		c := commentCommand{Place: filepath.Join(d.root, comment.place), Text: []string{comment.text}, Agent: true}
		a, err := c.annotation(r)
		if err != nil {
			return nil, err
		}
		action, err := ahp.SetAnnotation(a)
		if err := r.dispatch(ctx, action, err); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// hosts gives embedded hosts that listen and publish themselves in the demo's
// folder only.
func (d *demo) hosts(ctx context.Context, brief bool) *embedded {
	e := newEmbedded(ctx, brief)
	e.place = filepath.Join(d.dir, "run")
	return e
}

// write copies one of the folders of demoFiles over the work tree.
func (d *demo) write(folder string) error {
	from, err := fs.Sub(demoFiles, "testdata/demo/"+folder)
	if err != nil {
		return err
	}
	return fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		to := filepath.Join(d.root, filepath.FromSlash(name))
		if err != nil || e.IsDir() {
			return errors.Join(err, os.MkdirAll(to, 0o755))
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		// With line feeds, whatever git made of the source on this machine.
		return os.WriteFile(to, []byte(strings.ReplaceAll(string(data), "\r\n", "\n")), 0o644)
	})
}

// git runs a git command in the repository.
func (d *demo) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = d.root
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: install git 2.31 or newer and put it in the PATH", gitrepo.ErrNoGit)
	}
	if err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}
