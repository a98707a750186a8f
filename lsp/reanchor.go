package lsp

import (
	"context"
	"fmt"
	"slices"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
	threadtext "ahp-lsp/mapping/thread"
)

// Ranges that shift by editing are not written back to the host on their own:
// every client and the agent would see them wander. A reply, or the wish of the
// user, writes the range in the coordinates of the text on disk.

type reanchorArgs struct {
	Session    string          `json:"session"`
	Annotation string          `json:"annotation"`
	URI        string          `json:"uri,omitempty"`   // another file; absent: the one it is in
	Range      *protocol.Range `json:"range,omitempty"` // of the buffer; absent: where it is shown
	Seen       int             `json:"seen,omitempty"`  // of Range, see pointed
}

// annotationReanchor is ahp.annotation.reanchor.
func (s *Server) annotationReanchor(args commandArgs) (any, error) {
	var p reanchorArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	return s.onThread(args, func(t *thread, f *file) (any, error) {
		if uri := ahp.CanonicalURI(p.URI); p.URI != "" && uri != f.uri {
			return s.reanchorElsewhere(t, uri, p.Range, p.Seen)
		}
		text := f.text()
		if f.doc == nil || text == nil {
			return s.sorry("open the file to say where the comment belongs")
		}
		var span mapping.Span
		if p.Range != nil {
			var err error
			if span, err = s.pointed(f, text, *p.Range, p.Seen); err != nil {
				return s.sorry("the comment was not moved: %v", err)
			}
		} else if place, ok := f.place(t, text); ok {
			span = place.Span
		}
		if span.Empty() {
			return s.sorry("select the code that the comment is about")
		}
		if err := s.writeRange(t, f, text, span); err != nil {
			return s.sorry("the comment was not moved: %v", err)
		}
		return done(nil), nil
	})
}

// reanchorElsewhere says that a comment is about code in another file.
func (s *Server) reanchorElsewhere(t *thread, uri string, r *protocol.Range, seen int) (any, error) {
	to := s.files[uri]
	if r == nil || to == nil || to.text() == nil || to.disk.text == nil {
		return s.sorry("the comment was not moved: %s cannot be read", baseName(uri))
	}
	text := to.text()
	span, err := s.pointed(to, text, *r, seen)
	if err != nil {
		return s.sorry("the comment was not moved: %v", err)
	}
	at, ok := mapping.Align(text, to.disk.text).MapSpan(span)
	if !ok || span.Empty() {
		return s.sorry("the comment was not moved: %v", errUnsaved)
	}
	resource, rng := s.host.ToHost(uri), hostRange(to.disk.text, at)
	// Nothing else is sent: somebody may be replying just now.
	a, err := ahp.MoveAnnotationTo(t.key.id, resource, rng)
	answer, err := s.dispatchAnnotation(t.key.session, a, err)
	if m, ok := answer.(map[string]any); ok && m["ok"] == true {
		anchor := mapping.NewAnchor(text, span)
		s.ownAnchors[t.key] = knownPlace{&anchor, resource, &rng}
		t.leaves()
	}
	return answer, err
}

// writeRange tells the host where in the text on disk a thread is.
func (s *Server) writeRange(t *thread, f *file, text *mapping.Text, span mapping.Span) error {
	if f.disk.text == nil {
		return fmt.Errorf("the file is not on disk")
	}
	at, ok := mapping.Align(text, f.disk.text).MapSpan(span)
	if !ok {
		return errUnsaved
	}
	r := hostRange(f.disk.text, at)
	if sameRange(t.annotation.Range, &r) && t.placed.State == mapping.Live {
		return nil
	}
	a, err := ahp.MoveAnnotation(t.key.id, r)
	if err != nil {
		return err
	}
	if err := s.host.Dispatch(annotationsChannel(t.key.session), a); err != nil {
		return err
	}
	anchor := mapping.NewAnchor(text, span)
	s.ownAnchors[t.key] = knownPlace{&anchor, t.annotation.Resource, &r}
	t.leaves()
	t.isAbout(&anchor) // even if the host's range is the same
	s.touch(f)
	return nil
}

