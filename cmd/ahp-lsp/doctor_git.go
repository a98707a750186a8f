package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/fsnotify/fsnotify"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/lsp"
)

// git says what the embedded host would be made from; ok is false if it cannot
// be made.
func (c *checkup) git(ctx context.Context) (ok bool) {
	// Without git another host still does.
	bad := levelFail
	set := envSettings().Over(c.command.settings())
	if set.Host != lsp.HostGit && (set.Host != "" && set.Host != lsp.HostAuto || len(published()) > 0) {
		bad = levelWarn
	}
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		c.add(bad, "git", "install git 2.31 or newer and put it in the PATH", "git cannot be run: %v", err)
		return false
	}
	version := versionPattern.FindString(string(out))
	if !atLeast(version, 2, 31) {
		c.add(bad, "git", "install git 2.31 or newer", "git %s is too old", version)
		return false
	}
	c.add(levelOK, "git", "", "git %s", version)
	repo, err := gitrepo.Open(ctx, c.dir)
	switch {
	case errors.Is(err, gitrepo.ErrNotRepository):
		c.add(levelWarn, "git", "git init, if there is to be one", "%s is in no git work tree: there is no embedded host", c.dir)
		return false
	case errors.Is(err, gitrepo.ErrBare):
		c.add(bad, "git", "go to a work tree of it (git worktree add)", "%v", err)
		return false
	case err != nil:
		c.add(bad, "git", "see whether \"git status\" works here", "%v", err)
		return false
	}
	defer repo.Close()
	c.workTree(ctx, repo)
	return true
}

func (c *checkup) workTree(ctx context.Context, repo *gitrepo.Repo) {
	state, err := repo.State(ctx)
	if err != nil {
		c.add(levelFail, "git", "see whether \"git status\" works here", "the work tree %s: %v", repo.Root(), err)
		return
	}
	where := "on " + state.Branch
	switch {
	case state.Unborn:
		where += ", which has no commit yet"
	case state.Detached:
		where = "detached at " + state.Head[:min(len(state.Head), 10)]
	}
	c.add(levelOK, "git", "", "work tree %s, %s; compared with %s", repo.Root(), where, cmp.Or(state.Upstream, state.DefaultBranch, "HEAD"))
	if state.Operation != "" {
		c.add(levelWarn, "git", giveUp(state.Operation), "a %s is in progress: unresolved files cannot be reverted or staged", state.Operation)
	}
	files, err := repo.Uncommitted(ctx)
	if err != nil {
		c.add(levelFail, "git", "see whether \"git status\" works here", "the changes cannot be listed: %v", err)
	} else {
		c.add(levelOK, "git", "", "%s not committed", count(len(files), "file"))
	}
	if err := watchable(repo.Root()); err != nil {
		c.add(levelWarn, "git", "on Linux, raise fs.inotify.max_user_watches and max_user_instances", "files cannot be watched, and are looked at every two seconds: %v", err)
	} else {
		c.add(levelOK, "git", "", "changes on the disk are noticed at once")
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// watchable tells why a folder cannot be watched.
func watchable(dir string) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	return w.Add(dir)
}

// giveUp is the hint for an operation of git's in progress.
func giveUp(operation string) string {
	if operation == "bisect" {
		return "end it with git bisect reset"
	}
	return fmt.Sprintf("finish it, or give it up with git %s --abort", operation)
}
