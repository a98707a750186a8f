package command

import (
	"context"

	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
)

// applySuggestion is ahp.suggestion.apply: the change a comment suggests.
func (c *Commands) applySuggestion(ctx context.Context, p protocol.ThreadArgs) (Result, error) {
	t, f, err := c.state().Thread(p.Session, p.Annotation)
	if err != nil {
		return c.fail("%v", err)
	}
	text := f.Text()
	if f.Doc() == nil || text == nil {
		return c.fail("open %s to apply the suggestion", f.URI())
	}
	place, ok := f.Place(t, text)
	if !ok {
		return c.fail("cannot apply the suggestion: the text it was made for is not known")
	}
	edits, why := c.view().SuggestionEdits(f, text, workspace.PlacedThread{Thread: t, Place: place})
	if why != "" {
		return c.fail("cannot apply the suggestion: %s", why)
	}
	if err := c.editor.ApplyEdit(ctx, "Apply suggestion", c.view().Edit(f.Doc(), edits)); err != nil {
		return c.fail("cannot apply the suggestion: %v", err)
	}
	return done(), nil
}
