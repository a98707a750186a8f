package workspace

import (
	"errors"
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// ThreadKey names a comment: the URI of its session, and its id there.
type ThreadKey struct{ Session, ID string }

// Thread is an annotation in its file.
type Thread struct {
	key        ThreadKey
	annotation *ahp.Annotation
	order      int             // when it was first seen: older threads come first
	anchor     *mapping.Anchor // nil until the text it is about is known
	seenMade   bool            // it was made just now: it is about the text on disk
	noTurnText bool            // the text after its turn is not known
	former     []knownPlace    // what it was about before it was moved here, latest last
	placed     mapping.Placement
	placedIn   *mapping.Text
	memo       any // see Memo
}

// Key names the thread.
func (t *Thread) Key() ThreadKey { return t.key }

// Annotation is what the host has. It is immutable.
func (t *Thread) Annotation() *ahp.Annotation { return t.annotation }

// Anchor is what the thread is about, nil while that is not known.
func (t *Thread) Anchor() *mapping.Anchor { return t.anchor }

// Memo is what make returned when it was called last for this thread with this
// key. A view keeps there what is costly to make, and depends on nothing but the
// key, the annotation and the anchor. It holds while the file is open.
func Memo[K comparable, V any](f *File, t *Thread, key K, make func() V) V {
	type entry struct {
		key   K
		value V
	}
	if e, ok := t.memo.(entry); ok && e.key == key {
		return e.value
	}
	v := make()
	if f.doc != nil {
		t.memo = entry{key, v}
	}
	return v
}

// setAnchor says what the thread is about from now on.
func (t *Thread) setAnchor(an *mapping.Anchor) { t.anchor, t.placedIn, t.memo = an, nil, nil }

// Unsettled reports whether it is still being read what one of the file's threads
// is about. It takes a moment only, in which the file is not shown without that
// thread.
func (f *File) Unsettled() bool {
	if !f.reading {
		return false
	}
	for _, t := range f.threads {
		if t.anchor == nil {
			return true
		}
	}
	return false
}

// Place finds a thread in the text the user sees. ok is false while it is not
// known what the thread is about.
func (f *File) Place(t *Thread, text *mapping.Text) (p mapping.Placement, ok bool) {
	if t.anchor == nil {
		return mapping.Placement{}, false
	}
	if t.placedIn != text {
		t.placed, t.placedIn = f.track(text).Place(*t.anchor), text
	}
	return t.placed, true
}

// PlacedThread is a thread with its place in a text.
type PlacedThread struct {
	*Thread
	Place mapping.Placement
}

// PlacedThreads are the file's threads that are shown, in the order of their
// places.
func (w *Workspace) PlacedThreads(f *File, text *mapping.Text) []PlacedThread {
	out := make([]PlacedThread, 0, len(f.threads))
	for _, t := range f.threads {
		if t.annotation.Resolved && !w.editor.settings.ShowResolved {
			continue
		}
		if p, ok := f.Place(t, text); ok {
			out = append(out, PlacedThread{t, p})
		}
	}
	slices.SortFunc(out, func(a, b PlacedThread) int {
		if d := a.Place.Span.Start - b.Place.Span.Start; d != 0 {
			return d
		}
		if d := a.Place.Span.End - b.Place.Span.End; d != 0 {
			return d
		}
		return a.order - b.order
	})
	return out
}

// Lines are the lines a thread is shown on.
func (p PlacedThread) Lines(text *mapping.Text) mapping.LineRange {
	first := text.LineAt(p.Place.Span.Start)
	last := first
	if p.Place.Span.End > p.Place.Span.Start {
		last = text.LineAt(p.Place.Span.End - 1)
	}
	return mapping.LineRange{Start: first, End: last + 1}
}

// errNoComment: the host has no comment of that id, or has removed it.
var errNoComment = errors.New("the comment no longer exists")

// Thread looks a comment up and says in which file it is shown. Errors: the
// session is not followed, or has no such comment.
func (w *Workspace) Thread(session, id string) (*Thread, *File, error) {
	w.guard()
	ses := w.sessions[session]
	if ses == nil {
		return nil, nil, errNotFollowed(session)
	}
	f := ses.threads[id]
	if f == nil {
		return nil, nil, errNoComment
	}
	return f.threads[ThreadKey{session, id}], f, nil
}
