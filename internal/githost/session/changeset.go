package session

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// Kinds of changesets.
const (
	KindUncommitted = "uncommitted"
	KindStaged      = "staged"
	KindBranch      = "branch"
	KindSession     = "session"
	KindTurn        = "turn"
	KindCompare     = "compare-turns"
	KindPatchset    = "patchset"
)

// Ref is what a changeset's URI says.
type Ref struct {
	Kind  string
	ID    string // of a turn or a patchset
	Other string // the later turn of a comparison
}

// Changeset is one that somebody is subscribed to. Only those are computed, and
// kept up when the disk changes. Files and operations are replaced, never changed.
type Changeset struct {
	uri  string
	ref  Ref
	born int64 // serverSeq from which on the state has been kept up

	stale  bool // has to be computed (again)
	status string
	err    *ahp.ErrorInfo

	files      []*File // in the order in which clients have them
	operations []*Operation
}

// Ref is what the changeset's URI says.
func (c *Changeset) Ref() Ref { return c.ref }

// Ref reads a changeset's URI. It is none if it names a turn or a patchset that
// does not exist.
func (s *State) Ref(uri string) (Ref, bool) {
	rest, ok := strings.CutPrefix(uri, s.names.Session+"/changeset/")
	if !ok {
		return Ref{}, false
	}
	switch rest {
	case KindUncommitted, KindStaged, KindBranch, KindSession:
		return Ref{Kind: rest}, true
	}
	parts := strings.Split(rest, "/")
	for i := range parts {
		if p, err := url.PathUnescape(parts[i]); err == nil {
			parts[i] = p
		}
	}
	switch {
	case len(parts) == 2 && parts[0] == "turn" && s.turns.Find(parts[1]) != nil:
		return Ref{Kind: KindTurn, ID: parts[1]}, true
	case len(parts) == 3 && parts[0] == "compare" && s.turns.Find(parts[1]) != nil && s.turns.Find(parts[2]) != nil:
		return Ref{Kind: KindCompare, ID: parts[1], Other: parts[2]}, true
	case len(parts) == 2 && parts[0] == "patchset" && s.proposals.exists(parts[1]):
		return Ref{Kind: KindPatchset, ID: parts[1]}, true
	}
	return Ref{}, false
}

// Exists reports whether a channel can be subscribed to.
func (s *State) Exists(uri string) bool {
	switch uri {
	case ahp.RootURI, s.names.Session, s.names.Chat, s.names.Annotations:
		return true
	}
	_, ok := s.Ref(uri)
	return ok
}

// Continuous reports whether a channel's state has been kept up without a gap
// since a serverSeq, so that replaying what was missed gives the state of today.
// Changesets that nobody looks at are not kept up.
func (s *State) Continuous(uri string, since int64) bool {
	if _, ok := s.Ref(uri); !ok {
		return true
	}
	c := s.open[uri]
	return c != nil && c.born <= since
}

// Open is the state of a changeset's channel. If nobody was looking at it before,
// it has to be computed first: fresh is true then. seq is the newest serverSeq.
func (s *State) Open(uri string, seq int64) (state map[string]any, fresh bool, err *ahp.Error) {
	if c := s.open[uri]; c != nil {
		return c.state(), false, nil
	}
	ref, ok := s.Ref(uri)
	if !ok {
		if strings.Contains(uri, "/changeset/") {
			return nil, false, wire.Errorf(ahp.CodeNoSession, "Changeset not found: %s", uri)
		}
		return nil, false, wire.Errorf(ahp.CodeNoSession, "Session not found: %s", uri)
	}
	c := &Changeset{uri: uri, ref: ref, born: seq, stale: true, status: ahp.ChangesetComputing, files: []*File{}}
	s.open[uri] = c
	return c.state(), true, nil
}

// Changesets are those that somebody looks at, by URI.
type Changesets map[string]*Changeset

