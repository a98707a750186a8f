package view

import (
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// View is a workspace as one client sees it. It is made for each use and keeps
// nothing.
type View struct {
	w      *workspace.Workspace
	client *protocol.Capabilities
}

// Of returns the view that a client with these capabilities has of a workspace.
func Of(w *workspace.Workspace, client *protocol.Capabilities) View { return View{w, client} }

// Range is a span of a text as the editor counts.
func (v View) Range(t *mapping.Text, span mapping.Span) protocol.Range {
	return protocol.ToRange(v.w.Range(t, span))
}

// rangeOf is the argument of a command on a part of a file.
func (v View) rangeOf(f *workspace.File, text *mapping.Text, span mapping.Span) protocol.RangeArgs {
	return protocol.RangeArgs{URI: f.EditorURI(), Range: v.Range(text, span), Revision: v.w.Revision(f, text)}
}

// Edit is a workspace edit of one open document, bound to its version where the
// client can check it.
func (v View) Edit(d *workspace.Document, edits []protocol.TextEdit) protocol.WorkspaceEdit {
	if !v.client.VersionedEdits() {
		return protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{d.URI(): edits}}
	}
	version := d.Version()
	list := make([]any, len(edits))
	for i, e := range edits {
		list[i] = e
	}
	return protocol.WorkspaceEdit{DocumentChanges: []any{protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: d.URI()}, Version: &version,
		},
		Edits: list,
	}}}
}

func overlap(a, b mapping.LineRange) bool { return a.Start < b.End && b.Start < a.End }

func ptr[T any](v T) *T { return &v }
