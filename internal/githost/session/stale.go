package session

import (
	"cmp"
	"slices"

	"ahp-lsp/internal/githost/gitrepo"
)

// Dirty is what may have changed since it was last looked at.
type Dirty struct {
	WorkTree  bool // files
	Index     bool
	Head      bool // HEAD, branches, an operation in progress
	Turns     bool
	Patchsets bool
	Undo      bool
}

// Any reports whether there is anything to look at.
func (d Dirty) Any() bool { return d != Dirty{} }

// Or is what either of the two says.
func (d Dirty) Or(e Dirty) Dirty {
	return Dirty{
		WorkTree: d.WorkTree || e.WorkTree, Index: d.Index || e.Index, Head: d.Head || e.Head,
		Turns: d.Turns || e.Turns, Patchsets: d.Patchsets || e.Patchsets, Undo: d.Undo || e.Undo,
	}
}

// Invalidate marks the changesets that a change affects, to be computed again.
func (s *State) Invalidate(d Dirty) {
	for _, c := range s.open {
		c.stale = c.stale || s.turns.affected(d, c.ref)
		if d.Undo && !c.stale {
			s.publishOperations(c)
		}
	}
}

// affected reports whether a change can make a difference to a changeset.
func (ts Turns) affected(d Dirty, r Ref) bool {
	switch r.Kind {
	case KindUncommitted, KindBranch:
		return d.WorkTree || d.Index || d.Head
	case KindStaged:
		return d.Index || d.Head
	case KindSession:
		return d.WorkTree || d.Index || d.Turns
	case KindTurn:
		return d.Turns || (d.WorkTree || d.Index) && ts.isActive(r.ID)
	case KindCompare:
		return d.Turns || (d.WorkTree || d.Index) && ts.isActive(r.Other)
	case KindPatchset:
		return d.WorkTree || d.Patchsets
	}
	return false
}

// computeOrder is in which order changesets are computed, by kind.
var computeOrder = []string{KindUncommitted, KindStaged, KindBranch, KindSession, KindTurn, KindCompare, KindPatchset}

// NextStale is the most wanted changeset that has to be computed: the one that
// was acted on last, which somebody looks at and may act on again. It counts as
// computed from then on; nil if there is none.
func (s *State) NextStale() *Changeset {
	var stale []*Changeset
	for _, c := range s.open {
		if c.stale {
			stale = append(stale, c)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	c := slices.MinFunc(stale, func(a, b *Changeset) int {
		if (a.uri == s.runs.last) != (b.uri == s.runs.last) {
			if a.uri == s.runs.last {
				return -1
			}
			return 1
		}
		return cmp.Or(slices.Index(computeOrder, a.ref.Kind)-slices.Index(computeOrder, b.ref.Kind), cmp.Compare(a.uri, b.uri))
	})
	c.stale = false
	return c
}

// Trees are what a changeset compares; ok is false for those that are computed
// in another way, or that have nothing to compare. A branch's Before is the
// repository's to find: it is empty here.
func (s *State) Trees(r Ref) (t gitrepo.Trees, ok bool) {
	switch r.Kind {
	case KindUncommitted:
		return gitrepo.Trees{Before: gitrepo.HEAD, After: gitrepo.WorkTree}, true
	case KindBranch:
		return gitrepo.Trees{After: gitrepo.WorkTree}, true
	case KindSession:
		if len(s.turns) > 0 {
			return gitrepo.Trees{Before: s.turns[0].Start, After: gitrepo.WorkTree}, true
		}
	case KindTurn:
		if t := s.turns.Find(r.ID); t != nil {
			return gitrepo.Trees{Before: t.Start, After: t.End}, true // an End of "" is the work tree
		}
	case KindCompare:
		a, b := s.turns.Find(r.ID), s.turns.Find(r.Other)
		if a != nil && b != nil && !a.Running() {
			return gitrepo.Trees{Before: a.End, After: b.End}, true
		}
	}
	return gitrepo.Trees{}, false
}
