package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// State reads the branch, its upstream and the operation in progress. An unborn
// branch and a detached HEAD are no errors.
func (r *Repo) State(ctx context.Context) (State, error) {
	var s State
	out, err := r.cmd.Output(ctx, "symbolic-ref", "-q", "HEAD")
	switch {
	case err == nil:
		s.Branch = strings.TrimPrefix(strings.TrimSuffix(string(out), "\n"), "refs/heads/")
	case gitcmd.ExitCode(err) == 1:
		s.Detached = true
	default:
		return s, fmt.Errorf("read the state of %s: %w", r.cmd.Root, err)
	}
	if s.Head, err = r.cmd.Resolve(ctx, "HEAD^{commit}"); err != nil {
		return s, fmt.Errorf("read the state of %s: %w", r.cmd.Root, err)
	}
	s.Unborn = s.Head == "" && !s.Detached
	if err := r.branches(ctx, &s); err != nil {
		return s, fmt.Errorf("read the branches of %s: %w", r.cmd.Root, err)
	}
	s.Operation = r.operation()
	return s, nil
}

// usualDefaults are the names a default branch has where nothing says so.
var usualDefaults = []string{"main", "master", "trunk", "develop"}

// branches finds the upstream and the default branch: what a remote's HEAD
// says (origin's first), else init.defaultBranch or a usual name that exists.
func (r *Repo) branches(ctx context.Context, s *State) error {
	names := usualDefaults
	out, err := r.cmd.Output(ctx, "config", "--get", "init.defaultBranch")
	if err != nil && gitcmd.ExitCode(err) != 1 {
		return err
	}
	if name := strings.TrimSpace(string(out)); name != "" && !strings.ContainsAny(name, "*?[\\ ") {
		names = append([]string{name}, names...)
	}
	args := []string{"for-each-ref", "--format=%(refname)%00%(symref)%00%(upstream)", "refs/remotes/*/HEAD"}
	if s.Branch != "" {
		args = append(args, "refs/heads/"+s.Branch)
	}
	for _, n := range names {
		args = append(args, "refs/heads/"+n, "refs/remotes/origin/"+n)
	}
	if out, err = r.cmd.Output(ctx, args...); err != nil {
		return err
	}
	exists := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(f) != 3 {
			continue
		}
		exists[f[0]] = true
		if s.Branch != "" && f[0] == "refs/heads/"+s.Branch {
			s.Upstream = shortRef(f[2])
		}
		if strings.HasSuffix(f[0], "/HEAD") && f[1] != "" && (s.DefaultBranch == "" || f[0] == "refs/remotes/origin/HEAD") {
			s.DefaultBranch = shortRef(f[1])
		}
	}
	for _, n := range names {
		if s.DefaultBranch != "" {
			break
		}
		if exists["refs/remotes/origin/"+n] {
			s.DefaultBranch = "origin/" + n
		} else if exists["refs/heads/"+n] {
			s.DefaultBranch = n
		}
	}
	return nil
}

func shortRef(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		if s, ok := strings.CutPrefix(ref, prefix); ok {
			return s
		}
	}
	return ref
}

// operation names the unfinished operation by the files git keeps for it.
func (r *Repo) operation() string {
	for _, o := range []struct{ file, name string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.cmd.GitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// Base is the commit from which a branch counts: the merge base of HEAD with the
// branch it will be merged into. That is the upstream if it is another branch (or
// the current one is the default branch), else the default branch, else HEAD.
func (r *Repo) Base(ctx context.Context) (string, error) {
	s, err := r.State(ctx)
	if err != nil {
		return "", err
	}
	if s.Head == "" {
		return r.cmd.EmptyObject("tree"), nil
	}
	// A branch that follows a remote branch of its own name would show only what
	// was not pushed yet, which is not what is reviewed.
	onto := s.DefaultBranch
	sameName := s.Branch != "" && strings.HasSuffix(s.Upstream, "/"+s.Branch)
	onDefault := s.Branch != "" && (s.Branch == s.DefaultBranch || strings.HasSuffix(s.DefaultBranch, "/"+s.Branch))
	if s.Upstream != "" && (!sameName || onDefault) {
		onto = s.Upstream
	}
	for _, name := range []string{onto, s.DefaultBranch} {
		if name == "" || name == s.Branch {
			continue
		}
		for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
			out, err := r.cmd.Output(ctx, "merge-base", "--end-of-options", "HEAD", prefix+name)
			if err == nil {
				return strings.TrimSpace(string(out)), nil
			}
			if code := gitcmd.ExitCode(err); code != 1 && code != 128 { // unrelated; no such ref
				return "", fmt.Errorf("find the merge base with %s: %w", name, err)
			}
		}
	}
	return s.Head, nil
}
