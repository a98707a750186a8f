package mapping

import (
	"strings"

	"ahp-lsp/mapping/words"
)

// placeChanged places span, of which the lines are no longer there as they
// were.
func (a *Alignment) placeChanged(span Span, b block) Placement {
	quote := a.base.Slice(span)
	here := Placement{State: Detached}
	h, ok := a.hull(b)
	if ok {
		here = a.within(span, b, h)
		if here.State == Live || here.State == Moved || here.State == Outdated && h.like >= 1 {
			return here
		}
	}
	if s, found := a.findLoose(span, b); found {
		if !b.point && sameText(quote, a.current.Slice(s)) && b.bordersKept(a.base, span, a.current, s) {
			return Placement{s, Moved, 0.9}
		}
		return Placement{s, Outdated, 0.9}
	}
	const speaking = 16 // bytes from which a part of a line is looked for elsewhere
	if !b.whole && (len(quote) >= speaking || here.State == Detached && len(quote) >= minLoose) {
		if s, found := a.findExact(span); found {
			return Placement{s, Moved, 0.8}
		}
	}
	if ok {
		return here
	}
	if h, ok := a.followed(b); ok {
		return a.within(span, b, h)
	}
	if b.lines() == 1 {
		if j, like := a.regionAt(b.first).nextBest(b.first); j >= 0 {
			return a.within(span, b, hull{first: b.first, last: b.first, from: j, to: j, like: like})
		}
	}
	p := a.goneAt(b)
	return Placement{Span{p, p}, Detached, 0}
}

// hull is what is left of a block: base line first became line from, base line
// last line to.
type hull struct {
	first, last int
	from, to    int
	moved       bool
	like        float64
}

// hull finds the lines of the current text that are lines of b, be they equal
// or alike.
func (a *Alignment) hull(b block) (hull, bool) {
	const sample = 256 // lines examined from either end of a large block
	x := a.index()
	h := hull{from: -1}
	m := hull{from: -1, moved: true}
	stay, away, wordless, sum := 0, 0, 0, 0.0
	for i := b.first; i < b.end; i++ {
		if b.lines() > 2*sample && i == b.first+sample {
			i = b.end - sample
		}
		if p := x.pin(i); p >= 0 && matched(a.hunks, i) != p {
			if m.from < 0 {
				m.first, m.from, m.to = i, p, p
			}
			m.last = i
			m.from, m.to = min(m.from, p), max(m.to, p)
			away++
			continue
		}
		j, like := a.image(i)
		if j < 0 {
			continue
		}
		if h.from < 0 {
			h.first, h.from = i, j
		}
		h.last, h.to = i, j
		sum += min(like, 1)
		if x.hasWord[x.line[i]] {
			stay++
		} else {
			wordless++
		}
	}
	n := float64(min(b.lines(), 2*sample))
	if away > stay && m.to-m.from <= 3*b.lines()+maxWitness/4 {
		m.like = min(float64(away)/n, 0.99)
		return m, true
	}
	h.like = sum / n
	// Lines without a word are no trace of lines with words.
	return h, stay > 0 || wordless > 0 && a.wordlessBlock(b)
}

// image is the line of the current text that base line i became without moving,
// and their likeness; or -1.
func (a *Alignment) image(i int) (int, float64) {
	if r := a.regionAt(i); r != nil {
		return r.image(i)
	}
	if j := matched(a.hunks, i); j >= 0 {
		return j, equalLike
	}
	return -1, 0
}

func (a *Alignment) wordlessBlock(b block) bool {
	for i := b.first; i < b.end; i++ {
		if words.Any(a.base.content(i)) {
			return false
		}
	}
	return true
}

// within maps the columns of span into the lines of h.
func (a *Alignment) within(span Span, b block, h hull) Placement {
	var s Span
	head := a.current.contentSpan(h.from)
	x, y := a.base.content(b.first), a.current.Slice(head)
	switch {
	case h.first == b.first && !h.moved:
		s.Start = head.Start + words.Match(x, y).Start(b.startCol)
	case b.startCol > 0:
		s.Start = head.Start + len(indentation(y))
	default:
		s.Start = head.Start
	}
	foot := a.current.contentSpan(h.to)
	switch {
	case b.tail:
		s.End = a.current.FullLine(h.to).End
	case h.last == b.end-1 && !h.moved:
		s.End = foot.Start + words.Match(a.base.content(h.last), a.current.Slice(foot)).End(b.endCol)
	default:
		s.End = foot.End
	}
	if b.point {
		return Placement{Span{s.Start, s.Start}, Outdated, min(h.like, 0.95)}
	}
	if s.End <= s.Start {
		return Placement{Span{s.Start, s.Start}, Detached, 0}
	}
	p := Placement{s, Outdated, min(h.like, 0.95)}
	quote, text := a.base.Slice(span), a.current.Slice(s)
	switch {
	case !sameText(quote, text):
		if s, ok := a.shifted(span, quote, h); ok && !b.whole {
			return Placement{s, Moved, 0.8}
		}
		// Typing right before or behind a word must not make the span grow.
		if i := strings.Index(text, quote); i >= 0 && !strings.Contains(text[i+1:], quote) {
			p.Span = a.current.round(Span{s.Start + i, s.Start + i + len(quote)})
		}
	case !b.bordersKept(a.base, span, a.current, s):
	case h.moved, matched(a.hunks, h.first) >= 0 && matched(a.hunks, h.first) != h.from:
		p.State = Moved
	case !b.whole || a.supported(b, h):
		p.State = Live
	}
	return p
}