// landed is called when a file was read. A comment that was made here on text
// that was not on disk as it stood in the buffer was given the nearest place;
// once the buffer is saved, the host is told the right one.
func (s *Server) landed(f *file) {
	text := f.text()
	if len(s.adrift) == 0 || f.doc == nil || text == nil || f.disk.text == nil || text.String() != f.disk.text.String() {
		return
	}
	adrift := s.adrift
	s.adrift = nil
	for _, key := range adrift {
		t := f.threads[key]
		if t == nil {
			s.adrift = append(s.adrift, key)
			continue
		}
		place, ok := f.place(t, text)
		if !ok || place.Span.Empty() || place.State != mapping.Live && place.State != mapping.Moved {
			continue
		}
		if r := hostRange(text, place.Span); sameRange(t.annotation.Range, &r) {
			continue
		}
		if err := s.writeRange(t, f, text, place.Span); err != nil {
			s.log.Infof("the range of %s is left as it is: %v", key.id, err)
		}
	}
}

func (s *Server) forgetAdrift(key threadKey) {
	s.adrift = slices.DeleteFunc(s.adrift, func(k threadKey) bool { return k == key })
}

// refreshRange writes the place of a thread that was just replied to, if it
// shifted and the place is certain.
func (s *Server) refreshRange(session, id string) {
	t, f, err := s.thread(session, id)
	if err != nil || t == nil || t.annotation.Range == nil {
		return
	}
	text := f.text()
	if text == nil || f.doc == nil {
		return
	}
	place, ok := f.place(t, text)
	if !ok || place.Span.Empty() || place.State != mapping.Live && place.State != mapping.Moved {
		return
	}
	if err := s.writeRange(t, f, text, place.Span); err != nil {
		s.log.Debugf("the range of %s is left as it is: %v", id, err)
	}
}

// originalShow is ahp.original.show: the text a comment was made for.
func (s *Server) originalShow(args commandArgs) (any, error) {
	return s.onThread(args, func(t *thread, f *file) (any, error) {
		if t.anchor == nil {
			return s.sorry("the text the comment was made for is not known")
		}
		text, at := t.anchor.Quote, (*protocol.Range)(nil)
		if base := t.anchor.Base; base != nil {
			text = base.String()
			r := s.toRange(base, t.anchor.Span)
			at = &r
		}
		name := "then-" + baseName(f.uri)
		quote := t.anchor.Quote
		return nil, later{func(ctx context.Context) (any, error) {
			uri, err := s.showText(ctx, name, text, at)
			if err != nil {
				return s.sorry("cannot show the original text: %v", err)
			}
			return done(map[string]any{"uri": uri, "text": quote}), nil
		}}
	})
}

// lostThreadActions are for threads whose code changed or went: at their place,
// and for a selection anywhere in the file.
func (s *Server) lostThreadActions(l *actionList, f *file, text *mapping.Text, t placedThread) {
	data := threadData{t.key.session, t.key.id}
	title := threadtext.Summary(t.annotation, mapping.Placement{}, 48)
	if t.place.State == mapping.Outdated && !t.place.Span.Empty() {
		l.command("Re-anchor comment here: "+title, "ahp.annotation.reanchor", reanchorArgs{Session: data.Session, Annotation: data.Annotation})
	}
	s.elsewhereActions(l, f, t)
	if t.place.State == mapping.Outdated || t.place.State == mapping.Detached {
		l.command("Show original code of comment: "+title, "ahp.original.show", data)
	}
}

// maxReanchor bounds the threads offered for a selection.
const maxReanchor = 5

func (s *Server) reanchorActions(l *actionList, f *file, threads []placedThread, text *mapping.Text, span mapping.Span) {
	if !isSelection(text, span) {
		return
	}
	n := 0
	for _, t := range threads {
		if t.annotation.Range == nil || t.place.State != mapping.Outdated && t.place.State != mapping.Detached {
			continue
		}
		if n++; n > maxReanchor {
			return
		}
		r := s.toRange(text, span)
		l.command("Re-anchor to selection: "+threadtext.Summary(t.annotation, mapping.Placement{}, 48), "ahp.annotation.reanchor",
			reanchorArgs{Session: t.key.session, Annotation: t.key.id, Range: &r, Seen: s.shows(f, text)})
	}
}
