package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// What a comment is about is the text that was there when it was made. So that
// the next start knows that text although the file has changed meanwhile, it is
// stored: texts by their hash, and for each session which comment is about what
// of them. Both are bounded; what is not stored is worked out as for a comment
// that is seen for the first time.

const (
	maxStoredAnchors = 2000    // of one session
	maxStoredText    = 1 << 20 // bytes of one text
)

// StoredAnchor is what one comment is about.
type StoredAnchor struct {
	Text  string    // SHA-256 of the text, in hexadecimal
	Range ahp.Range // the host's, when it was anchored
	Start int       // bytes in the text
	End   int
}

// storedAnchors is what is stored of a session, or will be.
type storedAnchors struct {
	loaded  bool
	anchors map[string]StoredAnchor // by annotation
	texts   map[string]*mapping.Text
	names   map[*mapping.Text]string // of texts
	changed map[string]bool          // annotations set or forgotten since the last write
	writing bool
}

func newStoredAnchors() *storedAnchors {
	return &storedAnchors{
		anchors: map[string]StoredAnchor{}, texts: map[string]*mapping.Text{}, names: map[*mapping.Text]string{}, changed: map[string]bool{},
	}
}

// remember keeps what a thread is about for the next start.
func (w *Workspace) remember(t *Thread) {
	if ses := w.sessions[t.key.Session]; ses != nil && w.editor.remember {
		ses.stored.remember(t)
	}
}

// AnchorsRead gives what is stored of a session's comments. Texts are by their
// SHA-256 in hexadecimal, and have been compared with it.
type AnchorsRead struct {
	Session string
	Anchors map[string]StoredAnchor // by annotation
	Texts   map[string]*mapping.Text
}

func (e AnchorsRead) apply(w *Workspace) {
	ses := w.sessions[e.Session]
	if ses == nil || ses.stored.loaded {
		return
	}
	st := ses.stored
	st.loaded = true
	for id, a := range e.Anchors {
		text := e.Texts[a.Text]
		if _, newer := st.anchors[id]; newer || text == nil || a.Start < 0 || a.Start > a.End || a.End > text.Len() {
			continue
		}
		if own := st.texts[a.Text]; own == nil {
			st.texts[a.Text], st.names[text] = text, a.Text
		}
		st.anchors[id] = a
	}
	w.anchorSession(ses)
}

// remembered is the anchor a comment had in an earlier run, nil if that is not
// known or the host has said another place since.
func (st *storedAnchors) remembered(a *ahp.Annotation) *mapping.Anchor {
	stored, ok := st.anchors[a.ID]
	text := st.texts[stored.Text]
	if !ok || text == nil || a.Range == nil || *a.Range != stored.Range {
		return nil
	}
	an := mapping.NewAnchor(text, mapping.Span{Start: stored.Start, End: stored.End})
	return &an
}

// remember keeps what a comment is about.
func (st *storedAnchors) remember(t *Thread) {
	an := t.anchor
	if an == nil || an.Base == nil || an.WholeFile || t.annotation.Range == nil || an.Base.Len() > maxStoredText {
		return
	}
	old, known := st.anchors[t.key.ID]
	if known && old.Range == *t.annotation.Range && old.Start == an.Span.Start && old.End == an.Span.End && st.texts[old.Text] == an.Base {
		return
	}
	if !known && len(st.anchors) >= maxStoredAnchors {
		return
	}
	name := st.names[an.Base]
	if name == "" {
		sum := sha256.Sum256([]byte(an.Base.String()))
		name = hex.EncodeToString(sum[:])
		if equal := st.texts[name]; equal != nil {
			delete(st.names, equal)
		}
		st.texts[name], st.names[an.Base] = an.Base, name
	}
	st.anchors[t.key.ID] = StoredAnchor{Text: name, Range: *t.annotation.Range, Start: an.Span.Start, End: an.Span.End}
	st.changed[t.key.ID] = true
}

func (st *storedAnchors) forget(id string) {
	if _, ok := st.anchors[id]; ok {
		delete(st.anchors, id)
		st.changed[id] = true
	}
}

// sweep lets go of the texts that no comment is about any more.
func (st *storedAnchors) sweep() {
	used := make(map[string]bool, len(st.texts))
	for _, a := range st.anchors {
		used[a.Text] = true
	}
	maps.DeleteFunc(st.texts, func(name string, _ *mapping.Text) bool { return !used[name] })
	maps.DeleteFunc(st.names, func(_ *mapping.Text, name string) bool { return !used[name] })
}

// writeAnchors wants stored what changed, one write at a time.
func (w *Workspace) writeAnchors() {
	if !w.editor.remember {
		return
	}
	for uri, ses := range w.sessions {
		st := ses.stored
		if !st.loaded || len(st.changed) == 0 || st.writing {
			continue
		}
		st.writing = true
		st.sweep()
		e := WriteAnchors{Session: uri, Set: map[string]StoredAnchor{}, Texts: map[string]*mapping.Text{}}
		for id := range st.changed {
			if a, ok := st.anchors[id]; ok {
				e.Set[id], e.Texts[a.Text] = a, st.texts[a.Text]
			} else {
				e.Forget = append(e.Forget, id)
			}
		}
		clear(st.changed)
		w.want(e)
	}
}

// AnchorsWritten says that a write of a session's anchors has ended.
type AnchorsWritten struct{ Session string }

func (e AnchorsWritten) apply(w *Workspace) {
	if ses := w.sessions[e.Session]; ses != nil {
		ses.stored.writing = false
	}
}

// StoredTexts is how many texts are kept for the comments of a session.
func (w *Workspace) StoredTexts(session string) int {
	if ses := w.sessions[session]; ses != nil {
		return len(ses.stored.texts)
	}
	return 0
}
