package session

import (
	"iter"
	"maps"
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// Kept is what the journal keeps: annotations, reviewed flags, stashes and
// verdicts. One goroutine changes it, the committer's, and holds the Host's mutex
// for that; it may read it without, everyone else holds the mutex.
type Kept struct {
	annotations *ahp.Annotations
	made        map[string]*Provenance // of annotations, by id
	reviews     map[reviewKey]string   // the version a file was reviewed in
	stashes     map[string]string      // by turn: the ref that brings back what was taken
	decided     map[string]Decision    // by patchset
}

func newKept() *Kept {
	return &Kept{
		annotations: ahp.NewAnnotations(), made: map[string]*Provenance{},
		reviews: map[reviewKey]string{}, stashes: map[string]string{}, decided: map[string]Decision{},
	}
}

// Annotation is the annotation with an id, nil if there is none.
func (k *Kept) Annotation(id string) *ahp.Annotation { return k.annotations.Get(id) }

// AnnotationCount is how many annotations there are.
func (k *Kept) AnnotationCount() int { return k.annotations.Len() }

// Annotations are all annotations, which are replaced, never changed.
func (k *Kept) Annotations() []*ahp.Annotation {
	items := make([]*ahp.Annotation, 0, k.annotations.Len())
	for a := range k.annotations.All() {
		items = append(items, a)
	}
	return items
}

// Paths are the files of the work tree that annotations are about.
func (k *Kept) Paths() []string {
	paths := map[string]bool{}
	for _, m := range k.made {
		if m.Path != "" {
			paths[m.Path] = true
		}
	}
	return slices.Collect(maps.Keys(paths))
}

// summary is the annotations channel as the session has it.
func (k *Kept) summary(channel string) map[string]any {
	entries := 0
	for a := range k.annotations.All() {
		entries += len(a.Entries)
	}
	return map[string]any{"resource": channel, "annotationCount": k.annotations.Len(), "entryCount": entries}
}

// Stash is the ref that brings back what was taken away of a turn, "" if nothing
// was.
func (k *Kept) Stash(turn string) string { return k.stashes[turn] }

// Stashes are, by turn, the refs that bring back what was taken away of it.
func (k *Kept) Stashes() map[string]string { return maps.Clone(k.stashes) }

// Len is how many records count.
func (k *Kept) Len() int {
	return k.annotations.Len() + len(k.reviews) + len(k.stashes) + len(k.decided)
}

// Records yields the records that count.
func (k *Kept) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for a := range k.annotations.All() {
			if !yield(Record{Set: a, Made: k.made[a.ID]}) {
				return
			}
		}
		for _, key := range slices.SortedFunc(maps.Keys(k.reviews), reviewKey.compare) {
			if !yield(Record{Review: &Review{Changeset: key.changeset, File: key.file, Version: k.reviews[key]}}) {
				return
			}
		}
		for _, turn := range slices.Sorted(maps.Keys(k.stashes)) {
			if !yield(Record{Stash: &Stash{Turn: turn, Undo: k.stashes[turn]}}) {
				return
			}
		}
		for _, id := range slices.Sorted(maps.Keys(k.decided)) {
			if d := k.decided[id]; !yield(Record{Decision: &d}) {
				return
			}
		}
	}
}

// restore takes one record of an earlier life, when the work tree may have been
// elsewhere and the session called otherwise.
func (k *Kept) restore(r Record, names Names) {
	switch {
	case r.Set != nil:
		a, made := names.withOrigin(r.Set), r.Made
		if made == nil {
			made = &Provenance{}
		}
		if made.Path != "" {
			if uri := wire.FileURI(names.Dir, made.Path); uri != a.Resource {
				a = a.Clone()
				a.Resource = uri
			}
		}
		k.annotations.Set(a)
		k.made[a.ID] = made
	case r.Removed != "":
		k.annotations.Remove(r.Removed)
		delete(k.made, r.Removed)
	case r.Review != nil:
		k.setReview(r.Review)
	case r.Stash != nil:
		k.setStash(r.Stash)
	case r.Decision != nil:
		k.decided[r.Decision.Patchset] = *r.Decision
	}
}

func (k *Kept) setReview(r *Review) {
	key := reviewKey{r.Changeset, r.File}
	if r.Version == "" {
		delete(k.reviews, key)
	} else {
		k.reviews[key] = r.Version
	}
}

func (k *Kept) setStash(s *Stash) {
	if s.Undo == "" {
		delete(k.stashes, s.Turn)
	} else {
		k.stashes[s.Turn] = s.Undo
	}
}

// Restore takes the records of an earlier life, when the host starts.
func (s *State) Restore(records []Record, disk Disk) {
	for _, r := range records {
		s.kept.restore(r, s.names)
	}
	for id, m := range s.kept.made {
		if a := s.kept.annotations.Get(id); a != nil {
			s.kept.annotations.Set(m.mark(disk, a, s.git.Branch))
		}
	}
}

// Change is what something that is to be kept comes to: records to make durable,
// and what to do to the state once they are.
type Change struct {
	Refusal string // why it is not taken; "": it is
	Records []Record
	apply   func(*State)
}

// Apply makes the change and publishes it.
func (c Change) Apply(s *State) {
	if c.apply != nil {
		c.apply(s)
	}
}

// SetStash is the change that remembers what brings a turn's changes back, or
// that they are back.
func SetStash(turn, undo string) Change {
	stash := &Stash{Turn: turn, Undo: undo}
	return Change{Records: []Record{{Stash: stash}}, apply: func(s *State) { s.kept.setStash(stash) }}
}

// Decide is the change that records a verdict and takes the proposal out of the
// catalogue.
func Decide(d Decision) Change {
	return Change{Records: []Record{{Decision: &d}}, apply: func(s *State) {
		s.kept.decided[d.Patchset] = d
		s.catalogueChanged()
	}}
}
