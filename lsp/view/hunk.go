package view

import (
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// RevertEdit is the edit that takes hunks of one change back, or parts of hunks.
// They must be live and in order.
func (v View) RevertEdit(c *workspace.Change, text *mapping.Text, hunks []mapping.PlacedHunk) protocol.WorkspaceEdit {
	edits := []protocol.TextEdit{}
	for _, e := range c.Content().RevertEdits(hunks, text) {
		edits = append(edits, protocol.TextEdit{Range: v.Range(text, e.Span), NewText: e.Text})
	}
	return v.Edit(c.File().Doc(), edits)
}

func reviewLabel(r *workspace.ReviewFlag) string {
	if r.Reviewed {
		return "Mark as not reviewed"
	}
	return "Mark as reviewed"
}

func reviewArgs(r *workspace.ReviewFlag) protocol.ReviewArgs {
	return protocol.ReviewArgs{Channel: r.Channel, Files: []string{r.ID}, Reviewed: !r.Reviewed}
}
