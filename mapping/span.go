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
