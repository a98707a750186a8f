package mapping

// Span is a half-open range [Start, End) of byte offsets into UTF-8 text. It is
// the only unit used inside the program; positions of editors and hosts are
// converted at the edge.
type Span struct{ Start, End int }

// Len is the number of bytes the span covers.
func (s Span) Len() int { return s.End - s.Start }

// Empty reports whether the span is a mere point between two bytes.
func (s Span) Empty() bool { return s.End <= s.Start }

// clamp orders the ends of s and forces both into [0, n].
func (s Span) clamp(n int) Span {
	if s.Start > s.End {
		s.Start, s.End = s.End, s.Start
	}
	return Span{min(max(s.Start, 0), n), min(max(s.End, 0), n)}
}

// Position is a place in a document as editors and hosts write it: both numbers
// are zero based, and the unit of Character depends on the [Encoding] in force.
type Position struct{ Line, Character int }

// Range is a half-open pair of positions.
type Range struct{ Start, End Position }

// LineRange is a half-open range of zero-based line numbers. An empty one is the
// place before line Start.
type LineRange struct{ Start, End int }

// Len is the number of lines in the range.
func (r LineRange) Len() int { return r.End - r.Start }

// Empty reports whether the range holds no line.
func (r LineRange) Empty() bool { return r.End <= r.Start }

// Transform carries s over one edit that replaced the bytes of edit with
// insertLen bytes, all in the coordinates before the edit. The start of s has
// right gravity and its end left gravity: text typed at either border stays
// outside, so a span never grows by typing next to it. An empty span stays
// empty and moves behind text inserted at its place. touched reports whether
// the edit changed something between the ends of s.
func Transform(s Span, edit Span, insertLen int) (_ Span, touched bool) {
	delta := insertLen - edit.Len()
	switch {
	case edit.Empty() && s.Empty() && edit.Start == s.Start:
		return Span{s.Start + insertLen, s.End + insertLen}, false
	case edit.End <= s.Start:
		return Span{s.Start + delta, s.End + delta}, false
	case edit.Start >= s.End:
		return s, false
	}
	start, end := s.Start, s.End
	if edit.Start <= start {
		start = edit.Start + insertLen
	}
	if edit.End >= end {
		end = edit.Start
	} else {
		end += delta
	}
	if end < start {
		// The whole text of s was replaced: a point behind what replaced it.
		end = start
	}
	return Span{start, end}, true
}