// Close forgets the changesets that nobody is subscribed to.
func (cs Changesets) Close(subscribed func(uri string) bool) {
	for uri := range cs {
		if !subscribed(uri) {
			delete(cs, uri)
		}
	}
}

// state is the channel's state, of values that are not changed later.
func (c *Changeset) state() map[string]any {
	m := map[string]any{"status": c.status, "files": c.files}
	if c.err != nil {
		m["error"] = c.err
	}
	if len(c.operations) > 0 {
		m["operations"] = c.operations
	}
	return m
}

func (c *Changeset) file(id string) *File {
	for _, f := range c.files {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// fewChanges is up to how many files are published one by one.
const fewChanges = 16

// SetFiles makes the computed files the state and publishes the difference. It
// does nothing if nobody looks at the changeset any more. The first files are
// published before the status: a client must not take a changeset that is being
// computed for an empty one.
func (s *State) SetFiles(c *Changeset, files []*File) {
	if s.open[c.uri] != c {
		return
	}
	s.setReviewed(c.ref, files)
	kept, set, removed := c.merge(files)
	first := c.status == ahp.ChangesetComputing
	switch {
	case len(set)+len(removed) == 0 && !first:
		c.files = kept
	case first || len(set)+len(removed) > fewChanges:
		c.files = files
		c.operations = s.operations(c)
		s.out.publish(c.uri, ahp.TypeChangesetContentChanged, map[string]any{"files": files, "operations": c.operations})
	default:
		c.files = kept
		for _, id := range removed {
			s.out.publish(c.uri, ahp.TypeChangesetFileRemoved, map[string]any{"fileId": id})
		}
		for _, f := range set {
			s.out.publish(c.uri, ahp.TypeChangesetFileSet, map[string]any{"file": f})
		}
	}
	c.setStatus(&s.out, ahp.ChangesetReady, nil)
	s.publishOperations(c)
}

// merge puts computed files in the order clients will have them in: what they
// have keeps its place, what is new goes to the end. set are those that are new
// or different, removed the ids of those that are gone.
func (c *Changeset) merge(files []*File) (merged, set []*File, removed []string) {
	had := make(map[string]*File, len(c.files))
	for _, f := range c.files {
		had[f.ID] = f
	}
	merged = make([]*File, 0, len(files))
	now := make(map[string]*File, len(files))
	for _, f := range files {
		now[f.ID] = f
		if old := had[f.ID]; old == nil || !bytes.Equal(old.raw, f.raw) {
			set = append(set, f)
		}
	}
	for _, f := range c.files {
		if n := now[f.ID]; n != nil {
			merged = append(merged, n)
			delete(now, f.ID)
		} else {
			removed = append(removed, f.ID)
		}
	}
	for _, f := range files {
		if now[f.ID] != nil {
			merged = append(merged, f)
		}
	}
	return merged, set, removed
}

// SetError is called when a changeset cannot be computed; the files stay as they were
// last known.
func (s *State) SetError(c *Changeset, err error) {
	if s.open[c.uri] != c {
		return
	}
	c.setStatus(&s.out, ahp.ChangesetError, &ahp.ErrorInfo{Type: "git", Message: err.Error()})
	s.publishOperations(c)
}

// setStatus publishes a status, if it is another one.
func (c *Changeset) setStatus(out *outbox, status string, info *ahp.ErrorInfo) {
	same := c.status == status && (c.err == nil) == (info == nil) && (info == nil || *c.err == *info)
	if same {
		return
	}
	c.status, c.err = status, info
	m := map[string]any{"status": status}
	if info != nil {
		m["error"] = info
	}
	out.publish(c.uri, ahp.TypeChangesetStatusChanged, m)
}

// publishOperations publishes the operations on offer, if they are others.
func (s *State) publishOperations(c *Changeset) {
	now := s.operations(c)
	if slices.EqualFunc(now, c.operations, func(a, b *Operation) bool { return a.same(b) }) {
		return
	}
	c.operations = now
	s.out.publish(c.uri, ahp.TypeChangesetOperationsChanged, map[string]any{"operations": now})
}
