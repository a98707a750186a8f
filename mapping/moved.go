package mapping

import "strings"

// findMoved looks for the lines of b, which are none of the pins and have no
// witness, among the inserted lines. Several places, or several removed blocks
// with the same text, are told apart by the lines around them.
func (a *Alignment) findMoved(b block) found {
	const (
		limit  = 64  // places; more mean the text says nothing
		proof  = 0.5 // likeness of the surroundings that proves a place
		margin = 0.15
	)
	x := a.index()
	lead := b.first
	for lead < b.end && !x.telly[x.line[lead]] {
		lead++
	}
	if lead == b.end {
		return notFound // mute lines never move on their own
	}
	lost := a.lostLines()
	id := x.line[lead]
	if len(lost.cur[id]) > limit || len(lost.base[id]) > limit {
		return notFound
	}
	var to, from []int
	for _, j := range lost.cur[id] {
		if at := int(j) - (lead - b.first); x.equal(b.first, at, b.lines()) && !a.taken(b, at) {
			to = append(to, at)
		}
	}
	for _, i := range lost.base[id] {
		if first := int(i) - (lead - b.first); sameLines(x, b, first) {
			from = append(from, first)
		}
	}
	switch {
	case len(to) == 0:
		return notFound
	case len(to) == 1 && len(from) == 1:
		return found{to[0], Moved, 0.9}
	}
	best, score, second := -1, 0.0, 0.0
	for _, at := range to {
		if s := a.surroundings(b.first, at, b.lines()); s > score {
			best, score, second = at, s, score
		} else {
			second = max(second, s)
		}
	}
	if score < proof || score < second+margin {
		return notFound
	}
	for _, first := range from {
		if first != b.first && a.surroundings(first, best, b.lines())+margin > score {
			return notFound // could as well be that one
		}
	}
	return found{best, Moved, 0.8}
}

// lostLines are the lines the diff found no partner for although there are some
// in both texts, by the number of their content.
type lostLines struct{ base, cur map[int32][]int32 }

func (a *Alignment) lostLines() *lostLines {
	if a.lost != nil {
		return a.lost
	}
	x := a.index()
	a.lost = &lostLines{make(map[int32][]int32), make(map[int32][]int32)}
	for _, h := range a.hunks {
		for i := h.Before.Start; i < h.Before.End; i++ {
			if id := x.line[i]; x.curCount[id] > 0 {
				a.lost.base[id] = append(a.lost.base[id], int32(i))
			}
		}
		for j := h.After.Start; j < h.After.End; j++ {
			if id := x.cur[j]; id >= 0 {
				a.lost.cur[id] = append(a.lost.cur[id], int32(j))
			}
		}
	}
	return a.lost
}

// sameLines reports whether the base lines from first are those of b.
func sameLines(x *lineIndex, b block, first int) bool {
	if first < 0 || first+b.lines() > len(x.line) {
		return false
	}
	for k := range b.lines() {
		if x.line[first+k] != x.line[b.first+k] {
			return false
		}
	}
	return true
}

// surroundings compares the three lines above and below n lines of the base
// with those around line at of the current text, from 0 to 1. Near lines count
// more.
func (a *Alignment) surroundings(first, at, n int) float64 {
	sum, full := 0.0, 0.0
	for d := 1; d <= 3; d++ {
		w := 1 / float64(d)
		for _, p := range [2][2]int{{first - d, at - d}, {first + n - 1 + d, at + n - 1 + d}} {
			if p[0] < 0 || p[0] >= a.base.contentLines() {
				continue
			}
			s := a.base.content(p[0])
			if !telling(s) {
				continue
			}
			full += w
			if p[1] >= 0 && p[1] < a.current.contentLines() {
				sum += w * lineLikeness(s, a.current.content(p[1]))
			}
		}
	}
	if full == 0 {
		return 0
	}
	return sum / full
}

const (
	// minLoose is the number of bytes without white space a text must have to be
	// looked for regardless of white space.
	minLoose = 6
	// maxLoose is the number of inserted bytes above which nothing is.
	maxLoose = 128 << 10
)

// looseText is the inserted text without its white space, hunks separated by
// "\n", and for every byte the offset in the current text it came from.
type looseText struct {
	s   string
	pos []int32
}