// shifted finds a part of a line at another place of its line, if it is there
// once and was there once.
func (a *Alignment) shifted(span Span, quote string, h hull) (Span, bool) {
	line := a.current.contentSpan(h.from)
	was, is := a.base.content(h.first), a.current.Slice(line)
	if h.first != h.last || h.from != h.to {
		return Span{}, false
	}
	i := strings.Index(is, quote)
	if i < 0 || strings.Contains(is[i+1:], quote) || strings.Count(was, quote) != 1 {
		return Span{}, false
	}
	s := Span{line.Start + i, line.Start + i + len(quote)}
	return s, a.current.round(s) == s && sameJoints(a.base, span, a.current, s)
}

// supported reports whether a neighbour of the lines of h tells that they are
// those of b and not twins. A line that is not equal as a whole has no twins.
func (a *Alignment) supported(b block, h hull) bool {
	if _, like := a.image(b.first); like < equalLike {
		return true
	}
	up, _ := a.image(b.first - 1)
	down, _ := a.image(b.end)
	return up >= 0 && up == h.from-1 || down >= 0 && down == h.to+1
}

// followed looks for the later version of a changed line between the pins
// around it, when these moved together.
func (a *Alignment) followed(b block) (hull, bool) {
	const room = 24 // lines
	up, down := a.movedPins(b)
	if up.ok() && down.ok() && down.at-up.at <= room && b.lines() == 1 {
		best := hull{first: b.first, last: b.first}
		for j := up.at + 1; j < down.at; j++ {
			if a.index().pinned(j) {
				continue
			}
			if like := words.Likeness(a.base.content(b.first), a.current.content(j)); like >= minLikeness && like > best.like {
				best.from, best.to, best.like = j, j, like
			}
		}
		return best, best.like > 0
	}
	return hull{}, false
}

// movedPins gives the nearest pins around b, at holding their lines in the
// current text, if both moved away and are still in order.
func (a *Alignment) movedPins(b block) (up, down witness) {
	const near = 8
	x := a.index()
	for i := b.first - 1; i >= 0 && b.first-i <= near; i-- {
		if p := x.pin(i); p >= 0 {
			if matched(a.hunks, i) != p {
				up = witness{p, b.first - i}
			}
			break
		}
	}
	for i := b.end; i < len(x.line) && i-b.end < near; i++ {
		if p := x.pin(i); p >= 0 {
			if matched(a.hunks, i) != p {
				down = witness{p, i - b.end + 1}
			}
			break
		}
	}
	if up.at >= down.at {
		return witness{}, witness{}
	}
	return up, down
}

// goneAt is the byte offset in the current text at which b was: between the
// lines that stood around it.
func (a *Alignment) goneAt(b block) int {
	if up, down := a.movedPins(b); up.ok() && down.ok() && down.at-up.at <= b.lines()+maxWitness {
		return a.current.lineStart(up.at + 1)
	}
	k := a.hunkAfter(b.first)
	if k == len(a.hunks) || a.hunks[k].Before.Start > b.first {
		if j := matched(a.hunks, b.first); j >= 0 {
			return a.current.lineStart(j)
		}
		return a.current.Len()
	}
	h := a.hunks[k]
	line, skipped := h.After.Start, b.first-h.Before.Start
	for i := b.first - 1; i >= h.Before.Start && b.first-i <= maxWitness; i-- {
		if j, _ := a.image(i); j >= h.After.Start && j < h.After.End {
			line, skipped = j+1, b.first-i-1
			break
		}
	}
	limit := h.After.End
	for i := b.end; i < h.Before.End && i-b.end < maxWitness; i++ {
		if j, _ := a.image(i); j >= line && j < h.After.End {
			limit = j
			break
		}
	}
	return a.current.lineStart(min(line+skipped, max(limit-1, line)))
}
