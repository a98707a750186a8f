package session

import (
	"encoding/json"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/wire"
)

// File is a file of a changeset as it goes over the wire, and what the host knows
// of it. It is not changed once it is in a changeset.
type File struct {
	ID      string
	Diff    gitrepo.FileDiff
	Version string // of both sides: another one if either is different

	// Of a patchset's file: what is after the change is not on disk.
	Proposed bool
	Data     []byte // the proposed content

	raw json.RawMessage // as it is sent
}

// MarshalJSON is the file as the protocol has it.
func (f *File) MarshalJSON() ([]byte, error) { return f.raw, nil }

// Encode makes what is sent of a file. review: the changeset has flags; they are
// set later.
func (f *File) Encode(before, after *ahp.FileSide, meta map[string]any, review bool) {
	edit := map[string]any{"diff": map[string]int{"added": f.Diff.Added, "removed": f.Diff.Removed}}
	if before != nil {
		edit["before"] = before
	}
	if after != nil {
		edit["after"] = after
	}
	m := map[string]any{"id": f.ID, "edit": edit, "_meta": map[string]any{MetaKey: meta}}
	if review {
		m["reviewed"] = false
	}
	raw, err := ahp.Marshal(m)
	if err != nil {
		panic("session: " + err.Error()) // strings and numbers
	}
	f.raw = raw
}

// withReviewed is the file with the flag in what is sent.
func (f *File) withReviewed(reviewed bool) *File {
	next := *f
	next.raw = wire.With(f.raw, "reviewed", reviewed)
	return &next
}

// Shown is the file at a path, on either side, as clients of a changeset know it.
// computed is false where they know nothing yet.
func (cs Changesets) Shown(uri, rel string) (f *File, computed bool) {
	c := cs[uri]
	if c == nil || c.status != ahp.ChangesetReady {
		return nil, false
	}
	for _, g := range c.files {
		if g.Diff.Path() == rel || g.Diff.Before != nil && g.Diff.Before.Path == rel {
			f = g
		}
	}
	return f, true
}

// Files are the files of a changeset that somebody looks at.
func (cs Changesets) Files(uri string) []*File {
	if c := cs[uri]; c != nil {
		return c.files
	}
	return nil
}
