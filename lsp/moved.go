package lsp

import (
	"slices"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// knownPlace is what a comment is about if the host has it at a place.
type knownPlace struct {
	anchor   *mapping.Anchor
	resource string // the host's
	at       *ahp.Range
}

// maxFormer bounds the places that a thread remembers: those of the moves that
// the host has not answered.
const maxFormer = 4

// leaves remembers what the thread is about, before it is moved.
func (t *thread) leaves() {
	if t.anchor == nil {
		return
	}
	t.former = append(slices.Clone(t.former), knownPlace{t.anchor, t.annotation.Resource, t.annotation.Range})
	if len(t.former) > maxFormer {
		t.former = t.former[1:]
	}
}

// isAbout says what the thread is about from now on.
func (t *thread) isAbout(an *mapping.Anchor) { t.anchor, t.placedIn, t.said = an, nil, nil }

// takeOwn: what a comment that was made or moved here is about is known better
// than by the host's range. That holds for the place it was given here; one that
// comes later is somebody else's. old is the thread's value before.
func (s *Server) takeOwn(t, old *thread) {
	own, ok := s.ownAnchors[t.key]
	switch {
	case !ok:
	case sameRange(own.at, t.annotation.Range):
		delete(s.ownAnchors, t.key)
		if t.anchor == nil {
			t.isAbout(own.anchor)
		}
		s.remember(t)
	case old == nil || !sameRange(old.annotation.Range, t.annotation.Range):
		delete(s.ownAnchors, t.key)
	}
}

// movedBack: a move that the host refuses leaves the comment on the code it was
// about. The host's range alone does not say that: it is in a text of long ago.
func (s *Server) movedBack(ch bridge.Rejected) {
	if ch.Action.Type != ahp.TypeAnnotationsUpdated && ch.Action.Type != ahp.TypeAnnotationsSet {
		return
	}
	id, _, _ := ahp.DecodeAnnotationChange(ch.Action) // made here
	t, f, err := s.thread(strings.TrimSuffix(ch.Channel, "/annotations"), id)
	if err != nil || t == nil {
		return
	}
	for _, was := range slices.Backward(t.former) {
		if was.resource == t.annotation.Resource && sameRange(was.at, t.annotation.Range) {
			t.isAbout(was.anchor)
			s.remember(t)
			s.touch(f)
			return
		}
	}
}
