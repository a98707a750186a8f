package command

import (
	"context"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
)

// editEntry is ahp.annotation.edit: another text for one entry of a comment.
func (c *Commands) editEntry(ctx context.Context, p protocol.EditArgs) (Result, error) {
	if p.Text != nil {
		return c.sendEntry(p, *p.Text)
	}
	t, _, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	old := ""
	for _, e := range t.Annotation().Entries {
		if e.ID == p.Entry {
			old = e.Text.Value
		}
	}
	return c.askText(ctx, TextRequest{
		Name: "edit", Intro: "Edit this comment", Initial: old,
		Send: func(_ context.Context, text string) (Result, error) { return c.sendEntry(p, text) },
	})
}

func (c *Commands) sendEntry(p protocol.EditArgs, text string) (Result, error) {
	t, _, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("the comment was not changed: %v", err)
	}
	if text = cleanText(text); text == "" {
		return c.fail("an empty comment is not sent; delete it instead")
	}
	for _, e := range t.Annotation().Entries {
		if e.ID == p.Entry {
			e.Text = ahp.Text{Value: text, Markdown: e.Text.Markdown}
			a, err := ahp.SetEntry(p.Annotation, e)
			return c.dispatch(p.Session, a, err)
		}
	}
	return c.fail("the comment has no entry %q", p.Entry)
}
