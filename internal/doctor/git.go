package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/fsnotify/fsnotify"

	"ahp-lsp/internal/editor"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/hosts"
	"ahp-lsp/lsp"
)

// git reports on the work tree that the embedded host serves; ok is false if there can
// be no such host.
func (c *checkup) git(ctx context.Context) (ok bool) {
	// Without git another host still does.
	bad := LevelFail
	set := c.settings()
	if set.Host != lsp.HostGit && (set.Host != "" && set.Host != lsp.HostAuto || len(hosts.Published()) > 0) {
		bad = LevelWarn
	}
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		c.add(bad, "git", "install git 2.31 or newer and put it in the PATH", "git cannot be run: %v", err)
		return false
	}
	version := editor.VersionIn(string(out))
	if !editor.AtLeast(version, 2, 31) {
		c.add(bad, "git", "install git 2.31 or newer", "git %s is too old", version)
		return false
	}
	c.add(LevelOK, "git", "", "git %s", version)
	repo, err := gitrepo.Open(ctx, c.Dir)
	switch {
	case errors.Is(err, gitrepo.ErrNotRepository):
		c.add(LevelWarn, "git", "run git init to make one", "%s is in no git work tree: there is no embedded host", c.Dir)
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
		c.add(LevelFail, "git", "see whether \"git status\" works here", "the work tree %s: %v", repo.Root(), err)
		return
	}
	where := "on " + state.Branch
	switch {
	case state.Unborn:
		where += ", which has no commit yet"
	case state.Detached:
		where = "detached at " + state.Head[:min(len(state.Head), 10)]
	}
	c.add(LevelOK, "git", "", "work tree %s, %s; compared with %s", repo.Root(), where, cmp.Or(state.Upstream, state.DefaultBranch, "HEAD"))
	if state.Operation != "" {
		c.add(LevelWarn, "git", giveUp(state.Operation), "a %s is in progress: unresolved files cannot be reverted or staged", state.Operation)
	}
	files, err := repo.Uncommitted(ctx)
	if err != nil {
		c.add(LevelFail, "git", "see whether \"git status\" works here", "the changes cannot be listed: %v", err)
	} else {
		c.add(LevelOK, "git", "", "%s not committed", plural(len(files), "file"))
	}
	if err := watchable(repo.Root()); err != nil {
		c.add(LevelWarn, "git", "on Linux, raise fs.inotify.max_user_watches and max_user_instances", "files cannot be watched; they are checked every two seconds: %v", err)
	} else {
		c.add(LevelOK, "git", "", "changes on disk are noticed at once")
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// watchable says why a folder cannot be watched.
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
