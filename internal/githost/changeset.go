package githost

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// Kinds of changesets.
const (
	kindUncommitted = "uncommitted"
	kindStaged      = "staged"
	kindBranch      = "branch"
	kindSession     = "session"
	kindTurn        = "turn"
	kindCompare     = "compare-turns"
	kindPatchset    = "patchset"
)

// changesetRef is what a changeset's URI says.
type changesetRef struct {
	kind  string
	id    string // of a turn or a patchset
	other string // the later turn of a comparison
}

// changeset is one that somebody is subscribed to. Only those are computed, and
// kept up when the disk changes; h.mu guards it. Files and operations are
// replaced, never changed.
type changeset struct {
	uri  string
	ref  changesetRef
	born int64 // serverSeq from which on the state has been kept up

	stale  bool // has to be computed (again)
	status string
	err    *ahp.ErrorInfo

	files      []*changesetFile // in the order in which clients have them
	operations []*operation
}

// changesetFile is a file as it goes over the wire, and what the host knows of
// it.
type changesetFile struct {
	id      string
	diff    gitrepo.FileDiff
	version string          // of both sides: see versionOf
	raw     json.RawMessage // as it is sent

	// Of a patchset's file: what is after the change is not on disk.
	proposed bool
	data     []byte // the proposed content
}

func (f *changesetFile) MarshalJSON() ([]byte, error) { return f.raw, nil }

// parseChangeset reads a changeset's URI. It is none if it names a turn or a
// patchset that does not exist; h.mu is held.
func (h *Host) parseChangeset(uri string) (changesetRef, bool) {
	rest, ok := strings.CutPrefix(uri, h.session+"/changeset/")
	if !ok {
		return changesetRef{}, false
	}
	switch rest {
	case kindUncommitted, kindStaged, kindBranch, kindSession:
		return changesetRef{kind: rest}, true
	}
	parts := strings.Split(rest, "/")
	for i := range parts {
		if p, err := url.PathUnescape(parts[i]); err == nil {
			parts[i] = p
		}
	}
	switch {
	case len(parts) == 2 && parts[0] == "turn" && h.turn(parts[1]) != nil:
		return changesetRef{kind: kindTurn, id: parts[1]}, true
	case len(parts) == 3 && parts[0] == "compare" && h.turn(parts[1]) != nil && h.turn(parts[2]) != nil:
		return changesetRef{kind: kindCompare, id: parts[1], other: parts[2]}, true
	case len(parts) == 2 && parts[0] == "patchset" && h.patchset(parts[1]) != nil:
		return changesetRef{kind: kindPatchset, id: parts[1]}, true
	}
	return changesetRef{}, false
}

// changeset finds the changeset of a URI and has it computed if nobody was
// looking at it before; h.mu is held.
func (h *Host) changeset(uri string) (*changeset, *ahp.Error) {
	if c := h.changesets[uri]; c != nil {
		return c, nil
	}
	ref, ok := h.parseChangeset(uri)
	if !ok {
		if strings.Contains(uri, "/changeset/") {
			return nil, fail(ahp.CodeNoSession, "Changeset not found: %s", uri)
		}
		return nil, fail(ahp.CodeNoSession, "Session not found: %s", uri)
	}
	c := &changeset{uri: uri, ref: ref, born: h.seq, stale: true, status: ahp.ChangesetComputing, files: []*changesetFile{}}
	h.changesets[uri] = c
	h.work.kick()
	return c, nil
}

// changesetsLeft forgets the changesets that nobody is subscribed to any more;
// h.mu is held.
func (h *Host) changesetsLeft() {
	for uri := range h.changesets {
		watched := false
		for p := range h.peers {
			watched = watched || p.subscribed[uri]
		}
		if !watched {
			delete(h.changesets, uri)
		}
	}
}

// state is the channel's state, of values that are not changed later.
func (c *changeset) state() map[string]any {
	m := map[string]any{"status": c.status, "files": c.files}
	if c.err != nil {
		m["error"] = c.err
	}
	if len(c.operations) > 0 {
		m["operations"] = c.operations
	}
	return m
}

func (c *changeset) file(id string) *changesetFile {
	for _, f := range c.files {
		if f.id == id {
			return f
		}
	}
	return nil
}

// fewChanges is up to how many files are told one by one.
const fewChanges = 16

// take makes the computed files the state and tells what is different; h.mu is
// held. The first files are told before the status: a client must not take a
// changeset that is being computed for an empty one.
func (h *Host) take(c *changeset, files []*changesetFile) {
	had := make(map[string]*changesetFile, len(c.files))
	for _, f := range c.files {
		had[f.id] = f
	}
	next := make([]*changesetFile, 0, len(files))
	var set []*changesetFile
	now := make(map[string]*changesetFile, len(files))
	for _, f := range files {
		now[f.id] = f
		if old := had[f.id]; old == nil || !bytes.Equal(old.raw, f.raw) {
			set = append(set, f)
		}
	}
	// What a client has keeps its place, what is new goes to the end.
	var removed []string
	for _, f := range c.files {
		if n := now[f.id]; n != nil {
			next = append(next, n)
			delete(now, f.id)
		} else {
			removed = append(removed, f.id)
		}
	}
	for _, f := range files {
		if now[f.id] != nil {
			next = append(next, f)
		}
	}
	first := c.status == ahp.ChangesetComputing
	switch {
	case len(set)+len(removed) == 0 && !first:
		c.files = next
	case first || len(set)+len(removed) > fewChanges:
		c.files = files
		c.operations = h.operations(c)
		h.publish(c.uri, action(ahp.TypeChangesetContentChanged, map[string]any{"files": files, "operations": c.operations}))
	default:
		c.files = next
		for _, id := range removed {
			h.publish(c.uri, action(ahp.TypeChangesetFileRemoved, map[string]any{"fileId": id}))
		}
		for _, f := range set {
			h.publish(c.uri, action(ahp.TypeChangesetFileSet, map[string]any{"file": f}))
		}
	}
	h.setStatus(c, ahp.ChangesetReady, nil)
	h.tellOperations(c)
}

// failed takes that a changeset cannot be computed; the files stay as they were
// last known. h.mu is held.
func (h *Host) failed(c *changeset, err error) {
	h.setStatus(c, ahp.ChangesetError, &ahp.ErrorInfo{Type: "git", Message: err.Error()})
	h.tellOperations(c)
}

func (h *Host) setStatus(c *changeset, status string, info *ahp.ErrorInfo) {
	same := c.status == status && (c.err == nil) == (info == nil) && (info == nil || *c.err == *info)
	if same {
		return
	}
	c.status, c.err = status, info
	m := map[string]any{"status": status}
	if info != nil {
		m["error"] = info
	}
	h.publish(c.uri, action(ahp.TypeChangesetStatusChanged, m))
}

// tellOperations tells the operations on offer, if they are others; h.mu is
// held.
func (h *Host) tellOperations(c *changeset) {
	now := h.operations(c)
	if slices.EqualFunc(now, c.operations, func(a, b *operation) bool { return a.same(b) }) {
		return
	}
	c.operations = now
	h.publish(c.uri, action(ahp.TypeChangesetOperationsChanged, map[string]any{"operations": now}))
}
