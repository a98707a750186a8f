package mapping

import "unicode/utf8"

// Offset is the byte offset of p, counted in e. It never fails: a negative
// number becomes 0, a column behind the line's text its end (before the line
// end), a line behind the last the end of the text, and a column inside a
// surrogate pair or a multi-byte character the start of that character.
func (t *Text) Offset(p Position, e Encoding) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.starts):
		return len(t.s)
	}
	line := t.Line(p.Line)
	if p.Character <= 0 {
		return line.Start
	}
	if t.ascii || e == UTF8 {
		off := line.Start + min(p.Character, line.Len())
		if t.ascii {
			return off
		}
		return t.runeBorder(off)
	}
	s := t.s[line.Start:line.End]
	units := 0
	for i := 0; i < len(s); {
		w, u := step(s[i:], e)
		if units+u > p.Character {
			return line.Start + i
		}
		units += u
		i += w
	}
	return line.End
}

// Position is the place of the byte offset off (clamped), counted in e. Inside
// a character it is the character's start, inside "\r\n" the end of the line's
// text.
func (t *Text) Position(off int, e Encoding) Position {
	off = min(max(off, 0), len(t.s))
	n := t.LineAt(off)
	line := t.Line(n)
	off = min(off, line.End)
	if t.ascii {
		return Position{n, off - line.Start}
	}
	off = t.runeBorder(off)
	if e == UTF8 {
		return Position{n, off - line.Start}
	}
	return Position{n, units(t.s[line.Start:off], e)}
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
	s = s.clamp(len(t.s))
	r := Range{Start: t.Position(s.Start, e)}
	r.End = r.Start
	if !s.Empty() {
		r.End = t.Position(s.End, e)
	}
	return r
}

// runeBorder rounds off down to the start of the character it points into.
// Bytes that are not UTF-8 count as one character each.
func (t *Text) runeBorder(off int) int {
	if off <= 0 || off >= len(t.s) || utf8.RuneStart(t.s[off]) {
		return off
	}
	for k := 1; k < utf8.UTFMax && k <= off; k++ {
		if !utf8.RuneStart(t.s[off-k]) {
			continue
		}
		if _, w := utf8.DecodeRuneInString(t.s[off-k:]); w > k {
			return off - k
		}
		break
	}
	return off
}

// round is s (clamped) with both ends on borders of characters and not inside
// "\r\n", rounded down.
func (t *Text) round(s Span) Span {
	s = s.clamp(len(t.s))
	return Span{t.lineBorder(t.runeBorder(s.Start)), t.lineBorder(t.runeBorder(s.End))}
}

// lineBorder rounds off down to the beginning of the "\r\n" it points into.
func (t *Text) lineBorder(off int) int {
	if off > 0 && off < len(t.s) && t.s[off] == '\n' && t.s[off-1] == '\r' {
		return off - 1
	}
	return off
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
