package workspace

import (
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// anchorThreads fixes what the file's new threads are about. One that is being
// made now is about the text on disk: its author is looking at that. Of
// one that was made before we came, the turn it belongs to says which text it
// is about: the one the turn left.
func (w *Workspace) anchorThreads(f *File) {
	if !f.disk.Known {
		return
	}
	for _, t := range f.threads {
		if t.anchor == nil {
			w.anchor(f, t)
		}
		w.remember(t)
	}
}

// anchor fixes what one thread is about, or begins to find it out.
func (w *Workspace) anchor(f *File, t *Thread) {
	ses, turn := w.sessions[t.key.Session], t.annotation.Turn()
	switch {
	case ses == nil || t.seenMade || t.annotation.Range == nil:
		t.anchor = makeAnchor(t.annotation, f, nil)
		return
	case !ses.stored.loaded:
		return // until it is
	}
	if t.anchor = ses.stored.remembered(t.annotation); t.anchor != nil {
		return
	}
	switch {
	case turn == "" || t.noTurnText || ses.runs(turn) || ses.overdue:
		t.anchor = makeAnchor(t.annotation, f, nil)
	case ses.view != nil && ses.view.ChatKnown:
		w.readTurn(f, t.key.Session, turn)
	default: // when the session's turns are known
	}
}

// anchorSession anchors what waited for the session's turns to be known.
func (w *Workspace) anchorSession(ses *Session) {
	done := map[*File]bool{}
	for _, f := range ses.threads {
		if !done[f] {
			done[f] = true
			w.anchorThreads(f)
			w.touch(f)
		}
	}
}

// runs reports whether the turn has not ended: what it leaves is not known yet,
// and the disk is what the agent is looking at.
func (s *Session) runs(turn string) bool { return s.Busy() && s.view.Chat.Active.ID == turn }

// readTurn wants the file read as the turn left it, to anchor the threads of that
// turn in it.
func (w *Workspace) readTurn(f *File, session, turn string) {
	key := turnKey{session, turn}
	if w.remote.paths == nil || f.turnReads[key] == w.remote.epoch+1 {
		return
	}
	if f.turnReads == nil {
		f.turnReads = map[turnKey]int{}
	}
	f.turnReads[key] = w.remote.epoch + 1
	f.turns++
	w.want(ReadTurn{File: f, Session: session, Turn: turn, Resource: w.ToHost(f.uri), Epoch: w.remote.epoch})
}

// turnKey names a turn of a session.
type turnKey struct{ session, turn string }

// TurnRead gives a file's text as a turn left it; a nil text is not known.
type TurnRead struct {
	File          *File
	Session, Turn string
	Epoch         int
	Text          *mapping.Text
}

func (e TurnRead) apply(w *Workspace) {
	f := e.File
	if key := (turnKey{e.Session, e.Turn}); f.turnReads[key] == e.Epoch+1 {
		delete(f.turnReads, key)
	}
	f.turns--
	if w.remote.epoch != e.Epoch {
		return
	}
	text := e.Text
	if text != nil && f.disk.Text != nil && text.String() == f.disk.Text.String() {
		text = f.disk.Text // one copy, and the comparison is free
	}
	for _, t := range f.threads {
		if t.anchor == nil && t.key.Session == e.Session && t.annotation.Turn() == e.Turn {
			if t.anchor = makeAnchor(t.annotation, f, text); t.anchor == nil {
				t.noTurnText = true
			}
			w.remember(t)
		}
	}
	w.touch(f)
}

// makeAnchor: the place is looked up in the text after the turn, if there is
// one, and on disk. A quote of the host's proves which of them is meant; where
// it stands in neither at the range, it is looked for by itself. Without a
// quote the first text counts.
func makeAnchor(a *ahp.Annotation, f *File, turn *mapping.Text) *mapping.Anchor {
	disk := f.disk.Text
	if disk == nil && f.doc != nil && !f.doc.lost {
		disk = f.doc.text // not on disk (yet): the buffer is all there is
	}
	if a.Range == nil {
		if disk == nil {
			return nil
		}
		an := mapping.FileAnchor(disk)
		return &an
	}
	quote := ""
	if fb, ok := a.Feedback(); ok {
		quote = strings.TrimSpace(fb.CodeSelection)
	}
	for _, base := range []*mapping.Text{turn, disk} {
		if base == nil {
			continue
		}
		an := mapping.NewAnchor(base, HostSpan(base, *a.Range))
		if quote == "" || quotes(quote, an.Quote) {
			return &an
		}
	}
	if quote != "" && (turn != nil || disk != nil) {
		an := mapping.QuoteAnchor(quote, a.Range.Start.Line)
		return &an
	}
	return nil
}

// quotes reports whether a quote is of a text: the same but for white space at
// the ends and the kind of line ends, or the beginning of it, if it is long.
func quotes(quote, text string) bool {
	quote = strings.TrimSpace(mapping.WithLineEnds(quote, "\n"))
	text = strings.TrimSpace(mapping.WithLineEnds(text, "\n"))
	if quote == text {
		return true
	}
	cut := strings.TrimSuffix(quote, "…")
	return len(cut) >= 256 && (strings.HasPrefix(text, cut) || strings.HasPrefix(cut, text) && len(text) >= 256)
}
