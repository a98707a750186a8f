package githost

import (
	"cmp"
	"encoding/json"

	"ahp-lsp/bridge/ahp"
)

// reviewKey names a file whose changes somebody has seen. Flags belong to the
// version of the file they were set for: when it changes, the file counts as
// not reviewed, and when it changes back, as reviewed.
type reviewKey struct{ changeset, file string }

func (k reviewKey) compare(l reviewKey) int {
	return cmp.Or(cmp.Compare(k.changeset, l.changeset), cmp.Compare(k.file, l.file))
}

// reviewed sets the flags of files just computed; h.mu is held.
func (h *Host) reviewed(r changesetRef, files []*changesetFile) {
	if r.kind != kindBranch {
		return
	}
	for i, f := range files {
		if v := h.reviews[reviewKey{r.kind, f.diff.Path()}]; v != "" && v == f.version {
			files[i] = f.markReviewed(true)
		}
	}
}

// setReview remembers a flag, or that it is gone; h.mu is held.
func (h *Host) setReview(r *review) {
	k := reviewKey{r.Changeset, r.File}
	if r.Version == "" {
		delete(h.reviews, k)
	} else {
		h.reviews[k] = r.Version
	}
}

// reviewing is a client's action on reviewed flags.
type reviewing struct {
	h   *Host
	by  *peer
	d   ahp.DispatchParams
	ref changesetRef
}

func (ch *reviewing) prepare(*batch) outcome {
	h := ch.h
	refuse := func(why string) { h.refuse(ch.by, ch.d, why) }
	if ch.d.Action.Type != ahp.TypeChangesetFilesReviewChanged {
		return outcome{refusal: ch.d.Action.Type + " cannot be dispatched: of a changeset, only the reviewed flags can", refuse: refuse}
	}
	var m struct {
		Files    []string `json:"files"`
		Reviewed *bool    `json:"reviewed"`
	}
	if json.Unmarshal(ch.d.Action.Raw, &m) != nil || m.Reviewed == nil || len(m.Files) == 0 {
		return outcome{refusal: "the action says neither which files nor whether they are reviewed", refuse: refuse}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.changesets[ch.d.Channel]
	if c == nil {
		return outcome{refusal: "subscribe to the changeset first: a flag is for the version that has been looked at", refuse: refuse}
	}
	var records []record
	versions := map[string]string{}
	for _, id := range m.Files {
		f := c.file(id)
		if f == nil {
			continue
		}
		r := &review{Changeset: ch.ref.kind, File: f.diff.Path()}
		if *m.Reviewed {
			r.Version = f.version
		}
		versions[id] = r.Version
		records = append(records, record{Review: r})
	}
	if len(records) == 0 {
		return outcome{refusal: "none of the files is in this changeset (any more)", refuse: refuse}
	}
	return outcome{records: records, refuse: refuse, apply: func() {
		for _, r := range records {
			h.setReview(r.Review)
		}
		if c := h.changesets[ch.d.Channel]; c != nil {
			c.review(versions, *m.Reviewed)
		}
		h.emit(ahp.Envelope{Channel: ch.d.Channel, Action: ch.d.Action, Origin: &ahp.ActionOrigin{ClientID: ch.by.id, ClientSeq: ch.d.ClientSeq}})
		h.work.kick()
	}}
}

// review sets the flag of files in the state, as the clients do that see the
// action. A file that has become another one meanwhile is computed again, which
// takes the flag back.
func (c *changeset) review(versions map[string]string, reviewed bool) {
	files := make([]*changesetFile, len(c.files))
	for i, f := range c.files {
		if v, ok := versions[f.id]; ok {
			c.stale = c.stale || reviewed && v != f.version
			f = f.markReviewed(reviewed)
		}
		files[i] = f
	}
	c.files = files
}
