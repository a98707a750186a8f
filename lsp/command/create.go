package command

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// createComment is ahp.annotation.create.
func (c *Commands) createComment(ctx context.Context, p protocol.CreateArgs) (Result, error) {
	f := c.state().Open(p.URI)
	if f == nil {
		return Result{}, invalid("%s is not open", p.URI)
	}
	if err := c.loaded(ctx, f); err != nil {
		return Result{}, err
	}
	w, text := c.state(), f.Text()
	switch {
	case f.Doc() == nil:
		return c.fail("the comment was not made: %s was closed", workspace.BaseName(f.URI()))
	case text == nil:
		return c.fail("the comment was not made: %v", workspace.ErrOutOfStep)
	}
	session, err := w.SessionFor(f, p.Session)
	if err != nil {
		return c.fail("the comment was not made: %v", err)
	}
	n := newComment{file: f, session: session, remove: p.Remove}
	if p.Range != nil {
		span, err := w.Find(f, text, protocol.Mapped(*p.Range), p.Revision)
		if err != nil {
			return c.fail("the comment was not made: %v", err)
		}
		n.span = &span
	}
	if p.Text != nil {
		return c.sendComment(ctx, n, text, *p.Text)
	}
	quoted, span := "", mapping.Span{}
	if n.span != nil {
		span = *n.span
		quoted = text.Slice(span)
	}
	anchor := mapping.NewAnchor(text, span)
	return c.askText(ctx, TextRequest{
		Name: "comment", Intro: "Comment on " + workspace.BaseName(f.URI()), Quoted: quoted,
		Send: func(ctx context.Context, body string) (Result, error) { return c.sendLateComment(ctx, n, anchor, body) },
	})
}

// newComment is a comment that is being made.
type newComment struct {
	file    *workspace.File
	session string
	span    *mapping.Span // in the file's present text; nil: the whole file
	remove  *protocol.RemoveArgs
}

// sendLateComment makes a comment whose text took its time: its place is looked
// for in the text as it is now.
func (c *Commands) sendLateComment(ctx context.Context, n newComment, anchor mapping.Anchor, body string) (Result, error) {
	uri := n.file.URI()
	n.file = c.state().File(uri)
	if n.file == nil || n.file.Text() == nil {
		return c.fail("the comment was not made: %s is not open any more", workspace.BaseName(uri))
	}
	text := n.file.Text()
	if n.span != nil {
		p := mapping.Align(anchor.Base, text).Place(anchor)
		if p.State == mapping.Detached {
			return c.fail("the comment was not made: the code it is about is gone")
		}
		n.span = &p.Span
	}
	n.remove = nil
	return c.sendComment(ctx, n, text, body)
}

// sendComment makes a comment. The host is told the place in the text on disk,
// which is what the agent sees; here the comment is about the text in the buffer.
func (c *Commands) sendComment(ctx context.Context, n newComment, text *mapping.Text, body string) (Result, error) {
	if body = cleanText(body); body == "" {
		return c.fail("an empty comment is not sent")
	}
	w := c.state()
	if n.remove != nil && text.Slice(w.Span(text, protocol.Mapped(n.remove.Range))) != n.remove.Text {
		return c.fail("the comment was not made: its line changed meanwhile")
	}
	host := c.host()
	if host == nil {
		return c.fail("the comment was not made: %v", errNoHost)
	}
	a := annotation(w, host.Version(), n, text, body)
	if n.span != nil {
		c.ws.Apply(workspace.CommentMade{File: n.file, Session: n.session, Comment: a, Text: text, Span: *n.span, Unsaved: n.remove != nil})
	}
	action, err := ahp.SetAnnotation(a)
	r, err := c.dispatch(n.session, action, err)
	if !r.OK || err != nil {
		c.ws.Apply(workspace.CommentRefused{Key: workspace.ThreadKey{Session: n.session, ID: a.ID}})
		return r, err
	}
	r.set("session", n.session)
	r.set("annotation", a.ID)
	if n.remove != nil {
		edit := c.view().Edit(n.file.Doc(), []protocol.TextEdit{{Range: n.remove.Range}})
		if err := c.editor.ApplyEdit(ctx, "Remove the comment's line", edit); err != nil {
			// The comment is made; that its line stays is only untidy.
			c.editor.Tell(remote.NoticeInfo, fmt.Sprintf("the comment was made, but its line could not be removed: %v", err))
		}
	}
	return r, nil
}

// annotation is a new comment as the host gets it, in a version of the protocol.
func annotation(w *workspace.Workspace, version string, n newComment, text *mapping.Text, body string) *ahp.Annotation {
	id := uuid.NewString()
	a := &ahp.Annotation{
		ID: id, Resource: w.ToHost(n.file.URI()),
		Entries: []ahp.Entry{{ID: id + ":0", Text: ahp.Plain(body)}},
	}
	quote := ""
	if n.span != nil {
		disk := n.file.Disk().Text
		if disk == nil {
			disk = text
		}
		quote = text.Slice(*n.span)
		at, ok := mapping.Align(text, disk).MapSpan(*n.span)
		if !ok {
			// Lines that are not saved yet: the nearest place on disk; the quote
			// says what is meant.
			at = mapping.Align(text, disk).Place(mapping.NewAnchor(text, *n.span)).Span
		}
		r := workspace.HostRange(disk, at)
		a.Range = &r
	}
	a.Meta = ahp.NewFeedback(n.session, cutQuote(quote))
	turn, chat := "", ""
	if ses := w.Session(n.session); ses != nil && ses.View() != nil {
		turn, chat = n.file.WrittenBy(n.session, ses.View().Chat.Latest()), ses.View().State.DefaultChat
	}
	if ahp.CompareVersions(version, "0.9.0") >= 0 {
		a.Origin = &ahp.Origin{Session: n.session, Chat: chat, TurnID: turn}
	} else {
		a.TurnID = &turn
	}
	return a
}

// maxQuote bounds, in bytes, the code that a comment quotes for the agent.
const maxQuote = 2048

// cutQuote is a quote as it is sent: of a long one the beginning, and nothing
// else, so that it can be found again.
func cutQuote(s string) string {
	if len(s) <= maxQuote {
		return s
	}
	n := maxQuote
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
