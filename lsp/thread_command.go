package lsp

import (
	"context"
	"fmt"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
	threadtext "ahp-lsp/mapping/thread"
)

type replyArgs struct {
	Session    string  `json:"session"`
	Annotation string  `json:"annotation"`
	Text       *string `json:"text,omitempty"` // nil: ask for it
}

type editArgs struct {
	Session    string  `json:"session"`
	Annotation string  `json:"annotation"`
	Entry      string  `json:"entry"`
	Text       *string `json:"text,omitempty"`
}

// thread looks a thread up by the members that every thread command has.
func (s *Server) thread(session, id string) (*thread, *file, error) {
	ses := s.sessions[session]
	if ses == nil {
		return nil, nil, fmt.Errorf("the session %s is not followed", session)
	}
	f := ses.threads[id]
	if f == nil {
		return nil, nil, fmt.Errorf("the comment does not exist (any more)")
	}
	return f.threads[threadKey{session, id}], f, nil
}

// annotationsChannel is where a session's comments are.
func annotationsChannel(session string) string { return session + "/annotations" }

// dispatch sends an action on a session's comments.
func (s *Server) dispatchAnnotation(session string, a ahp.Action, err error) (any, error) {
	if err == nil {
		err = s.host.Dispatch(annotationsChannel(session), a)
	}
	if err != nil {
		return s.sorry("%v", err)
	}
	return done(nil), nil
}

// onThread decodes the argument of a thread command and finds its thread.
func (s *Server) onThread(args commandArgs, do func(*thread, *file) (any, error)) (any, error) {
	var p threadData
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	t, f, err := s.thread(p.Session, p.Annotation)
	if err != nil {
		return s.sorry("%v", err)
	}
	return do(t, f)
}

func (s *Server) annotationResolve(args commandArgs) (any, error) {
	return s.onThread(args, func(t *thread, _ *file) (any, error) {
		a, err := ahp.ResolveAnnotation(t.key.id, true)
		return s.dispatchAnnotation(t.key.session, a, err)
	})
}

func (s *Server) annotationReopen(args commandArgs) (any, error) {
	return s.onThread(args, func(t *thread, _ *file) (any, error) {
		// The reference host's agent marks what it resolved in the metadata too.
		if fb, ok := t.annotation.Feedback(); ok && fb.State == ahp.FeedbackResolved {
			next := t.annotation.WithFeedbackState(ahp.FeedbackSubmitted)
			next.Resolved = false
			a, err := ahp.SetAnnotation(next)
			return s.dispatchAnnotation(t.key.session, a, err)
		}
		a, err := ahp.ResolveAnnotation(t.key.id, false)
		return s.dispatchAnnotation(t.key.session, a, err)
	})
}

func (s *Server) annotationAccept(args commandArgs) (any, error) {
	return s.onThread(args, func(t *thread, _ *file) (any, error) {
		if _, ok := t.annotation.Feedback(); !ok {
			return s.sorry("the comment was not made by the host's review convention; there is nothing to accept")
		}
		a, err := ahp.SetAnnotation(t.annotation.WithFeedbackState(ahp.FeedbackAccepted))
		return s.dispatchAnnotation(t.key.session, a, err)
	})
}

func (s *Server) annotationDelete(args commandArgs) (any, error) {
	return s.onThread(args, func(t *thread, _ *file) (any, error) {
		summary := threadtext.Summary(t.annotation, mapping.Placement{}, 60)
		return nil, s.confirmed(args, "Delete this comment and its replies?\n"+summary, "Delete", "Delete: "+summary, func(context.Context) (any, error) {
			t, _, err := s.thread(t.key.session, t.key.id)
			if err != nil {
				return s.sorry("%v", err)
			}
			a, err := ahp.RemoveAnnotation(t.key.id)
			return s.dispatchAnnotation(t.key.session, a, err)
		})
	})
}

func (s *Server) annotationReply(args commandArgs) (any, error) {
	var p replyArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	t, _, err := s.thread(p.Session, p.Annotation)
	if err != nil {
		return s.sorry("%v", err)
	}
	if p.Text == nil {
		return nil, s.askText(scratchRequest{
			name: "reply", intro: "Reply to this comment", quoted: threadtext.Text(t.annotation),
			send: func(text string) (any, error) { return s.reply(p.Session, p.Annotation, text) },
		})
	}
	return s.reply(p.Session, p.Annotation, *p.Text)
}

func (s *Server) reply(session, id, text string) (any, error) {
	if text = cleanText(text); text == "" {
		return s.sorry("an empty reply is not sent")
	}
	if _, _, err := s.thread(session, id); err != nil {
		return s.sorry("the reply was not sent: %v", err)
	}
	entry := newID()
	a, err := ahp.SetEntry(id, ahp.Entry{ID: entry, Text: ahp.Plain(text)})
	r, err := s.dispatchAnnotation(session, a, err)
	if m, ok := r.(map[string]any); ok && m["ok"] == true {
		s.refreshRange(session, id)
		m["entry"] = entry
	}
	return r, err
}

