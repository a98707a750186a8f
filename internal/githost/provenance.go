package githost

import (
	"reflect"

	"ahp-lsp/bridge/ahp"
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
func (b *batch) provenanceOf(a *ahp.Annotation) *provenance {
	m := &provenance{Branch: b.branch, Commit: b.commit}
	if rel, ok := b.h.relative(a.Resource); ok {
		m.Path = rel
		m.Version = b.h.prints.of(rel).version
	}
	return m
}

// elsewhere reports whether an annotation is about another branch's version.
func (m *provenance) elsewhere(h *Host, branch string) bool {
	return m.Path != "" && m.Branch != branch && m.Version != h.prints.of(m.Path).version
}

// mark returns the annotation with its provenance in _meta: a itself if it has
// that already.
func (m *provenance) mark(h *Host, a *ahp.Annotation, branch string) *ahp.Annotation {
	if m.Path == "" && m.Branch == "" && m.Commit == "" {
		return a
	}
	meta := map[string]any{}
	for key, value := range map[string]string{"branch": m.Branch, "commit": m.Commit, "version": m.Version} {
		if value != "" {
			meta[key] = value
		}
	}
	if m.elsewhere(h, branch) {
		meta["otherBranch"] = true
	}
	raw := withMember(a.Meta, metaKey, meta)
	if reflect.DeepEqual(parseMembers(raw), parseMembers(a.Meta)) {
		return a
	}
	c := a.Clone()
	c.Meta = raw
	return c
}

// recheck decides anew which annotations are about another branch's versions.
func (c *committer) recheck() {
	if err := c.add(rechecking{}); err != nil {
		c.h.log.Warningf("after a branch switch: %v", err)
	}
}

type rechecking struct{}

// prepare tells the annotations whose mark is different now. The mark is not
// kept: it is decided again at every start.
func (rechecking) prepare(b *batch) outcome {
	var marked []*ahp.Annotation
	h := b.h
	for a := range h.annotations.All() {
		made := b.provenance(a.ID)
		if _, pending := b.changed[a.ID]; pending || made == nil {
			continue
		}
		if next := made.mark(h, a, b.branch); next != a {
			marked = append(marked, next)
			b.changed[a.ID] = next
		}
	}
	return outcome{apply: func() {
		for _, a := range marked {
			h.annotations.Set(a)
			if set, err := ahp.SetAnnotation(a); err == nil {
				h.publish(h.annotationsURI, set)
			}
		}
	}}
}
