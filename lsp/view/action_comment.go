package view

import (
	"strings"
	"unicode/utf8"

	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// commentLineAction offers to turn an "ahp: …" line into a comment.
func (v View) commentLineAction(l *actionList, f *workspace.File, text *mapping.Text, selection mapping.Span, lines mapping.LineRange) {
	for line := lines.Start; line < min(lines.End, lines.Start+1000); line++ {
		c, ok := mapping.FindCommentLine(text, line)
		if !ok {
			continue
		}
		title := "Create comment from this line: " + mapping.Shorten(FirstLine(c.Text), 48)
		if _, err := v.w.SessionFor(f, ""); err != nil {
			l.disabled(title, err.Error())
			return
		}
		target := v.Range(text, c.Target(text, selection))
		l.command(title, "ahp.annotation.create", protocol.CreateArgs{
			URI: f.EditorURI(), Range: &target, Text: &c.Text,
			Remove: &protocol.RemoveArgs{Range: v.Range(text, c.Remove), Text: text.Slice(c.Remove)},
		})
		l.list[len(l.list)-1].IsPreferred = ptr(true)
		return
	}
}

// isSelection tells a selection from a cursor: in Helix a cursor is a selection
// of one character.
func isSelection(text *mapping.Text, span mapping.Span) bool {
	return utf8.RuneCountInString(text.Slice(span)) > 1
}

// commentSpan is what a new comment is about: the selection, or the line
// without the white space around it.
func commentSpan(text *mapping.Text, span mapping.Span, lines mapping.LineRange) mapping.Span {
	if isSelection(text, span) {
		return span
	}
	line := text.Line(lines.Start)
	str := text.Slice(line)
	left := len(str) - len(strings.TrimLeft(str, " \t"))
	trimmed := strings.TrimRight(str, " \t")
	if left >= len(trimmed) {
		return line
	}
	return mapping.Span{Start: line.Start + left, End: line.Start + len(trimmed)}
}