func (s *Server) annotationEdit(args commandArgs) (any, error) {
	var p editArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	edit := func(text string) (any, error) {
		t, _, err := s.thread(p.Session, p.Annotation)
		if err != nil {
			return s.sorry("the comment was not changed: %v", err)
		}
		if text = cleanText(text); text == "" {
			return s.sorry("an empty comment is not sent; delete it instead")
		}
		for _, e := range t.annotation.Entries {
			if e.ID == p.Entry {
				e.Text = ahp.Text{Value: text, Markdown: e.Text.Markdown}
				a, err := ahp.SetEntry(p.Annotation, e)
				return s.dispatchAnnotation(p.Session, a, err)
			}
		}
		return s.sorry("the comment has no entry %q (any more)", p.Entry)
	}
	if p.Text != nil {
		return edit(*p.Text)
	}
	t, _, err := s.thread(p.Session, p.Annotation)
	if err != nil {
		return s.sorry("%v", err)
	}
	old := ""
	for _, e := range t.annotation.Entries {
		if e.ID == p.Entry {
			old = e.Text.Value
		}
	}
	return nil, s.askText(scratchRequest{name: "edit", intro: "Edit this comment", initial: old, send: edit})
}

// threadShow is ahp.thread.show: goes to the thread's place and answers with
// the whole thread; without a plugin that shows it, it is opened as a file.
func (s *Server) threadShow(args commandArgs) (any, error) {
	return s.onThread(args, func(t *thread, f *file) (any, error) {
		result := map[string]any{
			"session": t.key.session, "annotation": t.key.id, "uri": f.editorURI(),
			"resolved": t.annotation.Resolved, "text": threadtext.Text(t.annotation),
		}
		text := f.text()
		markdown := threadtext.Markdown(t.annotation, mapping.Placement{}, s.turnName(t.key.session, t.annotation.Turn()), "", "")
		if text != nil {
			if p, ok := f.place(t, text); ok {
				result["range"] = s.toRange(text, p.Span)
				result["state"] = p.State.String()
				markdown = s.threadMarkdown(placedThread{t, p}, text)
			}
		}
		result["markdown"] = markdown
		return nil, later{func(ctx context.Context) (any, error) {
			uri, err := s.showText(ctx, "thread.md", markdown+"\n", nil)
			if err != nil {
				s.log.Infof("show thread: %v", err)
				s.tell(0, threadtext.Text(t.annotation))
			} else {
				result["shown"] = uri
			}
			return done(result), nil
		}}
	})
}

// suggests reports whether a comment proposes a change, and why it cannot be made
// now, "" if it can.
func (s *Server) suggests(f *file, text *mapping.Text, t placedThread) (proposes bool, why string) {
	fb, ok := t.annotation.Feedback()
	if !ok || t.annotation.Resolved || fb.Suggestion == nil || len(fb.Suggestion.Edits) == 0 {
		return false, ""
	}
	if f.doc == nil {
		return true, "the file is not open"
	}
	_, why = s.suggestionEdits(f, text, t)
	return true, why
}

// suggestionEdits are the edits a comment proposes, in the buffer. why is not
// "" if one of them does not fit the text any more.
func (s *Server) suggestionEdits(f *file, text *mapping.Text, t placedThread) (edits []protocol.TextEdit, why string) {
	fb, _ := t.annotation.Feedback()
	base := f.disk.text
	if t.anchor.Base != nil {
		base = t.anchor.Base
	}
	if base == nil || fb.Suggestion == nil {
		return nil, "the text it was made for is not known"
	}
	al := f.track(text).Alignment(base)
	for _, e := range fb.Suggestion.Edits {
		span := hostSpan(base, e.Range.Range())
		mapped, ok := al.MapSpan(span)
		if !ok {
			return nil, "the code changed since"
		}
		if mapping.WithLineEnds(text.Slice(mapped), "\n") != mapping.WithLineEnds(e.OldText, "\n") {
			return nil, "the code is not what the suggestion was made for"
		}
		edits = append(edits, protocol.TextEdit{
			Range: s.toRange(text, mapped), NewText: mapping.WithLineEnds(e.NewText, mapping.LineEnd(text)),
		})
	}
	return edits, ""
}

func (s *Server) suggestionApply(args commandArgs) (any, error) {
	return s.onThread(args, func(t *thread, f *file) (any, error) {
		text := f.text()
		if f.doc == nil || text == nil {
			return s.sorry("open %s to apply the suggestion", f.uri)
		}
		p, ok := f.place(t, text)
		if !ok {
			return s.sorry("cannot apply the suggestion: the text it was made for is not known")
		}
		edits, why := s.suggestionEdits(f, text, placedThread{t, p})
		if why != "" {
			return s.sorry("cannot apply the suggestion: %s", why)
		}
		edit := s.edit(f.doc, edits)
		return nil, later{func(ctx context.Context) (any, error) {
			if err := s.applyEdit(ctx, "Apply suggestion", edit); err != nil {
				return s.sorry("cannot apply the suggestion: %v", err)
			}
			return done(nil), nil
		}}
	})
}
