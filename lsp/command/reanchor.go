package command

import (
	"context"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// reanchor is ahp.annotation.reanchor: says which code a comment is about.
func (c *Commands) reanchor(_ context.Context, p protocol.ReanchorArgs) (Result, error) {
	w := c.state()
	t, f, err := w.Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	if uri := ahp.CanonicalURI(p.URI); p.URI != "" && uri != f.URI() {
		return c.reanchorElsewhere(t, uri, p)
	}
	text := f.Text()
	if f.Doc() == nil || text == nil {
		return c.fail("open the file to say where the comment belongs")
	}
	var span mapping.Span
	if p.Range != nil {
		if span, err = w.Find(f, text, protocol.Mapped(*p.Range), p.Revision); err != nil {
			return c.fail("the comment was not moved: %v", err)
		}
	} else if place, ok := f.Place(t, text); ok {
		span = place.Span
	}
	if span.Empty() {
		return c.fail("select the code that the comment is about")
	}
	m, needed, err := w.MoveTo(t, f, text, span)
	if err == nil && needed {
		err = c.sendMove(m)
	}
	if err != nil {
		return c.fail("the comment was not moved: %v", err)
	}
	return done(), nil
}

// reanchorElsewhere says that a comment is about code in another file.
func (c *Commands) reanchorElsewhere(t *workspace.Thread, uri string, p protocol.ReanchorArgs) (Result, error) {
	w := c.state()
	to := w.File(uri)
	if p.Range == nil || to == nil || to.Text() == nil || to.Disk().Text == nil {
		return c.fail("the comment was not moved: %s cannot be read", workspace.BaseName(uri))
	}
	span, err := w.Find(to, to.Text(), protocol.Mapped(*p.Range), p.Revision)
	if err != nil {
		return c.fail("the comment was not moved: %v", err)
	}
	m, _, err := w.MoveTo(t, to, to.Text(), span)
	if err == nil && span.Empty() {
		err = workspace.ErrUnsaved
	}
	if err != nil {
		return c.fail("the comment was not moved: %v", err)
	}
	if err := c.sendMove(m); err != nil {
		return c.fail("%v", err)
	}
	return done(), nil
}
