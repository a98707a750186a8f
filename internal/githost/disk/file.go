package disk

import (
	"cmp"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
)

// onDisk reports whether a side's content is that of the file on disk. A
// submodule's is the commit it is at, which only git knows.
func onDisk(s *gitrepo.Side) bool { return s.Disk && s.Mode != gitrepo.ModeSubmodule }

// side is one side of a file as it goes over the wire.
func (t *Tree) side(s *gitrepo.Side, binary bool) *ahp.FileSide {
	if s == nil {
		return nil
	}
	w := &ahp.FileSide{URI: t.fileURI(s.Path)}
	if onDisk(s) {
		print := t.prints.of(s.Path)
		size := float64(print.size)
		w.Content = ahp.ContentRef{URI: w.URI, Nonce: print.version, SizeHint: &size}
	} else {
		w.Content = ahp.ContentRef{URI: blobURI(*s), Nonce: s.Blob}
	}
	if binary {
		w.Content.ContentType = "application/octet-stream"
	}
	return w
}

// sideVersion identifies a version of a side.
func (t *Tree) sideVersion(s *gitrepo.Side) string {
	switch {
	case s == nil:
		return "-"
	case onDisk(s):
		return s.Mode + ":" + s.Path + ":" + t.prints.of(s.Path).version
	}
	return s.Mode + ":" + s.Path + ":" + s.Blob
}

// VersionOf identifies the version of a change by what is there now.
func (t *Tree) VersionOf(f *session.File) string {
	if f.Proposed {
		return t.sideVersion(f.Diff.Before)
	}
	return t.sideVersion(f.Diff.Before) + " " + t.sideVersion(f.Diff.After)
}

// File is a changed file as it goes over the wire. review: its changeset has
// reviewed flags.
func (t *Tree) File(d gitrepo.FileDiff, review bool) *session.File {
	f := &session.File{ID: t.fileURI(d.Path()), Diff: d}
	f.Version = t.VersionOf(f)
	f.Encode(t.side(d.Before, d.Binary), t.side(d.After, d.Binary), fileMeta(d), review)
	return f
}

// fileMeta is what the protocol has no place for: what happened to the file
// besides its lines.
func fileMeta(d gitrepo.FileDiff) map[string]any {
	m := map[string]any{"kind": string(d.Kind)}
	if d.Binary {
		m["binary"] = true
	}
	if d.Conflict {
		m["conflict"] = true
	}
	var before, after gitrepo.Side
	if d.Before != nil {
		before = *d.Before
	}
	if d.After != nil {
		after = *d.After
	}
	if before.Mode != "" && after.Mode != "" && before.Mode != after.Mode {
		m["oldMode"], m["mode"] = before.Mode, after.Mode
	}
	switch cmp.Or(after.Mode, before.Mode) {
	case gitrepo.ModeSymlink:
		m["symlink"] = true
	case gitrepo.ModeSubmodule:
		m["submodule"] = true
	}
	return m
}

// ProposedFile is a file as a proposal would make it.
func (t *Tree) ProposedFile(p *session.Patchset, r gitrepo.PatchResult) *session.File {
	f := &session.File{ID: t.fileURI(r.File.Path()), Diff: r.Diff, Proposed: true}
	f.Version = t.VersionOf(f)
	before := t.side(f.Diff.Before, f.Diff.Binary)
	var after *ahp.FileSide
	if s := f.Diff.After; s != nil {
		f.Data = r.AfterData
		version := Hash(f.Data)
		size := float64(len(f.Data))
		after = &ahp.FileSide{URI: t.fileURI(s.Path), Content: ahp.ContentRef{URI: proposalURI(p.ID, s.Path, version), Nonce: version, SizeHint: &size}}
	}
	if r.State == gitrepo.PatchFailed && before != nil {
		after = before // no difference, rather than a deletion
	}
	meta := fileMeta(f.Diff)
	meta["state"] = string(r.State)
	var problems []map[string]any
	for _, q := range r.Problems {
		problem := map[string]any{"reason": q.Reason}
		if q.Line >= 0 {
			problem["line"] = q.Line
		}
		problems = append(problems, problem)
	}
	if len(problems) > 0 {
		meta["problems"] = problems
	}
	if p.Rationale != "" {
		meta["rationale"] = p.Rationale
	}
	f.Encode(before, after, meta, false)
	return f
}
