package mapping

import (
	"sort"
	"strings"
)

// Hunk is one change between two texts, in whole lines (zero based). For a pure
// deletion After is empty and After.Start is the line before which the removed
// lines stood; for a pure insertion the same holds for Before.
type Hunk struct{ Before, After LineRange }

// Hunks compares two texts line by line. Line ends compare equal whatever their
// kind, and so do texts that differ in a byte order mark only: both are matters
// of encoding, which editors change on their own. A missing line end at the end
// of the text is a change. Texts without a difference give nil.
//
// The empty line behind a final line end is never part of a hunk, so
// before.Lines(h.Before) replaced by after.Slice(after.Lines(h.After)), hunk by
// hunk from the last to the first, turns before into after.
func Hunks(before, after *Text) []Hunk {
	b, a := trimLines(before, after)
	return finalLineEnd(before, after, contentHunks(before, after, b, a))
}

const byteOrderMark = "\uFEFF"

// hasMark reports whether the document begins with a byte order mark.
func (t *Text) hasMark() bool {
	return len(t.chunks) > 0 && strings.HasPrefix(t.chunks[0].s, byteOrderMark)
}

// markLen is the number of bytes of the byte order mark.
func (t *Text) markLen() int {
	if t.hasMark() {
		return len(byteOrderMark)
	}
	return 0
}

// contentLines is the number of lines a diff compares: all but the empty one
// behind a final line end, or behind nothing but a byte order mark.
func (t *Text) contentLines() int { return t.full }

// content is line i without line end and byte order mark: what makes two lines
// equal.
func (t *Text) content(i int) string {
	c, k := t.chunkOfLine(i)
	if c == nil {
		return ""
	}
	s := c.fullLine(k)
	line := trimLineEnd(c.s[s.Start:s.End])
	if i == 0 {
		return strings.TrimPrefix(line, byteOrderMark)
	}
	return line
}

// trimLines gives the lines of both texts that are left when the common lines
// at both ends are cut off, but for slideRoom of them. Cutting makes the usual
// keystroke cost little more than comparing memory.
func trimLines(before, after *Text) (b, a LineRange) {
	nb, na := before.contentLines(), after.contentLines()
	b, a = LineRange{0, nb}, LineRange{0, na}

	bm, am := before.markLen(), after.markLen()
	prefix := commonFrom(before, bm, after, am)
	rest := min(before.size-bm, after.size-am) - prefix
	if rest == 0 && before.size-bm == after.size-am {
		return LineRange{}, LineRange{}
	}
	// Lines before the one with the first difference are equal. The minimum is
	// for "\r" against "\r\n", where the line ends in one text only.
	first := min(before.LineAt(bm+prefix), after.LineAt(am+prefix))
	b.Start = max(first-slideRoom, 0)
	a.Start = b.Start
	if suffix := commonUpTo(before, before.size, after, after.size, rest); suffix > 1 {
		// A line whose line end before it is common too is a line in both.
		first := before.LineAt(before.size-suffix) + 1
		keep := max(nb-first-slideRoom, 0)
		b.End, a.End = max(nb-keep, b.Start), max(na-keep, a.Start)
	}
	return b, a
}

// shrink takes equal lines off both ends of h.
func shrink(before, after *Text, h Hunk) Hunk {
	b, a := &h.Before, &h.After
	equal := func(i, j int) bool {
		return before.content(i) == after.content(j) && before.open(i) == after.open(j)
	}
	for !b.Empty() && !a.Empty() && equal(b.Start, a.Start) {
		b.Start++
		a.Start++
	}
	for !b.Empty() && !a.Empty() && equal(b.End-1, a.End-1) {
		b.End--
		a.End--
	}
	return h
}

// open reports whether line i has no line end.
func (t *Text) open(i int) bool { return i == t.lines-1 }

// normal is the lines of r as the differ wants them: every one ending in a
// single "\n", no byte order mark.
func (t *Text) normal(r LineRange) string {
	s := t.Slice(t.Lines(r))
	if r.Start == 0 {
		s = strings.TrimPrefix(s, byteOrderMark)
	}
	if s == "" {
		return ""
	}
	if strings.IndexByte(s, '\r') < 0 {
		if s[len(s)-1] != '\n' {
			s += "\n"
		}
		return s
	}
	var sb strings.Builder
	sb.Grow(len(s) + 1)
	for i := r.Start; i < r.End; i++ {
		sb.WriteString(t.content(i))
		sb.WriteByte('\n')
	}
	return sb.String()
}

// finalLineEnd adds the change of a missing final line end to hunks, which were
// found by content alone.
func finalLineEnd(before, after *Text, hunks []Hunk) []Hunk {
	nb, na := before.contentLines(), after.contentLines()
	bOpen := nb > 0 && nb == before.LineCount()
	aOpen := na > 0 && na == after.LineCount()
	if bOpen == aOpen && (!bOpen || matched(hunks, nb-1) == na-1) {
		return hunks
	}
	// At most the last line of each side lacks its end.
	hunks = append([]Hunk(nil), hunks...)
	if bOpen {
		if j := matched(hunks, nb-1); j >= 0 {
			hunks = addPair(hunks, nb-1, j)
		}
	}
	if aOpen {
		if i := matchedBack(hunks, na-1); i >= 0 && !(bOpen && i == nb-1) {
			hunks = addPair(hunks, i, na-1)
		}
	}
	// A line that the differ paired with another than its last may be equal after
	// all to one at the edge of the last hunk.
	if k := len(hunks) - 1; k >= 0 {
		hunks[k] = shrink(before, after, hunks[k])
	}
	return hunks
}

// matched is the line of the after side equal to line i of the before side, or
// -1 if i is inside a hunk.
func matched(hunks []Hunk, i int) int {
	k := sort.Search(len(hunks), func(k int) bool { return hunks[k].Before.End > i })
	// hunks[k] is the first that ends behind i; the one before it ended at or
	// before i and so carries the shift.
	if k < len(hunks) && hunks[k].Before.Start <= i {
		return -1
	}
	if k == 0 {
		return i
	}
	h := hunks[k-1]
	return i - h.Before.End + h.After.End
}

// matchedBack is the line of the before side equal to line j of the after side,
// or -1 if j is inside a hunk.
func matchedBack(hunks []Hunk, j int) int {
	k := sort.Search(len(hunks), func(k int) bool { return hunks[k].After.End > j })
	if k < len(hunks) && hunks[k].After.Start <= j {
		return -1
	}
	if k == 0 {
		return j
	}
	h := hunks[k-1]
	return j - h.After.End + h.Before.End
}

// addPair turns the match of line i with line j into a change and joins it with
// the hunks it touches.
func addPair(hunks []Hunk, i, j int) []Hunk {
	h := Hunk{LineRange{i, i + 1}, LineRange{j, j + 1}}
	k := sort.Search(len(hunks), func(k int) bool {
		return hunks[k].Before.Start > i || hunks[k].After.Start > j
	})
	from, to := k, k
	if k > 0 && hunks[k-1].Before.End == i && hunks[k-1].After.End == j {
		h.Before.Start, h.After.Start = hunks[k-1].Before.Start, hunks[k-1].After.Start
		from--
	}
	if k < len(hunks) && hunks[k].Before.Start == i+1 && hunks[k].After.Start == j+1 {
		h.Before.End, h.After.End = hunks[k].Before.End, hunks[k].After.End
		to++
	}
	out := append([]Hunk(nil), hunks[:from]...)
	out = append(out, h)
	return append(out, hunks[to:]...)
}
