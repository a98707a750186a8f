package command

import (
	"context"

	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// hunks is an open file with the change whose hunks are shown in it.
type hunks struct {
	file   *workspace.File
	change *workspace.Change
	text   *mapping.Text // the buffer's
}

// hunksOf waits until the hunks of an open file are known. A nil result means that
// there are none, and that r is the command's answer.
func (c *Commands) hunksOf(ctx context.Context, uri string) (h *hunks, r Result, err error) {
	f := c.state().Open(uri)
	if f == nil {
		return nil, Result{}, invalid("%s is not open", uri)
	}
	if err := c.loaded(ctx, f); err != nil {
		return nil, Result{}, err
	}
	change, text := f.Primary(), f.Text()
	switch {
	case f.Doc() != nil && text == nil:
		r, err = c.fail("%v", workspace.ErrOutOfStep)
	case change == nil || change.Content() == nil || text == nil:
		r, err = c.fail("%v", workspace.ErrNoHunks(change))
	default:
		h = &hunks{f, change, text}
	}
	return h, r, err
}

// revertHunks is ahp.hunk.revert: every live hunk on the range's lines, or, if it is
// to be exact, what these lines have of them.
func (c *Commands) revertHunks(ctx context.Context, p protocol.RevertArgs) (Result, error) {
	h, r, err := c.hunksOf(ctx, p.URI)
	if h == nil || err != nil {
		return r, err
	}
	lines, err := c.state().FindLines(h.file, h.text, protocol.Mapped(p.Range), p.Revision)
	if err != nil {
		return c.fail("cannot revert: %v", err)
	}
	var live []mapping.PlacedHunk
	why := "there is no hunk on these lines"
	for _, hunk := range mapping.SelectHunks(h.change.Hunks(h.text), lines) {
		if reason := h.change.CannotRevert(hunk, h.text); reason != "" {
			why = "the hunk is " + reason
			continue
		}
		live = append(live, hunk)
	}
	if p.Exact {
		if live = view.RevertableLines(h.change, h.text, lines); len(live) == 0 {
			why = "nothing on these lines can be taken back"
		}
	}
	if len(live) == 0 {
		return c.fail("cannot revert: %s", why)
	}
	if err := c.editor.ApplyEdit(ctx, "Revert hunk", c.view().RevertEdit(h.change, h.text, live)); err != nil {
		return c.fail("cannot revert the hunk: %v", err)
	}
	return done("hunks", len(live)), nil
}
