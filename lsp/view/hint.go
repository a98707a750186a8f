package view

import (
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping/thread"
)

// Hints are the summaries of a file's threads at the ends of their first
// lines.
func (v View) Hints(f *workspace.File) []protocol.InlayHint {
	out := []protocol.InlayHint{}
	show := v.client.TextDocument.CodeLens == nil
	if v.w.Settings().InlayHints != nil {
		show = *v.w.Settings().InlayHints
	}
	text := f.Text()
	if !show || text == nil {
		return out
	}
	for _, p := range v.w.PlacedThreads(f, text) {
		at := text.Line(p.Lines(text).Start).End
		out = append(out, protocol.InlayHint{
			Position:    protocol.ToPosition(text.Position(at, v.w.Encoding())),
			Label:       printable.Label(thread.Summary(p.Annotation(), p.Place, summaryWidth)),
			PaddingLeft: true,
		})
	}
	return out
}
