package command

import (
	"context"

	"github.com/google/uuid"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping/thread"
)

// reply is ahp.annotation.reply.
func (c *Commands) reply(ctx context.Context, p protocol.ReplyArgs) (Result, error) {
	t, _, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	if p.Text != nil {
		return c.sendReply(p.Session, p.Annotation, *p.Text)
	}
	return c.askText(ctx, TextRequest{
		Name: "reply", Intro: "Reply to this comment", Quoted: thread.Text(t.Annotation()),
		Send: func(_ context.Context, text string) (Result, error) {
			return c.sendReply(p.Session, p.Annotation, text)
		},
	})
}

func (c *Commands) sendReply(session, id, text string) (Result, error) {
	if text = cleanText(text); text == "" {
		return c.fail("an empty reply is not sent")
	}
	if _, _, err := c.state().Thread(session, id); err != nil {
		return c.fail("the reply was not sent: %v", err)
	}
	entry := uuid.NewString()
	a, err := ahp.SetEntry(id, ahp.Entry{ID: entry, Text: ahp.Plain(text)})
	r, err := c.dispatch(session, a, err)
	if r.OK {
		c.writeShiftedRange(session, id)
		r.set("entry", entry)
	}
	return r, err
}

// writeShiftedRange writes the place of a thread that was just replied to, if it
// shifted and the place is certain.
func (c *Commands) writeShiftedRange(session, id string) {
	t, f, err := c.state().Thread(session, id)
	if err != nil || t == nil {
		return
	}
	m, ok, err := c.state().CertainMove(t, f)
	if ok && err == nil {
		err = c.sendMove(m)
	}
	if err != nil {
		c.log.Debugf("the range of %s is left as it is: %v", id, err)
	}
}

// sendMove tells the host where a comment is.
func (c *Commands) sendMove(m workspace.Move) error {
	host := c.host()
	if host == nil {
		return errNoHost
	}
	if err := SendMove(host, m); err != nil {
		return err
	}
	c.ws.Apply(workspace.ThreadMoved{Move: m})
	return nil
}

// SendMove tells a host where a comment is. Nothing but the place is sent: somebody
// may be replying just now.
func SendMove(host Host, m workspace.Move) error {
	key := m.Thread.Key()
	a, err := ahp.MoveAnnotation(key.ID, m.Range)
	if m.Resource != m.Thread.Annotation().Resource {
		a, err = ahp.MoveAnnotationTo(key.ID, m.Resource, m.Range)
	}
	if err != nil {
		return err
	}
	return host.Dispatch(annotationsChannel(key.Session), a)
}

// askText asks for a text through a file: for editors without a plugin that
// asks by itself.
func (c *Commands) askText(ctx context.Context, r TextRequest) (Result, error) {
	if !c.editor.Client().ShowsDocuments() {
		return c.fail("this editor cannot ask for a text; write a line \"ahp: your text\" and choose its code action instead")
	}
	uri, err := c.editor.AskText(ctx, r)
	if err != nil {
		return c.fail("cannot ask for a text: %v", err)
	}
	return done("asked", uri), nil
}
