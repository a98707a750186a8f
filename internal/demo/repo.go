package demo

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

	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/hosts"
	"ahp-lsp/internal/review"
)

// files are the demo's files, as they were and as the agent left them after each turn.
//
//go:embed testdata/repo
var files embed.FS

// repoName is the name of the demo's repository.
const repoName = "parcel"

// turns are what the agent was asked, and the folders with what it did.
var turns = []struct{ title, files string }{
	{"Add a surcharge for heavy parcels", "turn1"},
	{"End cut labels in an ellipsis; insure for 50 cents at least", "turn2"},
}

// agentComments are the agent's.
var agentComments = []struct{ place, text string }{
	{"price.go:20-22", "I charge this after doubling, so it is the same abroad. The task does not say; should it be doubled too?"},
	{"label.go:11", "This cuts between bytes: a name such as \"Jürgen\" may lose half of a letter. Shall I count letters instead?"},
	{"README.md:10", "This is the price with the surcharge included: 9.99 € and 8.00 €."},
}

// demo is a throw-away repository in which an agent has been at work.
type demo struct {
	Command
	dir  string // holds all that the demo makes; removed at the end
	root string // the work tree
}

// make makes the repository in d.dir.
func (d *demo) make(ctx context.Context) error {
	// Set while git runs a hook; they would lead into that repository.
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"} {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	if err := d.write("before"); err != nil {
		return err
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
			return err
		}
	}
	repo, err := gitrepo.Open(ctx, d.root)
	if err != nil {
		return err
	}
	for _, turn := range turns {
		_, err = githost.StartTurn(ctx, repo, turn.title, "demo")
		if err == nil {
			err = d.write(turn.files)
		}
		if err == nil {
			_, err = githost.EndTurn(ctx, repo)
		}
		if err != nil {
			return errors.Join(err, repo.Close())
		}
	}
	r, err := review.Open(ctx, repo, d.hosts(ctx, true), d.Info)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, comment := range agentComments {
		_, err := r.Add(ctx, review.Draft{Place: filepath.Join(d.root, comment.place), Text: comment.text, Agent: true})
		if err != nil {
			return err
		}
	}
	return nil
}

// hosts gives embedded hosts that listen and publish themselves in the demo's
// folder only.
func (d *demo) hosts(ctx context.Context, brief bool) *hosts.Embedded {
	return hosts.NewEmbedded(ctx, hosts.Options{Info: d.Info, Brief: brief, Dir: filepath.Join(d.dir, "run")})
}

// write copies one of the folders of files over the work tree.
func (d *demo) write(folder string) error {
	from, err := fs.Sub(files, "testdata/repo/"+folder)
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
