package view

import (
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// suggests reports whether a comment proposes a change, and why it cannot be made
// now, "" if it can.
func (v View) suggests(f *workspace.File, text *mapping.Text, t workspace.PlacedThread) (proposes bool, why string) {
	fb, ok := t.Annotation().Feedback()
	if !ok || t.Annotation().Resolved || fb.Suggestion == nil || len(fb.Suggestion.Edits) == 0 {
		return false, ""
	}
	if f.Doc() == nil {
		return true, "the file is not open"
	}
	_, why = v.SuggestionEdits(f, text, t)
	return true, why
}

// SuggestionEdits are the edits a comment proposes, in the buffer. why is not
// "" if one of them does not fit the text any more.
func (v View) SuggestionEdits(f *workspace.File, text *mapping.Text, t workspace.PlacedThread) (edits []protocol.TextEdit, why string) {
	fb, _ := t.Annotation().Feedback()
	base := f.Disk().Text
	if t.Anchor().Base != nil {
		base = t.Anchor().Base
	}
	if base == nil || fb.Suggestion == nil {
		return nil, "the text it was made for is not known"
	}
	al := f.Alignment(base, text)
	for _, e := range fb.Suggestion.Edits {
		span := workspace.HostSpan(base, e.Range.Range())
		mapped, ok := al.MapSpan(span)
		if !ok {
			return nil, "the code changed since"
		}
		if mapping.WithLineEnds(text.Slice(mapped), "\n") != mapping.WithLineEnds(e.OldText, "\n") {
			return nil, "the code is not what the suggestion was made for"
		}
		edits = append(edits, protocol.TextEdit{
			Range: v.Range(text, mapped), NewText: mapping.WithLineEnds(e.NewText, mapping.LineEnd(text)),
		})
	}
	return edits, ""
}
