package view

import (
	"slices"
	"strings"

	"ahp-lsp/bridge/remote"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
)

// Hover is what is told about a place, nil for nothing.
func (v View) Hover(f *workspace.File, position protocol.Position) *protocol.Hover {
	text := f.Text()
	if text == nil {
		return nil
	}
	lines := v.LinesAt(text, position)
	kind := protocol.MarkupKindMarkdown
	if formats := v.client.TextDocument.Hover.ContentFormat; len(formats) > 0 && !slices.Contains(formats, string(kind)) {
		kind = protocol.MarkupKindPlainText
	}
	var parts []string
	for _, t := range v.w.PlacedThreads(f, text) {
		switch {
		case !overlap(t.Lines(text), lines):
		case kind == protocol.MarkupKindPlainText:
			parts = append(parts, printable.Text(strings.TrimSpace(thread.Text(t.Annotation()))))
		default:
			parts = append(parts, v.ThreadMarkdown(t, text))
		}
	}
	if c := f.Primary(); c != nil && c.Content() != nil {
		for _, h := range c.Hunks(text) {
			if !h.Touches(lines) || h.State == mapping.HunkUndone {
				continue
			}
			md := v.hunkMarkdown(c, h, text)
			if kind == protocol.MarkupKindPlainText {
				md = printable.Text(plainHunk(md))
			} else {
				md = printable.Markdown(md)
			}
			parts = append(parts, md)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: kind, Value: strings.Join(parts, "\n\n---\n\n")}}
}

// LinesAt are the lines of a cursor: one.
func (v View) LinesAt(text *mapping.Text, at protocol.Position) mapping.LineRange {
	return workspace.SelectedLines(text, v.w.Span(text, protocol.Mapped(protocol.Range{Start: at, End: at})))
}

// plainHunk takes the marks of Markdown off what hunkMarkdown gives.
func plainHunk(md string) string {
	head, diff, _ := strings.Cut(md, "\n\n")
	lines := strings.Split(diff, "\n")
	return strings.ReplaceAll(head, "**", "") + "\n\n" + strings.Join(lines[1:len(lines)-1], "\n")
}

// ThreadMarkdown is the whole thread with what it is about.
func (v View) ThreadMarkdown(t workspace.PlacedThread, text *mapping.Text) string {
	turn := v.TurnName(t.Key().Session, t.Annotation().Turn())
	return printable.Markdown(thread.Markdown(t.Annotation(), t.Place, turn, t.Anchor().Quote, text.Slice(t.Place.Span)))
}

func (v View) hunkMarkdown(c *workspace.Change, h mapping.PlacedHunk, text *mapping.Text) string {
	head := "**" + v.ChangesetName(c.View()) + "**"
	if turn := v.originName(c, h); turn != "" {
		head += " · " + turn
	}
	if why := c.CannotRevert(h, text); why != "" {
		head += " · " + why
	}
	if why := c.View().Entry.Description; why != "" && c.View().Entry.Kind == remote.KindPatchset {
		head += "\n\n" + why // the rationale
	}
	return head + "\n\n" + c.Content().HunkMarkdown(h.Hunk)
}
