package gitrepo

import (
	"context"
	"fmt"
	"strings"
)

// status is what git status says, as far as it is needed: which paths to look
// at.
type status struct {
	paths     []string // tracked paths that differ, staged or not; sorted by git
	unmerged  map[string]indexEntry
	untracked []string // files
	nested    []string // untracked repositories, without the final slash
	// The index or the work tree differs from what is below it.
	staged, unstaged map[string]bool
}

// readStatus runs git status once. Our own temporary files are left out.
func (r *Repo) readStatus(ctx context.Context) (*status, error) {
	out, err := r.git(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
		"--ignore-submodules=dirty", "--no-ahead-behind")
	if err != nil {
		return nil, fmt.Errorf("read the status of %s: %w", r.root, err)
	}
	s := &status{unmerged: map[string]indexEntry{}, staged: map[string]bool{}, unstaged: map[string]bool{}}
	for rec := range records(out) {
		if len(rec) < 3 {
			continue
		}
		switch rec[0] {
		case '1': // 1 XY sub mH mI mW hH hI path
			f := strings.SplitN(rec, " ", 9)
			if len(f) != 9 || len(f[1]) != 2 {
				return nil, fmt.Errorf("read the status of %s: unexpected line %q", r.root, rec)
			}
			path := f[8]
			s.paths = append(s.paths, path)
			s.staged[path] = f[1][0] != '.'
			s.unstaged[path] = f[1][1] != '.'
		case 'u': // u XY sub m1 m2 m3 mW h1 h2 h3 path
			f := strings.SplitN(rec, " ", 11)
			if len(f) != 11 {
				return nil, fmt.Errorf("read the status of %s: unexpected line %q", r.root, rec)
			}
			path, ours := f[10], indexEntry{f[4], f[8]}
			if strings.Trim(ours.mode, "0") == "" {
				ours = indexEntry{}
			}
			s.paths = append(s.paths, path)
			s.unmerged[path] = ours
			s.unstaged[path] = true
		case '?':
			path := rec[2:]
			if repo, ok := strings.CutSuffix(path, "/"); ok {
				s.nested = append(s.nested, repo)
			} else if !isTempName(path) {
				s.untracked = append(s.untracked, path)
			}
		}
	}
	return s, nil
}

// all is every path the status names.
func (s *status) all() []string {
	all := make([]string, 0, len(s.paths)+len(s.untracked))
	return append(append(all, s.paths...), s.untracked...)
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
