package lsp

import (
	"context"
	"strings"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// baseKey names a text that comments are about, and that a host is asked for: a
// file after a turn.
type baseKey struct {
	host               int // see Server.hostGen
	session, turn, uri string
}

// turnPatience is how long comments wait for the host to say what a turn left
// before they are shown by the text on disk.
const turnPatience = 5 * time.Second

// anchorThreads fixes what the file's new threads are about. One that is being
// made now is about the text on disk: whoever made it is looking at that. Of
// one that was made before we came, the turn it belongs to says which text it
// is about: the one the turn left.
func (s *Server) anchorThreads(f *file) {
	if !f.disk.known {
		return
	}
	for _, t := range f.threads {
		if t.anchor == nil {
			s.anchor(f, t)
		}
		s.remember(t)
	}
}

// anchor fixes what one thread is about, or begins to find it out.
func (s *Server) anchor(f *file, t *thread) {
	ses, turn := s.sessions[t.key.session], t.annotation.Turn()
	switch {
	case ses == nil || t.seenMade || t.annotation.Range == nil:
		t.anchor = makeAnchor(t.annotation, f, nil)
		return
	case !ses.store.loaded:
		return // until it is
	}
	if t.anchor = ses.store.remembered(t.annotation); t.anchor != nil {
		return
	}
	switch {
	case turn == "" || t.noTurnText || s.turnRuns(t.key.session, turn) || ses.hurry:
		t.anchor = makeAnchor(t.annotation, f, nil)
	case ses.view != nil && ses.view.ChatKnown:
		s.readTurnText(f, t.key.session, turn)
	default: // when the session's turns are known
	}
}

// remember keeps what a thread is about for the next start.
func (s *Server) remember(t *thread) {
	if ses := s.sessions[t.key.session]; ses != nil && s.cfg.StateDir != "" {
		ses.store.remember(t)
	}
}

// anchorSession anchors what waited for the session's turns to be known.
func (s *Server) anchorSession(ses *session) {
	seen := map[*file]bool{}
	for _, f := range ses.threads {
		if !seen[f] {
			seen[f] = true
			s.anchorThreads(f)
			s.touch(f)
		}
	}
}

// turnRuns reports whether the turn has not ended: what it leaves is not known
// yet, and the disk is what the agent is looking at.
func (s *Server) turnRuns(session, turn string) bool {
	ses := s.sessions[session]
	return ses != nil && ses.view != nil && ses.view.Chat.Active != nil && ses.view.Chat.Active.ID == turn
}

// readTurnText reads the file as the turn left it, and then anchors the threads
// of that turn in it.
func (s *Server) readTurnText(f *file, session, turn string) {
	key := baseKey{s.hostGen, session, turn, f.uri}
	if s.bases[key] || s.host == nil {
		return
	}
	s.bases[key] = true
	f.bases++
	host, gen := s.host, s.hostGen
	resource := host.ToHost(f.uri)
	background(s, func(ctx context.Context) *mapping.Text {
		s.turnReads <- struct{}{}
		defer func() { <-s.turnReads }()
		ctx, cancel := context.WithTimeout(ctx, turnPatience)
		defer cancel()
		data, err := host.TurnContent(ctx, session, turn, resource)
		if err != nil {
			s.log.Debugf("%s after turn %s: %v", f.uri, turn, err)
			return nil
		}
		text, _ := decodeText(data)
		return text
	}, func(text *mapping.Text) {
		delete(s.bases, key)
		f.bases--
		if s.hostGen == gen {
			if text != nil && f.disk.text != nil && text.String() == f.disk.text.String() {
				text = f.disk.text // one copy, and the comparison is free
			}
			for _, t := range f.threads {
				if t.anchor == nil && t.key.session == session && t.annotation.Turn() == turn {
					if t.anchor = makeAnchor(t.annotation, f, text); t.anchor == nil {
						t.noTurnText = true
					}
					s.remember(t)
				}
			}
			s.touch(f)
		}
		s.loaded(f)
	})
}

// makeAnchor: the place is looked up in the text after the turn, if there is
// one, and on disk. A quote of the host's proves which of them is meant; where
// it stands in neither at the range, it is looked for by itself. Without a
// quote the first text counts.
func makeAnchor(a *ahp.Annotation, f *file, turn *mapping.Text) *mapping.Anchor {
	disk := f.disk.text
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
		an := mapping.NewAnchor(base, hostSpan(base, *a.Range))
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
