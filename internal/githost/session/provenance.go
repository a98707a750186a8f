package session

import (
	"reflect"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// # What a branch switch does to annotations
//
// Nothing is removed or hidden. An annotation remembers the branch, the commit
// and the version of the file (a hash of its bytes on disk) it was made on, and
// has them in its _meta:
//
//	"ahp-lsp": {"branch": "feature", "commit": "…", "version": "…", "otherBranch": true}
//
// otherBranch is there if, and only if, the annotation was made on another
// branch than the current one and the file was then another one than it is now
// (or is not there): its text may be somewhere else, or nowhere. It is decided
// when the branch is switched and when the host starts; editing the file
// afterwards changes nothing. An annotation that is given another place counts
// as made there and then.

// provenanceOf is where an annotation is made that is made now.
func (b *Batch) provenanceOf(a *ahp.Annotation) *Provenance {
	m := &Provenance{Branch: b.branch, Commit: b.commit}
	if rel, ok := b.disk.Relative(a.Resource); ok {
		m.Path = rel
		m.Version = b.disk.Version(rel)
	}
	return m
}

// elsewhere reports whether an annotation is about another branch's version.
func (m *Provenance) elsewhere(disk Disk, branch string) bool {
	return m.Path != "" && m.Branch != branch && m.Version != disk.Version(m.Path)
}

// mark returns the annotation with its provenance in _meta: a itself if it has
// that already.
func (m *Provenance) mark(disk Disk, a *ahp.Annotation, branch string) *ahp.Annotation {
	if m.Path == "" && m.Branch == "" && m.Commit == "" {
		return a
	}
	meta := map[string]any{}
	for key, value := range map[string]string{"branch": m.Branch, "commit": m.Commit, "version": m.Version} {
		if value != "" {
			meta[key] = value
		}
	}
	if m.elsewhere(disk, branch) {
		meta["otherBranch"] = true
	}
	raw := wire.With(a.Meta, MetaKey, meta)
	if reflect.DeepEqual(wire.Parse(raw), wire.Parse(a.Meta)) {
		return a
	}
	c := a.Clone()
	c.Meta = raw
	return c
}

// Recheck decides again which annotations are about another branch's versions,
// and publishes those whose mark is different now. The mark is not kept: it is
// decided at every start. versions are those of the files that annotations are
// about, as far as they have been read.
func (b *Batch) Recheck(versions map[string]string) Change {
	var marked []*ahp.Annotation
	disk := readAhead{b.disk, versions}
	for a := range b.kept.annotations.All() {
		made := b.provenance(a.ID)
		if _, pending := b.changed[a.ID]; pending || made == nil {
			continue
		}
		if next := made.mark(disk, a, b.branch); next != a {
			marked = append(marked, next)
			b.changed[a.ID] = next
		}
	}
	return Change{apply: func(s *State) {
		for _, a := range marked {
			s.kept.annotations.Set(a)
			if set, err := ahp.SetAnnotation(a); err == nil {
				s.out.echo(ahp.Envelope{Channel: s.names.Annotations, Action: set})
			}
		}
	}}
}

// readAhead is a Disk of which some versions have been read.
type readAhead struct {
	Disk
	versions map[string]string
}

func (r readAhead) Version(rel string) string {
	if v, ok := r.versions[rel]; ok {
		return v
	}
	return r.Disk.Version(rel)
}
