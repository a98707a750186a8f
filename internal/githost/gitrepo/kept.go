package gitrepo

import (
	"context"
	"slices"
	"strings"
)

// kept is what a comparison of a tree with the work tree has found. While only some
// files are written, it holds for the others, so that a comparison costs what was
// touched and not what has changed.
type kept struct {
	tree, head string // head is HEAD's commit
	files      []FileDiff
	many       bool     // there were too many untracked files to count their lines
	touched    []string // looked at again since
}

const (
	// maxKept is for how many trees a Scan remembers what it found: HEAD, the
	// branch's base, the starts of some turns.
	maxKept = 4
	// maxKeptTouched is how many paths may be looked at again before everything is
	// compared once more.
	maxKeptTouched = 10 * maxTouched
)

// touchKept takes note of what was looked at again.
func (s *Scan) touchKept(paths []string) {
	for _, k := range s.kept {
		k.touched = append(k.touched, paths...)
	}
	s.kept = slices.DeleteFunc(s.kept, func(k *kept) bool { return len(k.touched) > maxKeptTouched })
}

// compareKnown is compareStatus, of what was touched if the rest is known.
func (s *Scan) compareKnown(ctx context.Context, tree string, st *status) ([]FileDiff, error) {
	many := len(st.untracked) > maxCounted
	i := slices.IndexFunc(s.kept, func(k *kept) bool { return k.tree == tree })
	var old *kept
	if i >= 0 {
		old = s.kept[i]
		s.kept = slices.Delete(s.kept, i, i+1)
	}
	var files []FileDiff
	var err error
	if old != nil && old.head == st.head && old.many == many {
		files, err = s.update(ctx, old, st)
	} else {
		files, err = s.repo.compareStatus(ctx, tree, st, nil)
	}
	if err != nil {
		return nil, err
	}
	s.kept = slices.Insert(s.kept, 0, &kept{tree: tree, head: st.head, files: files, many: many})
	s.kept = s.kept[:min(len(s.kept), maxKept)]
	return slices.Clone(files), nil
}

// update compares what was touched. Files that have come and files that have gone may
// be renamings of each other, which depends on all of them: if one of these is touched,
// all are compared.
func (s *Scan) update(ctx context.Context, old *kept, st *status) ([]FileDiff, error) {
	if len(old.touched) == 0 {
		return old.files, nil
	}
	within := below(old.touched, s.repo.files.IgnoreCase)
	var stay, pairs []FileDiff
	alone := true // none of pairs is touched
	for _, f := range old.files {
		hit := f.Before != nil && within(f.Before.Path) || f.After != nil && within(f.After.Path)
		switch {
		case !inPlace(f):
			pairs = append(pairs, f)
			alone = alone && !hit
		case !hit:
			stay = append(stay, f)
		}
	}
	if alone {
		found, err := s.repo.compareStatus(ctx, old.tree, st, slices.Concat(stay, pairs))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(found, func(f FileDiff) bool { return !inPlace(f) }) {
			return sorted(slices.Concat(stay, pairs, found)), nil
		}
	}
	found, err := s.repo.compareStatus(ctx, old.tree, st, stay)
	if err != nil {
		return nil, err
	}
	return sorted(slices.Concat(stay, found)), nil
}

// inPlace reports the change of a file that is there on both sides: it has no part in
// a renaming.
func inPlace(f FileDiff) bool {
	return f.Before != nil && f.After != nil && f.Before.Path == f.After.Path && f.Kind != TypeChange && f.Kind != Submodule
}

func sorted(files []FileDiff) []FileDiff {
	slices.SortFunc(files, func(a, b FileDiff) int { return strings.Compare(a.Path(), b.Path()) })
	return files
}
