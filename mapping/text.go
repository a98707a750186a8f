package mapping

import (
	"strings"
	"sync/atomic"

	"ahp-lsp/mapping/words"
)

// Text is one immutable version of a document with an index of its lines. A
// line ends with "\n", "\r\n" or a lone "\r" (LSP, "Text Documents"), so a text
// always has at least one line, and text ending in a line end has an empty last
// line. Text is safe for concurrent use. It holds less than 2 GiB.
//
// Versions share the parts they have in common, see [Text.Edit]: a key typed
// into a large document costs a few kilobytes rather than a copy of it.
type Text struct {
	chunks []placedChunk
	size   int // bytes
	lines  int // as LineCount
	full   int // lines but for the empty one behind a final line end
	// whole is the document in one piece. For an edited text it is put together
	// when first asked for.
	whole atomic.Pointer[string]
}

// NewText indexes s. The string is kept, not copied.
func NewText(s string) *Text {
	t := &Text{}
	t.whole.Store(&s)
	t.place(nil, split(s), nil)
	return t
}

// place makes the chunks of t: those before, those between, and those after,
// of which only the last have wrong places.
func (t *Text) place(before []placedChunk, between []chunk, after []placedChunk) {
	t.chunks = make([]placedChunk, len(before), len(before)+len(between)+len(after))
	copy(t.chunks, before)
	if n := len(before); n > 0 {
		t.size, t.lines = before[n-1].end(), before[n-1].line+before[n-1].lineCount()
	}
	for i := range between {
		t.append(&between[i])
	}
	for _, c := range after {
		t.append(c.chunk)
	}
	t.full = t.lines
	if t.size == t.markLen() {
		t.full = 0
	}
	if t.size == 0 || isLineEnd(t.chunks[len(t.chunks)-1].lastByte()) {
		t.lines++ // the empty last line is in no chunk
	}
}

func (t *Text) append(c *chunk) {
	t.chunks = append(t.chunks, placedChunk{c, t.size, t.lines})
	t.size += len(c.s)
	t.lines += c.lineCount()
}

// String is the whole document.
func (t *Text) String() string {
	if s := t.whole.Load(); s != nil {
		return *s
	}
	var sb strings.Builder
	sb.Grow(t.size)
	for _, c := range t.chunks {
		sb.WriteString(c.s)
	}
	s := sb.String()
	t.whole.Store(&s)
	return s
}

// Len is the size of the document in bytes.
func (t *Text) Len() int { return t.size }

// LineCount is the number of lines, at least 1.
func (t *Text) LineCount() int { return t.lines }

// Line is the span of line i (zero based, clamped) without its line end.
func (t *Text) Line(i int) Span {
	c, k := t.chunkOfLine(i)
	if c == nil {
		return Span{t.size, t.size}
	}
	s := c.fullLine(k)
	return Span{c.off + s.Start, c.off + s.Start + len(trimLineEnd(c.s[s.Start:s.End]))}
}

// FullLine is the span of line i (zero based, clamped) with its line end.
func (t *Text) FullLine(i int) Span {
	c, k := t.chunkOfLine(i)
	if c == nil {
		return Span{t.size, t.size}
	}
	s := c.fullLine(k)
	return Span{c.off + s.Start, c.off + s.End}
}

// LineAt is the zero-based line holding the byte offset off (clamped). A line
// end belongs to the line it ends.
func (t *Text) LineAt(off int) int {
	if off <= 0 {
		return 0
	}
	if off >= t.size {
		return t.lines - 1
	}
	c := t.chunkAt(off)
	return c.line + c.lineAt(off-c.off)
}

// Slice is the text of s (clamped).
func (t *Text) Slice(s Span) string {
	s = s.clamp(t.size)
	if s.Empty() {
		return ""
	}
	if w := t.whole.Load(); w != nil {
		return (*w)[s.Start:s.End]
	}
	i := t.chunkIndex(s.Start)
	c := &t.chunks[i]
	if s.End <= c.end() {
		return c.s[s.Start-c.off : s.End-c.off]
	}
	var sb strings.Builder
	sb.Grow(s.Len())
	for ; i < len(t.chunks) && t.chunks[i].off < s.End; i++ {
		c := &t.chunks[i]
		sb.WriteString(c.s[max(s.Start-c.off, 0):min(s.End-c.off, len(c.s))])
	}
	return sb.String()
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
	if i >= t.lines {
		return t.size
	}
	c, k := t.chunkOfLine(i)
	if c == nil {
		return t.size
	}
	return c.off + int(c.starts[k])
}

