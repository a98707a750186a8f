package mapping

import "ahp-lsp/mapping/words"

// mapExact is MapSpan for different texts.
func (a *Alignment) mapExact(s Span) (Span, bool) {
	b := blockOf(a.base, s)
	if n := a.base.contentLines(); b.first >= n {
		// The empty last line is there if the text before it still ends there.
		if n == 0 || matched(a.hunks, n-1) != a.current.contentLines()-1 {
			return Span{}, false
		}
		return Span{a.current.Len(), a.current.Len()}, true
	}
	at, r, ok := a.diffed(b)
	if !ok {
		return a.mapBytes(s)
	}
	if b.point && b.startCol == 0 && b.first == r.base && r.base+r.cur > 0 {
		return Span{}, false // text was inserted or removed at its place
	}
	if r.n < strongRun || a.contested(b, r) {
		if f := a.findEqual(b); f.at != at || f.state != Live {
			return Span{}, false
		}
	}
	return b.at(a.current, at), true
}

// mapBytes translates a span that begins or ends in changed lines but touches
// none of the changed bytes in them.
func (a *Alignment) mapBytes(s Span) (Span, bool) {
	if s.Empty() {
		return Span{}, false
	}
	start, before, ok := a.mapByte(s.Start, true)
	if !ok {
		return Span{}, false
	}
	end, upTo, ok := a.mapByte(s.End, false)
	to := a.current.round(Span{start, end})
	if !ok || before != upTo || !sameText(a.base.Slice(s), a.current.Slice(to)) {
		return Span{}, false
	}
	return to, true
}

// mapByte translates one end of a span, and counts the changes before it. It
// reports false inside a change.
func (a *Alignment) mapByte(off int, isStart bool) (to, changes int, ok bool) {
	i := a.base.LineAt(off)
	if !isStart && off == a.base.lineStart(i) {
		i-- // ends with the line end before it
	}
	k := a.hunkAfter(i)
	if k == len(a.hunks) || a.hunks[k].Before.Start > i {
		j := matched(a.hunks, i)
		if j < 0 || j >= a.current.LineCount() {
			return 0, 0, false
		}
		if off >= a.base.FullLine(i).End {
			return a.current.FullLine(j).End, k, true
		}
		from, line := a.base.contentSpan(i), a.current.contentSpan(j)
		return min(line.Start+max(off-from.Start, 0), line.End), k, true
	}
	was, is := a.base.Lines(a.hunks[k].Before), a.current.Lines(a.hunks[k].After)
	x, y := a.base.Slice(was), a.current.Slice(is)
	p := words.CommonPrefix(x, y)
	rest := min(len(x), len(y)) - p
	q := words.CommonSuffix(x[len(x)-rest:], y[len(y)-rest:])
	switch {
	case off < was.Start+p || !isStart && off == was.Start+p:
		return is.Start + off - was.Start, k, true
	case off > was.End-q || isStart && off == was.End-q:
		return is.End - (was.End - off), k + 1, true
	}
	return 0, 0, false
}
