package gitrepo

import (
	"context"
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// Commit commits what is staged or, if nothing is, all changes of tracked files.
// The user's hooks and signing run. ErrNothing without changes or without a
// message, ErrUnmerged with unresolved conflicts.
func (r *Repo) Commit(ctx context.Context, message string) (Outcome, error) {
	r.change.Lock()
	defer r.change.Unlock()
	if strings.TrimSpace(message) == "" {
		return Outcome{}, fmt.Errorf("commit: %w: the message is empty; write one", ErrNothing)
	}
	if p, err := r.Programs(ctx); err != nil {
		return Outcome{}, fmt.Errorf("commit: %w", err)
	} else if p.Held {
		return Outcome{}, fmt.Errorf("commit: %w: this repository names programs that would run (%s); %s", ErrNotAllowed, p, howToAllow)
	}
	s, err := r.readStatus(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("commit: %w", err)
	}
	for p := range s.unmerged {
		return Outcome{}, fmt.Errorf("commit: %s: %w: resolve it and run git add on it", p, ErrUnmerged)
	}
	args := []string{"commit", "--quiet", "-F", "-"}
	staged := r.operation() == "merge" // may end without a change
	for _, on := range s.staged {
		staged = staged || on
	}
	if !staged {
		if len(s.paths) == 0 {
			if len(s.untracked) > 0 {
				return Outcome{}, fmt.Errorf("commit: %w: there are only untracked files; stage those that belong to it", ErrNothing)
			}
			return Outcome{}, fmt.Errorf("commit: %w: there are no changes", ErrNothing)
		}
		args = append(args, "--all")
	}
	if _, err := r.cmd.Run(ctx, gitcmd.Command{Args: args, Stdin: strings.NewReader(message), Own: true}); err != nil {
		return Outcome{}, fmt.Errorf("commit: %w", err)
	}
	out, err := r.cmd.Output(ctx, "log", "-1", "--no-show-signature", "--format=%h %s", "HEAD")
	if err != nil {
		return Outcome{Message: "committed"}, nil
	}
	done := Outcome{Message: "committed " + strings.TrimSpace(string(out))}
	if out, err := r.cmd.Output(ctx, "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", "--no-renames", "HEAD"); err == nil {
		for p := range splitRecords(out) {
			done.Paths = append(done.Paths, p)
		}
	}
	return done, nil
}