// Edit is the text after the bytes of s (clamped) were replaced by insert: one
// LSP content change. Of both texts the chunks the edit does not touch are the
// same.
func (t *Text) Edit(s Span, insert string) *Text {
	s = s.clamp(t.size)
	next := &Text{}
	if len(t.chunks) == 0 {
		next.place(nil, split(insert), nil)
		return next
	}
	// The bytes next to the edit are indexed again as well: the edit may
	// make or break a "\r\n".
	lo, hi := t.chunkIndex(max(s.Start-1, 0)), t.chunkIndex(s.End)
	head := t.chunks[lo].s[:s.Start-t.chunks[lo].off]
	tail := t.chunks[hi].s[s.End-t.chunks[hi].off:]
	for len(head)+len(insert)+len(tail) < minChunk && hi+1 < len(t.chunks) {
		hi++
		tail += t.chunks[hi].s
	}
	next.place(t.chunks[:lo], split(head+insert+tail), t.chunks[hi+1:])
	return next
}

// equalTexts compares two documents.
func equalTexts(x, y *Text) bool {
	if x == y {
		return true
	}
	return x.size == y.size && x.lines == y.lines && commonBytes(x, y, 0) == x.size
}

// chunkIndex is the index of the chunk holding the byte at off, or of the last.
func (t *Text) chunkIndex(off int) int {
	lo, hi := 0, len(t.chunks)
	for hi-lo > 1 {
		if m := int(uint(lo+hi) / 2); t.chunks[m].off > off {
			hi = m
		} else {
			lo = m
		}
	}
	return lo
}

// chunkIndexOfLine is the index of the chunk holding line i, or of the last.
func (t *Text) chunkIndexOfLine(i int) int {
	lo, hi := 0, len(t.chunks)
	for hi-lo > 1 {
		if m := int(uint(lo+hi) / 2); t.chunks[m].line > i {
			hi = m
		} else {
			lo = m
		}
	}
	return lo
}

// chunkAt is the chunk holding the byte at off, which must exist.
func (t *Text) chunkAt(off int) *placedChunk { return &t.chunks[t.chunkIndex(off)] }

// chunkOfLine is the chunk line i (clamped) is in and its number there, or nil
// for the empty last line.
func (t *Text) chunkOfLine(i int) (*placedChunk, int) {
	i = min(max(i, 0), t.lines-1)
	if len(t.chunks) == 0 {
		return nil, 0
	}
	c := &t.chunks[t.chunkIndexOfLine(i)]
	if i -= c.line; i >= c.lineCount() {
		return nil, 0
	}
	return c, i
}

// commonBytes is the number of equal bytes of x and y from the offset from on
// in both.
func commonBytes(x, y *Text, from int) int { return commonFrom(x, from, y, from) }

// commonFrom is the number of equal bytes of x from i and of y from j on.
func commonFrom(x *Text, i int, y *Text, j int) int {
	n := 0
	for i < x.size && j < y.size {
		a, b := x.after(i), y.after(j)
		k := words.CommonPrefix(a, b)
		n, i, j = n+k, i+k, j+k
		if k < len(a) && k < len(b) {
			break
		}
	}
	return n
}

// commonUpTo is the number of equal bytes of x before i and of y before j, at
// most limit.
func commonUpTo(x *Text, i int, y *Text, j int, limit int) int {
	n := 0
	for i > 0 && j > 0 && n < limit {
		a, b := x.before(i), y.before(j)
		k := words.CommonSuffix(a, b)
		n, i, j = n+k, i-k, j-k
		if k < len(a) && k < len(b) {
			break
		}
	}
	return min(n, limit)
}

// after is a piece of the document that begins at off, which must be inside.
func (t *Text) after(off int) string {
	if w := t.whole.Load(); w != nil {
		return (*w)[off:]
	}
	c := t.chunkAt(off)
	return c.s[off-c.off:]
}

// before is a piece of the document that ends at off, which must be greater
// than 0.
func (t *Text) before(off int) string {
	if w := t.whole.Load(); w != nil {
		return (*w)[:off]
	}
	c := t.chunkAt(off - 1)
	return c.s[:off-c.off]
}
