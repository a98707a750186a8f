package command

import (
	"context"

	"ahp-lsp/bridge/remote"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
)

// showThread is ahp.thread.show: goes to the thread's place and answers with
// the whole thread; without a plugin that shows it, it is opened as a file.
func (c *Commands) showThread(ctx context.Context, p protocol.ThreadArgs) (Result, error) {
	t, f, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	v, a := c.view(), t.Annotation()
	r := done("session", p.Session, "annotation", p.Annotation, "uri", f.EditorURI(), "resolved", a.Resolved, "text", thread.Text(a))
	markdown := printable.Markdown(thread.Markdown(a, mapping.Placement{}, v.TurnName(p.Session, a.Turn()), "", ""))
	if text := f.Text(); text != nil {
		if place, ok := f.Place(t, text); ok {
			r.set("range", v.Range(text, place.Span))
			r.set("state", place.State.String())
			markdown = v.ThreadMarkdown(workspace.PlacedThread{Thread: t, Place: place}, text)
		}
	}
	r.set("markdown", markdown)
	uri, err := c.editor.ShowText(ctx, "thread.md", markdown+"\n", nil)
	if err != nil {
		c.log.Infof("show thread: %v", err)
		c.editor.Tell(remote.NoticeInfo, thread.Text(a))
	} else {
		r.set("shown", uri)
	}
	return r, nil
}

// showOriginal is ahp.original.show: the text a comment was made for.
func (c *Commands) showOriginal(ctx context.Context, p protocol.ThreadArgs) (Result, error) {
	t, f, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	anchor := t.Anchor()
	if anchor == nil {
		return c.fail("the text the comment was made for is not known")
	}
	text, at := anchor.Quote, (*protocol.Range)(nil)
	if anchor.Base != nil {
		text = anchor.Base.String()
		r := c.view().Range(anchor.Base, anchor.Span)
		at = &r
	}
	uri, err := c.editor.ShowText(ctx, "then-"+workspace.BaseName(f.URI()), text, at)
	if err != nil {
		return c.fail("cannot show the original text: %v", err)
	}
	return done("uri", uri, "text", anchor.Quote), nil
}

// showBefore is ahp.before.show: the text the agent found, in a file of its
// own, read only.
func (c *Commands) showBefore(ctx context.Context, p protocol.BeforeArgs) (Result, error) {
	h, r, err := c.hunksOf(ctx, p.URI)
	if h == nil || err != nil {
		return r, err
	}
	line := 0
	if p.Range != nil {
		lines, err := c.state().FindLines(h.file, h.text, protocol.Mapped(*p.Range), p.Revision)
		if err != nil {
			return c.fail("cannot show the text before the change: %v", err)
		}
		for _, hunk := range h.change.Hunks(h.text) {
			if hunk.Touches(lines) {
				line = hunk.Hunk.Before.Start
				break
			}
		}
	}
	before := h.change.Content().Before
	at := before.Line(line).Start
	selection := c.view().Range(before, mapping.Span{Start: at, End: at})
	uri, err := c.editor.ShowText(ctx, "before-"+workspace.BaseName(h.file.URI()), before.String(), &selection)
	if err != nil {
		return c.fail("cannot show the text before the change: %v", err)
	}
	return done("uri", uri, "text", before.String()), nil
}
