package session

import (
	"cmp"
	"encoding/json"

	"ahp-lsp/bridge/ahp"
)

// reviewKey names a file whose changes were reviewed. Flags belong to the
// version of the file they were set for: when it changes, the file counts as
// not reviewed, and when it changes back, as reviewed.
type reviewKey struct{ changeset, file string }

func (k reviewKey) compare(l reviewKey) int {
	return cmp.Or(cmp.Compare(k.changeset, l.changeset), cmp.Compare(k.file, l.file))
}

// setReviewed sets the flags of files just computed.
func (s *State) setReviewed(r Ref, files []*File) {
	if r.Kind != KindBranch {
		return
	}
	for i, f := range files {
		if v := s.kept.reviews[reviewKey{r.Kind, f.Diff.Path()}]; v != "" && v == f.Version {
			files[i] = f.withReviewed(true)
		}
	}
}

// Review is what a client's action on reviewed flags comes to.
func (s *State) Review(e ahp.Envelope) Change {
	ref, _ := s.Ref(e.Channel)
	if e.Action.Type != ahp.TypeChangesetFilesReviewChanged {
		return Change{Refusal: e.Action.Type + " cannot be dispatched: of a changeset, only the reviewed flags can"}
	}
	var m struct {
		Files    []string `json:"files"`
		Reviewed *bool    `json:"reviewed"`
	}
	if json.Unmarshal(e.Action.Raw, &m) != nil || m.Reviewed == nil || len(m.Files) == 0 {
		return Change{Refusal: "the action says neither which files nor whether they are reviewed"}
	}
	c := s.open[e.Channel]
	if c == nil {
		return Change{Refusal: "subscribe to the changeset first: a flag marks the version that was reviewed"}
	}
	var records []Record
	versions := map[string]string{}
	for _, id := range m.Files {
		f := c.file(id)
		if f == nil {
			continue
		}
		r := &Review{Changeset: ref.Kind, File: f.Diff.Path()}
		if *m.Reviewed {
			r.Version = f.Version
		}
		versions[id] = r.Version
		records = append(records, Record{Review: r})
	}
	if len(records) == 0 {
		return Change{Refusal: "none of the files is in this changeset (any more)"}
	}
	return Change{Records: records, apply: func(s *State) {
		for _, r := range records {
			s.kept.setReview(r.Review)
		}
		if c := s.open[e.Channel]; c != nil {
			c.setReviewed(versions, *m.Reviewed)
		}
		s.out.echo(e)
	}}
}

// setReviewed sets the flag of files in the state, as the clients do that see the
// action. A file that has become another one meanwhile is computed again, which
// takes the flag back.
func (c *Changeset) setReviewed(versions map[string]string, reviewed bool) {
	files := make([]*File, len(c.files))
	for i, f := range c.files {
		if v, ok := versions[f.ID]; ok {
			c.stale = c.stale || reviewed && v != f.Version
			f = f.withReviewed(reviewed)
		}
		files[i] = f
	}
	c.files = files
}
