package mapping

import "strings"

func endsLine(t *Text) bool {
	s := t.String()
	return s == "" || s[len(s)-1] == '\n' || s[len(s)-1] == '\r'
}

// LineEnd is the line end a text uses: that of its first line, "\n" without one.
// A lone "\r" counts only where there is nothing else: among other line ends it
// is a character of the text, whatever a protocol takes it for.
func LineEnd(t *Text) string {
	line, full := t.Line(0), t.FullLine(0)
	if full.End == line.End {
		return "\n"
	}
	end := t.Slice(Span{line.End, full.End})
	if end != "\r" {
		return end
	}
	s := t.String()
	switch i := strings.IndexByte(s, '\n'); {
	case i < 0:
		return "\r"
	case s[i-1] == '\r':
		return "\r\n"
	}
	return "\n"
}

// mixedLineEnds reports whether a text has lines that end in "\n" and others that
// end in "\r\n".
func mixedLineEnds(s string) bool {
	first := strings.IndexByte(s, '\n')
	if first < 0 || strings.IndexByte(s, '\r') < 0 {
		return false
	}
	if first == 0 || s[first-1] != '\r' {
		return strings.Contains(s, "\r\n")
	}
	return strings.Count(s, "\n") != strings.Count(s, "\r\n")
}

// WithLineEnds returns text with every line end replaced by end.
func WithLineEnds(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end != "\n" {
		text = strings.ReplaceAll(text, "\n", end)
	}
	return text
}
