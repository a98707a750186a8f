package gitrepo

import (
	"context"
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// What the repository's own configuration would run; see package gitcmd.
type (
	Program  = gitcmd.Program
	Programs = gitcmd.Programs
)

// Programs says which programs the repository's own configuration names, and whether
// they are held back.
func (r *Repo) Programs(ctx context.Context) (Programs, error) {
	p, err := r.cmd.Programs(ctx)
	if err != nil {
		return p, fmt.Errorf("find the programs of %s: %w", r.cmd.Root, err)
	}
	return p, nil
}

// Reconsider asks once more whether the repository's programs may run; see Trust.
func (r *Repo) Reconsider() { r.cmd.Reconsider() }

// howToAllow ends the messages about programs that do not run.
const howToAllow = `allow them with "ahp-lsp trust", or use git in a terminal`

// unfiltered refuses to store or write files for which a filter is held back: what git
// stores and what is on disk would be mixed up.
func (r *Repo) unfiltered(ctx context.Context, paths []string) error {
	p, err := r.Programs(ctx)
	if err != nil {
		return err
	}
	held := p.Filters()
	if len(held) == 0 || len(paths) == 0 {
		return nil
	}
	in := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"check-attr", "-z", "--stdin", "filter"}, Stdin: in})
	if err != nil {
		return fmt.Errorf("read the filters of %d files: %w", len(paths), err)
	}
	var rec []string
	for s := range splitRecords(out) {
		if rec = append(rec, s); len(rec) < 3 {
			continue
		}
		if held[rec[2]] {
			return fmt.Errorf("%s: %w: its filter %q is a program that this repository names (%s); %s", rec[0], ErrNotAllowed, rec[2], p, howToAllow)
		}
		rec = nil
	}
	return nil
}
