package mapping

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Text is one immutable version of a document with an index of its lines. A
// line ends with "\n", "\r\n" or a lone "\r" (LSP, "Text Documents"), so a text
// always has at least one line, and text ending in a line end has an empty last
// line. Text is safe for concurrent use. It holds less than 2 GiB.
type Text struct {
	s      string
	starts []int32 // byte offset of every line; starts[0] == 0
	// ascii makes positions cheap: when set, every byte is one unit in every
	// encoding. It may be false for text that became pure ASCII by an edit.
	ascii bool
	// cr is false when the text surely holds no "\r".
	cr bool
}

// NewText indexes s. The string is kept, not copied.
func NewText(s string) *Text {
	t := &Text{s: s, ascii: isASCII(s), cr: strings.IndexByte(s, '\r') >= 0}
	t.starts = make([]int32, 1, strings.Count(s, "\n")+2)
	t.starts = appendLineStarts(t.starts, s, 0, len(s))
	return t
}

// appendLineStarts appends the start of every line that follows a line end
// beginning in s[from:to]. A "\r" at to-1 is judged by the byte behind it.
func appendLineStarts(starts []int32, s string, from, to int) []int32 {
	if strings.IndexByte(s[from:to], '\r') < 0 {
		for from < to {
			n := strings.IndexByte(s[from:to], '\n')
			if n < 0 {
				break
			}
			from += n + 1
			starts = append(starts, int32(from))
		}
		return starts
	}
	for i := from; i < to; i++ {
		switch s[i] {
		case '\n':
			starts = append(starts, int32(i+1))
		case '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				starts = append(starts, int32(i+1))
			}
		}
	}
	return starts
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// String is the whole document.
func (t *Text) String() string { return t.s }

// Len is the size of the document in bytes.
func (t *Text) Len() int { return len(t.s) }

// LineCount is the number of lines, at least 1.
func (t *Text) LineCount() int { return len(t.starts) }

// Line is the span of line i (zero based, clamped) without its line end.
func (t *Text) Line(i int) Span {
	s := t.FullLine(i)
	if s.End > s.Start && t.s[s.End-1] == '\n' {
		s.End--
	}
	if s.End > s.Start && t.s[s.End-1] == '\r' {
		s.End--
	}
	return s
}

// FullLine is the span of line i (zero based, clamped) with its line end.
func (t *Text) FullLine(i int) Span {
	i = min(max(i, 0), len(t.starts)-1)
	end := len(t.s)
	if i+1 < len(t.starts) {
		end = int(t.starts[i+1])
	}
	return Span{int(t.starts[i]), end}
}

// LineAt is the zero-based line holding the byte offset off (clamped). A line
// end belongs to the line it ends.
func (t *Text) LineAt(off int) int {
	if off <= 0 {
		return 0
	}
	if off >= len(t.s) {
		return len(t.starts) - 1
	}
	o := int32(off)
	return sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > o }) - 1
}

// Slice is the text of s (clamped).
func (t *Text) Slice(s Span) string {
	s = s.clamp(len(t.s))
	return t.s[s.Start:s.End]
}

// Lines is the span of the whole lines of r with their line ends. An empty
// range gives the insertion point before line r.Start; at or behind the line
// count that is the end of the text.
func (t *Text) Lines(r LineRange) Span {
	start := t.lineStart(r.Start)
	return Span{start, max(start, t.lineStart(r.End))}
}

// lineStart is the byte offset at which line i begins, or the end of the text
// for a line behind the last.
func (t *Text) lineStart(i int) int {
	switch {
	case i <= 0:
		return 0
	case i >= len(t.starts):
		return len(t.s)
	}
	return int(t.starts[i])
}

// Edit is the text after the bytes of s (clamped) were replaced by insert: one
// LSP content change. The text is copied once; the line index is spliced.
func (t *Text) Edit(s Span, insert string) *Text {
	s = s.clamp(len(t.s))
	next := &Text{
		s:     t.s[:s.Start] + insert + t.s[s.End:],
		ascii: t.ascii && isASCII(insert),
		cr:    t.cr || strings.IndexByte(insert, '\r') >= 0,
	}
	// Lines starting before s stay. One starting right at it stays only if the
	// byte before still ends a line, which an insertion or deletion of "\n"
	// behind a "\r" undoes; hence the scan begins one byte early. Lines starting
	// behind s.End have their line end in the untouched rest.
	at := int32(s.Start)
	keep := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] >= at })
	keep = max(keep, 1)
	tail := sort.Search(len(t.starts), func(i int) bool { return int(t.starts[i]) > s.End })
	// Room for the lines the insert can bring, so that nothing grows twice.
	grow := strings.Count(insert, "\n") + strings.Count(insert, "\r") + 1
	starts := make([]int32, keep, keep+grow+len(t.starts)-tail+1)
	copy(starts, t.starts[:keep])
	starts = appendLineStarts(starts, next.s, max(s.Start-1, 0), s.Start+len(insert))
	delta := int32(len(insert) - s.Len())
	n := len(starts)
	starts = append(starts, t.starts[tail:]...)
	if delta != 0 {
		rest := starts[n:]
		for i := range rest {
			rest[i] += delta
		}
	}
	next.starts = starts
	return next
}
