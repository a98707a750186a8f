package mapping

import "ahp-lsp/mapping/words"

// findMoved looks for the lines of b, which are none of the pins and have no
// witness, among the inserted lines. The lines around them must tell that it is
// them, and which of several places, or of several removed blocks with the same
// text: "return err" is removed here and written there in most changes.
func (a *Alignment) findMoved(b block) found {
	const (
		limit  = 64  // places; more mean the text says nothing
		proof  = 0.5 // likeness of the surroundings that proves a place
		margin = 0.15
	)
	x := a.index()
	lead := b.first
	for lead < b.end && !x.hasWord[x.line[lead]] {
		lead++
	}
	if lead == b.end {
		return notFound // lines without a word never move on their own
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
	if len(to) == 0 {
		return notFound
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
			if !words.Any(s) {
				continue
			}
			full += w
			if p[1] >= 0 && p[1] < a.current.contentLines() {
				sum += w * words.Likeness(s, a.current.content(p[1]))
			}
		}
	}
	if full == 0 {
		return 0
	}
	return sum / full
}
