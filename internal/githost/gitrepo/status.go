package gitrepo

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// status is what git status says, as far as it is needed: which paths to look
// at, and what HEAD and the index have there.
type status struct {
	head      string   // commit; "" on an unborn branch
	paths     []string // tracked paths that differ, staged or not
	unmerged  map[string]indexEntry
	untracked []string // files
	nested    []string // untracked repositories, without the final slash
	// What HEAD and the index have at paths, unmerged ones left out.
	committed, indexed map[string]indexEntry
	// The index or the work tree differs from what is below it.
	staged, unstaged map[string]bool
}

func newStatus() *status {
	return &status{unmerged: map[string]indexEntry{}, committed: map[string]indexEntry{}, indexed: map[string]indexEntry{},
		staged: map[string]bool{}, unstaged: map[string]bool{}}
}

// readStatus runs git status once, on everything or on what lies at or below
// some paths. Our own temporary files are left out.
func (r *Repo) readStatus(ctx context.Context, paths ...string) (*status, error) {
	c := gitcmd.Command{Args: []string{"status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames",
		"--ignore-submodules=dirty", "--no-ahead-behind"}}
	if len(paths) > 0 {
		c.Args = append(c.Args, "--")
		for _, p := range paths {
			if r.files.IgnoreCase {
				c.Magic, p = true, ":(literal,icase)"+p
			}
			c.Args = append(c.Args, p)
		}
	}
	out, err := r.cmd.Run(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("read the status of %s: %w", r.cmd.Root, err)
	}
	s := newStatus()
	for rec := range splitRecords(out) {
		if !s.read(rec) {
			return nil, fmt.Errorf("read the status of %s: unexpected line %q", r.cmd.Root, rec)
		}
	}
	return s, nil
}

// read takes one line; it reports whether it was understood.
func (s *status) read(rec string) bool {
	if len(rec) < 3 {
		return true
	}
	switch rec[0] {
	case '#':
		if id, ok := strings.CutPrefix(rec, "# branch.oid "); ok && gitcmd.IsID(id) {
			s.head = id
		}
	case '1': // 1 XY sub mH mI mW hH hI path
		f := strings.SplitN(rec, " ", 9)
		if len(f) != 9 || len(f[1]) != 2 {
			return false
		}
		path := f[8]
		s.paths = append(s.paths, path)
		s.committed[path], s.indexed[path] = statusEntry(f[3], f[6]), statusEntry(f[4], f[7])
		s.staged[path] = f[1][0] != '.'
		s.unstaged[path] = f[1][1] != '.'
	case 'u': // u XY sub m1 m2 m3 mW h1 h2 h3 path
		f := strings.SplitN(rec, " ", 11)
		if len(f) != 11 {
			return false
		}
		path := f[10]
		s.paths = append(s.paths, path)
		s.unmerged[path] = statusEntry(f[4], f[8])
		s.unstaged[path] = true
	case '?':
		path := rec[2:]
		if repo, ok := strings.CutSuffix(path, "/"); ok {
			s.nested = append(s.nested, repo)
		} else if !worktree.IsTempName(path) {
			s.untracked = append(s.untracked, path)
		}
	}
	return true
}

// statusEntry is a mode and an id as git status prints them: zeros are nothing.
func statusEntry(mode, blob string) indexEntry {
	if strings.Trim(mode, "0") == "" {
		return indexEntry{}
	}
	return indexEntry{mode, blob}
}

// all is every path the status names, but for nested repositories.
func (s *status) all() []string { return slices.Concat(s.paths, s.untracked) }

// intents are the paths that only "git add -N" has made known: they are in the
// index, and have nothing there.
func (s *status) intents() map[string]bool {
	paths := map[string]bool{}
	for _, p := range s.paths {
		if _, ok := s.unmerged[p]; !ok && s.unstaged[p] && !s.staged[p] && s.indexed[p].Mode == "" {
			paths[p] = true
		}
	}
	return paths
}

// changedOnDisk is the tracked paths whose file is not what the index has.
func (s *status) changedOnDisk() []string {
	var out []string
	for _, p := range s.paths {
		if s.unstaged[p] {
			out = append(out, p)
		}
	}
	return out
}

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