func (a *Alignment) looseText() *looseText {
	if a.loose != nil {
		return a.loose
	}
	a.loose = new(looseText)
	size := 0
	for _, h := range a.hunks {
		size += a.current.Lines(h.After).Len() + 1
	}
	if size > maxLoose {
		return a.loose
	}
	ranges := make([]LineRange, len(a.hunks))
	for k, h := range a.hunks {
		ranges[k] = h.After
	}
	a.loose = looseOf(a.current, ranges...)
	return a.loose
}

// looseOf takes the white space out of lines of t.
func looseOf(t *Text, ranges ...LineRange) *looseText {
	size := 0
	for _, r := range ranges {
		size += t.Lines(r).Len() + 1
	}
	buf := make([]byte, 0, size)
	pos := make([]int32, 0, size)
	for _, r := range ranges {
		s := t.Lines(r)
		text := t.Slice(s)
		for i := 0; i < len(text); i++ {
			if c := text[i]; !isSpace(c) {
				buf = append(buf, c)
				pos = append(pos, int32(s.Start+i))
			}
		}
		buf = append(buf, '\n')
		pos = append(pos, int32(s.End))
	}
	return &looseText{string(buf), pos}
}

// squeeze is s without white space.
func squeeze(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !isSpace(s[i]) {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// findLoose looks for the text of span among the inserted lines, regardless of
// white space. It must be there once and have been in the base once.
func (a *Alignment) findLoose(span Span, b block) (Span, bool) {
	quote := a.base.Slice(span)
	if b.point {
		quote = a.base.content(b.first)
	}
	if len(quote) > 2*maxLoose {
		return Span{}, false
	}
	text := a.looseText()
	q := squeeze(quote)
	if len(q) < minLoose || len(q) > len(text.s) || !telling(q) {
		return Span{}, false
	}
	i, n := -1, 0
	for from := 0; ; {
		k := strings.Index(text.s[from:], q)
		if k < 0 {
			break
		}
		s := Span{int(text.pos[from+k]), int(text.pos[from+k+len(q)-1]) + 1}
		if b.whole || sameJoints(a.base, span, a.current, s) {
			i = from + k
			n++
		}
		from += k + 1
	}
	if n != 1 || strings.Count(a.base.String(), strings.TrimSpace(quote)) > 1 {
		return Span{}, false
	}
	s := Span{int(text.pos[i]), int(text.pos[i+len(q)-1]) + 1}
	return a.widen(s, b), true
}

// widen gives s the white space b has at its borders: the indentation, if b
// begins at the first column, and the line end, if it has one.
func (a *Alignment) widen(s Span, b block) Span {
	if b.startCol == 0 {
		if head := a.current.contentSpan(a.current.LineAt(s.Start)); blank(a.current.Slice(Span{head.Start, s.Start})) {
			s.Start = head.Start
		}
	}
	foot := a.current.LineAt(s.End)
	if b.whole && blank(a.current.Slice(Span{s.End, max(s.End, a.current.Line(foot).End)})) {
		if b.tail {
			s.End = a.current.FullLine(foot).End
		} else if b.endCol == a.base.contentSpan(b.end-1).Len() {
			s.End = max(s.End, a.current.Line(foot).End)
		}
	}
	if b.point {
		s.End = s.Start
	}
	return s
}

// findExact looks for the text of span, a part of a line, among the inserted
// lines. It must be there once and have been in the base once.
func (a *Alignment) findExact(span Span) (Span, bool) {
	quote := a.base.Slice(span)
	if quote == "" {
		return Span{}, false
	}
	at, n := -1, 0
	for _, h := range a.hunks {
		lines := a.current.Lines(h.After)
		text := a.current.Slice(lines)
		for from := 0; n < 2; {
			k := strings.Index(text[from:], quote)
			if k < 0 {
				break
			}
			k += from
			from = k + 1
			s := Span{lines.Start + k, lines.Start + k + len(quote)}
			if a.current.round(s) == s && sameJoints(a.base, span, a.current, s) {
				at = s.Start
				n++
			}
		}
	}
	if n != 1 || strings.Count(a.base.String(), quote) != 1 {
		return Span{}, false
	}
	return Span{at, at + len(quote)}, true
}
