package workspace

import (
	"errors"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
)

// Ranges that shift by editing are not written back to the host on their own:
// every client and the agent would see them wander. A reply, or the wish of the
// user, writes the range in the coordinates of the text on disk.

// moves is what is known of comments that were made or moved here.
type moves struct {
	own     map[ThreadKey]knownPlace // what they are about, until the host says their place; see takeOwn
	unsaved []ThreadKey              // those whose place is not on disk yet, see sendUnsavedMoves
}

// knownPlace is what a comment is about if the host has it at a place.
type knownPlace struct {
	anchor   *mapping.Anchor
	resource string // the host's
	at       *ahp.Range
}

// maxFormer bounds the places that a thread remembers: those of the moves that
// the host has not answered.
const maxFormer = 4

// rememberFormer keeps what the thread is about, before it is moved.
func (t *Thread) rememberFormer() {
	if t.anchor == nil {
		return
	}
	t.former = append(slices.Clone(t.former), knownPlace{t.anchor, t.annotation.Resource, t.annotation.Range})
	if len(t.former) > maxFormer {
		t.former = t.former[1:]
	}
}

// CommentMade says that the user makes a comment here. It is about a span of the
// text that is in the buffer now, whatever range the host is told.
type CommentMade struct {
	File    *File
	Session string
	Comment *ahp.Annotation
	Text    *mapping.Text
	Span    mapping.Span
	// Unsaved: the text is not what is on disk, or will not be in a moment.
	Unsaved bool
}

func (e CommentMade) apply(w *Workspace) {
	key := ThreadKey{e.Session, e.Comment.ID}
	anchor := mapping.NewAnchor(e.Text, e.Span)
	w.moves.own[key] = knownPlace{&anchor, e.Comment.Resource, e.Comment.Range}
	if e.Unsaved || e.File.disk.Text != nil && e.File.disk.Text.String() != e.Text.String() {
		w.moves.unsaved = append(w.moves.unsaved, key)
	}
}

// CommentRefused says that a comment that was made here did not reach the host.
type CommentRefused struct{ Key ThreadKey }

func (e CommentRefused) apply(w *Workspace) {
	delete(w.moves.own, e.Key)
	w.moves.forgetUnsaved(e.Key)
}

func (m *moves) forgetUnsaved(key ThreadKey) {
	m.unsaved = slices.DeleteFunc(m.unsaved, func(k ThreadKey) bool { return k == key })
}

// takeOwn: what a comment that was made or moved here is about is known better
// than by the host's range. That holds for the place it was given here; one that
// comes later is somebody else's. old is the thread's value before.
func (w *Workspace) takeOwn(t, old *Thread) {
	own, ok := w.moves.own[t.key]
	switch {
	case !ok:
	case sameRange(own.at, t.annotation.Range):
		delete(w.moves.own, t.key)
		if t.anchor == nil {
			t.setAnchor(own.anchor)
		}
		w.remember(t)
	case old == nil || !sameRange(old.annotation.Range, t.annotation.Range):
		delete(w.moves.own, t.key)
	}
}

// moveRejected: a move that the host refuses leaves the comment on the code it was
// about. The host's range alone does not say that: it is in an older text.
func (w *Workspace) moveRejected(ch remote.Rejected) {
	if ch.Action.Type != ahp.TypeAnnotationsUpdated && ch.Action.Type != ahp.TypeAnnotationsSet {
		return
	}
	id, _, _ := ahp.DecodeAnnotationChange(ch.Action) // made here
	t, f, err := w.Thread(strings.TrimSuffix(ch.Channel, "/annotations"), id)
	if err != nil || t == nil {
		return
	}
	for _, was := range slices.Backward(t.former) {
		if was.resource == t.annotation.Resource && sameRange(was.at, t.annotation.Range) {
			t.setAnchor(was.anchor)
			w.remember(t)
			w.touch(f)
			return
		}
	}
}

// Move is a comment with the place that the host is to be told.
type Move struct {
	Thread   *Thread
	File     *File // the one the place is in
	Resource string
	Range    ahp.Range
	anchor   mapping.Anchor
}

// ErrUnsaved: a place is in text that the host does not know.
var ErrUnsaved = errors.New("there are unsaved changes in these lines; save or undo them first")

// MoveTo is what moves a comment to a span of a text of a file, the one it is in
// or another. needed is false if the host has it there already. Errors: the file
// is not on disk; ErrUnsaved.
func (w *Workspace) MoveTo(t *Thread, f *File, text *mapping.Text, span mapping.Span) (m Move, needed bool, err error) {
	if f.disk.Text == nil {
		return Move{}, false, errors.New("the file is not on disk")
	}
	at, ok := mapping.Align(text, f.disk.Text).MapSpan(span)
	if !ok {
		return Move{}, false, ErrUnsaved
	}
	m = Move{Thread: t, File: f, Resource: w.ToHost(f.uri), Range: HostRange(f.disk.Text, at), anchor: mapping.NewAnchor(text, span)}
	here := f.threads[t.key] == t
	if here {
		m.Resource = t.annotation.Resource
	}
	return m, !here || !sameRange(t.annotation.Range, &m.Range) || t.placed.State != mapping.Live, nil
}

// ThreadMoved says that the host was told the place of a comment.
type ThreadMoved struct{ Move Move }

func (e ThreadMoved) apply(w *Workspace) {
	m, t := e.Move, e.Move.Thread
	w.moves.own[t.key] = knownPlace{&m.anchor, m.Resource, &m.Range}
	t.rememberFormer()
	if m.File.threads[t.key] == t {
		t.setAnchor(&m.anchor) // even if the host's range is the same
		w.touch(m.File)
	}
}

// CertainMove is what writes the place of a thread that shifted, as after a reply;
// ok is false if it did not, or if the place is not certain.
func (w *Workspace) CertainMove(t *Thread, f *File) (m Move, ok bool, err error) {
	text := f.Text()
	if t.annotation.Range == nil || text == nil || f.doc == nil {
		return Move{}, false, nil
	}
	place, known := f.Place(t, text)
	if !known || place.Span.Empty() || place.State != mapping.Live && place.State != mapping.Moved {
		return Move{}, false, nil
	}
	return w.MoveTo(t, f, text, place.Span)
}

// sendUnsavedMoves is called when a file was read. A comment that was made here
// on text that was not on disk as it stood in the buffer was given the nearest
// place; once the buffer is saved, the host is told the right one.
func (w *Workspace) sendUnsavedMoves(f *File) {
	text := f.Text()
	if len(w.moves.unsaved) == 0 || f.doc == nil || text == nil || f.disk.Text == nil || f.Unsaved() {
		return
	}
	unsaved := w.moves.unsaved
	w.moves.unsaved = nil
	for _, key := range unsaved {
		t := f.threads[key]
		if t == nil {
			w.moves.unsaved = append(w.moves.unsaved, key)
			continue
		}
		place, ok := f.Place(t, text)
		if !ok || place.Span.Empty() || place.State != mapping.Live && place.State != mapping.Moved {
			continue
		}
		if r := HostRange(text, place.Span); sameRange(t.annotation.Range, &r) {
			continue
		}
		if m, needed, err := w.MoveTo(t, f, text, place.Span); err == nil && needed {
			w.want(SendMove{m})
		}
	}
}
