package mapping

import "unicode/utf8"

// Encoding is the unit in which Position.Character counts (LSP 3.17,
// PositionEncodingKind). The zero value is UTF16, the protocol's default and
// what AHP hosts send.
type Encoding int

// The encodings of LSP 3.17.
const (
	UTF16 Encoding = iota // UTF-16 code units
	UTF8                  // bytes
	UTF32                 // code points
)

// ParseEncoding reads a PositionEncodingKind such as "utf-8". The second result
// is false, and the first UTF16, for a kind the protocol does not define.
func ParseEncoding(s string) (Encoding, bool) {
	switch s {
	case "utf-8":
		return UTF8, true
	case "utf-16":
		return UTF16, true
	case "utf-32":
		return UTF32, true
	}
	return UTF16, false
}

// String is the PositionEncodingKind as the protocol spells it.
func (e Encoding) String() string {
	switch e {
	case UTF8:
		return "utf-8"
	case UTF32:
		return "utf-32"
	}
	return "utf-16"
}

// Offset is the byte offset of p, counted in e. It never fails: a negative
// number becomes 0, a column behind the line's text its end (before the line
// end), a line behind the last the end of the text, and a column inside a
// surrogate pair or a multi-byte character the start of that character.
func (t *Text) Offset(p Position, e Encoding) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= t.lines:
		return t.size
	}
	c, k := t.chunkOfLine(p.Line)
	if c == nil {
		return t.size
	}
	line := c.fullLine(k)
	start := c.off + line.Start
	s := trimLineEnd(c.s[line.Start:line.End])
	switch {
	case p.Character <= 0:
		return start
	case c.ascii:
		return start + min(p.Character, len(s))
	case e == UTF8:
		return start + runeBorder(s, min(p.Character, len(s)))
	}
	units := 0
	for i := 0; i < len(s); {
		w, u := step(s[i:], e)
		if units+u > p.Character {
			return start + i
		}
		units += u
		i += w
	}
	return start + len(s)
}

// Position is the place of the byte offset off (clamped), counted in e. Inside
// a character it is the character's start, inside "\r\n" the end of the line's
// text.
func (t *Text) Position(off int, e Encoding) Position {
	off = min(max(off, 0), t.size)
	n := t.LineAt(off)
	c, k := t.chunkOfLine(n)
	if c == nil {
		return Position{n, 0}
	}
	line := c.fullLine(k)
	s := trimLineEnd(c.s[line.Start:line.End])
	col := min(off-c.off-line.Start, len(s))
	switch {
	case c.ascii:
		return Position{n, col}
	case e == UTF8:
		return Position{n, runeBorder(s, col)}
	}
	return Position{n, units(s[:runeBorder(s, col)], e)}
}

// Span is the byte span of r, counted in e, with both ends clamped as by
// [Text.Offset] and swapped if they are the wrong way round.
func (t *Text) Span(r Range, e Encoding) Span {
	s := Span{t.Offset(r.Start, e), t.Offset(r.End, e)}
	if s.Start > s.End {
		s.Start, s.End = s.End, s.Start
	}
	return s
}

// Range is the pair of positions of s (clamped), counted in e.
func (t *Text) Range(s Span, e Encoding) Range {
	s = s.clamp(t.size)
	r := Range{Start: t.Position(s.Start, e)}
	r.End = r.Start
	if !s.Empty() {
		r.End = t.Position(s.End, e)
	}
	return r
}

// runeBorder rounds off down to the start of the character of s it points into.
// Bytes that are not UTF-8 count as one character each.
func runeBorder(s string, off int) int {
	if off <= 0 || off >= len(s) || utf8.RuneStart(s[off]) {
		return off
	}
	for k := 1; k < utf8.UTFMax && k <= off; k++ {
		if !utf8.RuneStart(s[off-k]) {
			continue
		}
		if _, w := utf8.DecodeRuneInString(s[off-k:]); w > k {
			return off - k
		}
		break
	}
	return off
}

// round is s (clamped) with both ends on borders of characters and not inside
// "\r\n", rounded down.
func (t *Text) round(s Span) Span {
	s = s.clamp(t.size)
	return Span{t.border(s.Start), t.border(s.End)}
}

// border is the last border of characters at or before off, not inside "\r\n".
// Neither crosses chunks.
func (t *Text) border(off int) int {
	if off <= 0 || off >= t.size {
		return off
	}
	c := t.chunkAt(off)
	at := off - c.off
	if at > 0 && c.s[at] == '\n' && c.s[at-1] == '\r' {
		return off - 1
	}
	if c.ascii {
		return off
	}
	return c.off + runeBorder(c.s, at)
}

// step is the width of the first character of s, in bytes and in units of e.
func step(s string, e Encoding) (bytes, units int) {
	if s[0] < utf8.RuneSelf {
		return 1, 1
	}
	_, w := utf8.DecodeRuneInString(s)
	if e == UTF16 && w == 4 {
		return w, 2 // a surrogate pair
	}
	return w, 1
}

// units counts the units of s in UTF16 or UTF32.
func units(s string, e Encoding) int {
	n := 0
	for i := 0; i < len(s); {
		w, u := step(s[i:], e)
		i += w
		n += u
	}
	return n
}
