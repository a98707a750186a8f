package gitrepo

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ahp-lsp/internal/githost/gitrepo/gitfile"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// Scan compares the work tree again and again for somebody who watches the disk.
// What it has found out once it looks at again only where files were touched, as
// long as that suffices: while the index, git's settings and the rules for
// ignoring files are those of before, and nobody has said Forget.
//
// The one who watches says Watched first, and then names the files that are
// written with Touch, and says Forget when HEAD moves or when it has lost count,
// in each case before it asks for a comparison. Until then, and wherever there is
// a doubt, everything is looked at every time.
type Scan struct {
	repo *Repo

	mu      sync.Mutex
	watched bool
	all     bool // anything may have changed
	touched map[string]bool

	look  sync.Mutex // held while looking; guards the rest
	known *status
	basis basis
	whole time.Time // when everything was looked at
	looks Looks
	kept  []*kept // the newest first
}

// Looks counts how often the disk has been looked at.
type Looks struct{ Whole, Part int }

const (
	// maxTouched is how many paths are looked at one by one. Git holds every
	// entry of its index against each of them.
	maxTouched = 100
	// wholeEvery is how long a look at everything is relied on while things
	// change. It bounds what nobody can watch: another machine that writes to
	// the same file system.
	wholeEvery = time.Minute
)

// rules are the files that say something about others.
var rules = map[string]bool{".gitignore": true, ".gitattributes": true, ".gitmodules": true}

// NewScan begins to look at the work tree for one who watches it.
func (r *Repo) NewScan() *Scan { return &Scan{repo: r, all: true, touched: map[string]bool{}} }

// Watched says whether Touch and Forget name everything that changes from now
// on.
func (s *Scan) Watched(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched, s.all = on, true
}

// Touch says that files may have changed, by their paths in the repository.
func (s *Scan) Touch(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range paths {
		s.touched[p] = true
	}
	s.all = s.all || len(s.touched) > maxTouched
}

// Forget says that anything may have changed.
func (s *Scan) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = true
}

// Looks says how often everything, and how often a part, has been looked at.
func (s *Scan) Looks() Looks {
	s.look.Lock()
	defer s.look.Unlock()
	return s.looks
}

// Compare is Repo.Compare of a tree with the work tree.
func (s *Scan) Compare(ctx context.Context, tree string) ([]FileDiff, error) {
	if tree != HEAD {
		id, err := s.repo.treeOf(ctx, tree)
		if err != nil {
			return nil, err
		}
		tree = id
	}
	s.look.Lock()
	defer s.look.Unlock()
	st, err := s.status(ctx)
	if err != nil {
		return nil, err
	}
	return s.compareKnown(ctx, tree, st)
}

// take returns what has to be looked at and takes it for looked at.
func (s *Scan) take() (touched []string, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	touched, all = slices.Sorted(maps.Keys(s.touched)), s.all || !s.watched
	clear(s.touched)
	s.all = false
	return touched, all
}

func (s *Scan) status(ctx context.Context) (*status, error) {
	touched, all := s.take()
	st, err := s.read(ctx, touched, all)
	if err != nil {
		s.Forget()
		return nil, err
	}
	s.known = st
	return st, nil
}

func (s *Scan) read(ctx context.Context, touched []string, all bool) (*status, error) {
	if !all && s.known != nil && time.Since(s.whole) < wholeEvery && s.basis.holds(s.repo) {
		if len(touched) == 0 {
			return s.known, nil
		}
		st, err := s.part(ctx, touched)
		if st != nil || err != nil {
			return st, err
		}
	}
	s.looks.Whole++
	s.kept = nil
	b, err := readBasis(ctx, s.repo, s.basis)
	if err != nil {
		return nil, err
	}
	at := time.Now()
	st, err := s.repo.readStatus(ctx)
	if err == nil {
		s.basis, s.whole = b, at
	}
	return st, err
}

// part looks at the touched paths, and at nested repositories, whose commits
// change where nobody watches. It returns nil if that does not suffice.
func (s *Scan) part(ctx context.Context, touched []string) (*status, error) {
	paths := slices.Concat(touched, s.basis.links, s.known.nested)
	if len(paths) > maxTouched {
		return nil, nil
	}
	n := 0
	for _, p := range paths {
		if n += len(p) + 20; n > maxPathArgs || rules[path.Base(p)] || gitfile.CheckPath(p) != nil {
			return nil, nil
		}
		if runtime.GOOS == "darwin" && !ascii(p) {
			return nil, nil // git may spell it in another way
		}
	}
	s.looks.Part++
	st, err := s.repo.readStatus(ctx, paths...)
	if err != nil {
		return nil, err
	}
	within := below(paths, s.repo.files.IgnoreCase)
	for _, p := range slices.Concat(st.all(), st.nested) {
		if !within(p) {
			return nil, nil
		}
	}
	if st.head != s.known.head {
		return nil, nil
	}
	st.take(s.known, func(p string) bool { return !within(p) })
	s.touchKept(paths)
	return st, nil
}

// take adds what another status says of the paths to keep.
func (s *status) take(from *status, keep func(string) bool) {
	for _, p := range from.paths {
		if !keep(p) {
			continue
		}
		s.paths = append(s.paths, p)
		if ours, ok := from.unmerged[p]; ok {
			s.unmerged[p] = ours
		} else {
			s.committed[p], s.indexed[p], s.staged[p] = from.committed[p], from.indexed[p], from.staged[p]
		}
		s.unstaged[p] = from.unstaged[p]
	}
	for _, p := range from.untracked {
		if keep(p) {
			s.untracked = append(s.untracked, p)
		}
	}
	for _, p := range from.nested {
		if keep(p) {
			s.nested = append(s.nested, p)
		}
	}
}

// below tells the paths that are, or lie below, one of some paths.
func below(paths []string, ignoreCase bool) func(string) bool {
	spelled := func(p string) string {
		if ignoreCase {
			return strings.ToLower(p)
		}
		return p
	}
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[spelled(p)] = true
	}
	return func(p string) bool {
		for p = spelled(p); p != "."; p = path.Dir(p) {
			if set[p] {
				return true
			}
		}
		return false
	}
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c > 127 }) < 0
}

// sameStat reports that a file, which need not exist, has not been written.
func sameStat(name string, was fs.FileInfo) bool {
	now, err := os.Stat(name)
	if err != nil {
		now = nil
	}
	return worktree.SameFile(was, now)
}
