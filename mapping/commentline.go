package mapping

import (
	"regexp"
	"strings"
	"sync"
)

// commentLine matches a line that is nothing but "ahp: text", behind the
// leader of a comment in any language, which an editor may have written twice,
// and before the closer of a block comment. The leader is any short run of
// punctuation, or a word that some language uses for it.
var commentLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^[ \t]*(?:(?:[^\pL\pN\s:]{1,5}|(?i:rem|dnl|note))[ \t]*){0,2}ahp:[ \t]*(.*?)[ \t]*(?:\*/|-->|\*\)|-\}|#>|%\}|#\}|\]\]|"""|''')?[ \t]*$`)
})

// CommentLine is text that a user typed into a buffer for the agent.
type CommentLine struct {
	Text   string    // what follows "ahp:", several lines joined
	Lines  LineRange // the lines that hold it
	Remove Span      // their bytes, line ends included
}

// FindCommentLine looks for such a comment on a line, and takes the lines
// right above and below that are of the same kind along.
func FindCommentLine(t *Text, line int) (CommentLine, bool) {
	if _, ok := commentText(t, line); !ok {
		return CommentLine{}, false
	}
	first, last := line, line
	for {
		if _, ok := commentText(t, first-1); !ok {
			break
		}
		first--
	}
	for {
		if _, ok := commentText(t, last+1); !ok {
			break
		}
		last++
	}
	c := CommentLine{Lines: LineRange{first, last + 1}}
	var texts []string
	for i := first; i <= last; i++ {
		text, _ := commentText(t, i)
		texts = append(texts, text)
	}
	c.Text = strings.TrimSpace(strings.Join(texts, "\n"))
	c.Remove = t.Lines(c.Lines)
	if c.Remove.End == t.Len() && !endsLine(t) && c.Remove.Start > 0 {
		// The last line of a file without a final line end: take the one above.
		c.Remove.Start = t.Line(first - 1).End
	}
	return c, c.Text != ""
}

func commentText(t *Text, line int) (string, bool) {
	if line < 0 || line >= t.LineCount() {
		return "", false
	}
	s := t.Slice(t.Line(line))
	if len(s) > 4096 || !strings.Contains(s, "ahp:") {
		return "", false
	}
	m := commentLine().FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Target is what the comment is about: the selection, if it reaches beyond the
// comment's own lines, otherwise the line below, or above at the end of the
// file. The span has no line end at its end.
func (c CommentLine) Target(t *Text, selection Span) Span {
	own := t.Lines(c.Lines)
	sel := selection.clamp(t.Len())
	switch {
	case sel.Start < own.Start && sel.End <= own.End:
		sel.End = min(sel.End, own.Start)
	case sel.End > own.End && sel.Start >= own.Start:
		sel.Start = max(sel.Start, own.End)
	case sel.Start < own.Start && sel.End > own.End:
		// Around the comment: what is below it.
		sel.Start = own.End
	default:
		sel = Span{}
	}
	if strings.TrimSpace(t.Slice(sel)) != "" {
		return trimSpan(t, sel)
	}
	if below := c.Lines.End; below < t.contentLines() {
		return trimSpan(t, t.Line(below))
	}
	if above := c.Lines.Start - 1; above >= 0 {
		return trimSpan(t, t.Line(above))
	}
	return Span{own.End, own.End}
}

// trimSpan leaves out white space at both ends, unless nothing else is there.
func trimSpan(t *Text, s Span) Span {
	text := t.Slice(s)
	left := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	right := len(text) - len(strings.TrimRight(text, " \t\r\n"))
	if left == len(text) {
		return Span{s.Start, s.Start + len(strings.TrimRight(text, "\r\n"))}
	}
	return Span{s.Start + left, s.End - right}
}
