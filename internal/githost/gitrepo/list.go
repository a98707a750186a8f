package gitrepo

import (
	"context"
	"fmt"
	"path"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// Dirs lists the directories of the work tree that hold files git cares about: all
// that are not ignored, "." first.
func (r *Repo) Dirs(ctx context.Context) ([]string, error) {
	out, err := r.cmd.Output(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, fmt.Errorf("list the directories of %s: %w", r.cmd.Root, err)
	}
	dirs, seen := []string{"."}, map[string]bool{".": true}
	for name := range splitRecords(out) {
		// A nested repository is listed as its directory.
		dir := path.Dir(strings.TrimSuffix(name, "/"))
		for !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
			dir = path.Dir(dir)
		}
	}
	return dirs, nil
}

// Ignored picks the paths that git ignores. A tracked file never is.
func (r *Repo) Ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	// This command knows no literal pathspecs; what begins with "./" has no magic.
	const here = "./"
	in := strings.NewReader(here + strings.Join(paths, "\x00"+here))
	out, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"check-ignore", "-z", "--stdin"}, Stdin: in, Magic: true})
	if err != nil && gitcmd.ExitCode(err) != 1 { // 1: none is
		return nil, fmt.Errorf("find what git ignores in %s: %w", r.cmd.Root, err)
	}
	ignored := map[string]bool{}
	for name := range splitRecords(out) {
		ignored[strings.TrimPrefix(name, here)] = true
	}
	return ignored, nil
}
