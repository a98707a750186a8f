package mapping

import (
	"strings"

	"ahp-lsp/mapping/words"
)

// block is what an anchor covers in terms of lines: the content lines
// [first, end) of the base, never none, and columns in the first and the last.
// Columns are bytes from the beginning of the line's content.
type block struct {
	first, end       int
	startCol, endCol int
	// full is the length of the last line's content.
	full int
	// tail is set if the span ends behind the last line's end, that is at the
	// first column of the next line.
	tail bool
	// point is set for an empty span. It stands for its line: comments made with
	// the cursor somewhere are about the line.
	point bool
	// whole is set if nothing but white space is left of the span in its first
	// line and right of it in its last. Text added there changes what the
	// comment is about although no byte of the span changed.
	whole bool
}

func (b block) lines() int { return b.end - b.first }

// blockOf describes s, which must lie in t and begin on a content line.
func blockOf(t *Text, s Span) block {
	b := block{first: t.LineAt(s.Start), point: s.Empty()}
	last := t.LineAt(s.End)
	if last > b.first && s.End == t.lineStart(last) {
		b.tail = true
		last--
	}
	b.end = last + 1
	head, foot := t.contentSpan(b.first), t.contentSpan(last)
	b.startCol = min(max(s.Start-head.Start, 0), head.Len())
	b.full = foot.Len()
	b.endCol = b.full
	if !b.tail {
		b.endCol = min(max(s.End-foot.Start, 0), foot.Len())
	}
	b.whole = b.point ||
		words.Blank(t.Slice(Span{head.Start, head.Start + b.startCol})) && words.Blank(t.Slice(Span{foot.Start + b.endCol, foot.End}))
	return b
}

// contentSpan is the span of [Text.content].
func (t *Text) contentSpan(i int) Span {
	s := t.Line(i)
	if s.Start == 0 && t.hasMark() {
		s.Start = len(byteOrderMark)
	}
	return s
}

// contentStart is where [Text.content] begins.
func (t *Text) contentStart(i int) int {
	if i == 0 {
		return t.markLen()
	}
	return t.lineStart(i)
}

// at is the span b takes in t when its lines are those of t from line j on,
// unchanged.
func (b *block) at(t *Text, j int) Span {
	head := t.contentStart(j)
	s := Span{head + b.startCol, head + b.endCol}
	if last := j + b.lines() - 1; b.tail {
		s.End = t.lineStart(last + 1)
	} else if last > j {
		s.End = t.lineStart(last) + b.endCol
	}
	return s
}

// sameText compares two pieces of text regardless of the kinds of their line
// ends, of a byte order mark, and of a missing last line end.
func sameText(x, y string) bool {
	if x == y {
		return true
	}
	x, y = strings.TrimPrefix(x, byteOrderMark), strings.TrimPrefix(y, byteOrderMark)
	if x != "" && y != "" && strings.IndexByte(x, '\r') < 0 && strings.IndexByte(y, '\r') < 0 {
		return strings.TrimSuffix(x, "\n") == strings.TrimSuffix(y, "\n")
	}
	if x == "" || y == "" {
		line, rest := cutLine(x + y)
		return line == "" && rest == ""
	}
	for x != "" && y != "" {
		lx, rx := cutLine(x)
		ly, ry := cutLine(y)
		if lx != ly {
			return false
		}
		x, y = rx, ry
	}
	return x == "" && y == ""
}

// cutLine splits s behind its first line and drops the line end.
func cutLine(s string) (line, rest string) {
	i := strings.IndexAny(s, "\r\n")
	switch {
	case i < 0:
		return s, ""
	case s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n':
		return s[:i], s[i+2:]
	}
	return s[:i], s[i+1:]
}

// bordersKept reports whether the text around s in t still sets the anchored
// text off as the text around from did in base: a whole line did not gain more
// on the same line, and a word did not become part of a longer one.
func (b block) bordersKept(base *Text, from Span, t *Text, s Span) bool {
	if b.whole {
		head, foot := t.contentSpan(t.LineAt(s.Start)), t.LineAt(s.End)
		if s.End > s.Start && s.End == t.lineStart(foot) {
			foot-- // the span ends with a line end
		}
		end := max(t.contentSpan(foot).End, s.End)
		left, right := t.Slice(Span{min(head.Start, s.Start), s.Start}), t.Slice(Span{s.End, end})
		// A span of all columns includes the indentation, also when there is none.
		return words.Blank(left) && (left == "" || b.startCol > 0) && words.Blank(right) && (right == "" || b.full != b.endCol)
	}
	return sameJoints(base, from, t, s)
}

// wholeLines reports whether there is nothing but white space between s and the
// borders of the lines it begins and ends on.
func (t *Text) wholeLines(s Span) bool {
	head, foot := t.contentSpan(t.LineAt(s.Start)), t.contentSpan(t.LineAt(s.End))
	return words.Blank(t.Slice(Span{head.Start, max(s.Start, head.Start)})) && words.Blank(t.Slice(Span{s.End, max(s.End, foot.End)}))
}

// sameJoints reports whether the ends of s in t cut words where those of from in
// base do, and nowhere else.
func sameJoints(base *Text, from Span, t *Text, s Span) bool {
	return base.glued(from.Start) == t.glued(s.Start) && base.glued(from.End) == t.glued(s.End)
}

// glued reports whether the characters on both sides of off belong to one word.
func (t *Text) glued(off int) bool {
	if off <= 0 || off >= t.size {
		return false
	}
	c := t.chunkAt(off)
	return words.Glued(c.s, off-c.off) // chunks end with lines, and so do words
}
