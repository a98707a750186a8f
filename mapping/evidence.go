package mapping

// maxWitness is the number of lines in which a line that occurs once in both
// texts still tells where its neighbour went.
const maxWitness = 64

// witness is where a block must be by the testimony of the nearest pin on one
// side of it: a line that occurs once in both texts, and between it and the
// block the same lines in both.
type witness struct {
	at   int // first line of the block in the current text
	dist int // lines from the block to the pin, at least 1; 0 if there is no witness
}

func (w witness) ok() bool { return w.dist > 0 }

// above asks the nearest pin above b.
func (a *Alignment) above(b block) witness {
	x := a.index()
	for i := b.first - 1; i >= 0 && b.first-i <= maxWitness; i-- {
		if p := x.pin(i); p >= 0 {
			if x.equal(i+1, p+1, b.end-i-1) {
				return witness{p + b.first - i, b.first - i}
			}
			break
		}
	}
	return witness{}
}

// below asks the nearest pin below b.
func (a *Alignment) below(b block) witness {
	x := a.index()
	for i := b.end; i < len(x.line) && i-b.end < maxWitness; i++ {
		if p := x.pin(i); p >= 0 {
			if at := p - (i - b.first); x.equal(b.first, at, i-b.first) {
				return witness{at, i - b.end + 1}
			}
			break
		}
	}
	return witness{}
}

// inside is where b must be because one of its own lines is a pin, or -1. fits
// reports whether all of b is there.
func (a *Alignment) inside(b block) (at int, fits bool) {
	x := a.index()
	at = -1
	for i := b.first; i < b.end && i-b.first < maxWitness; i++ {
		if p := x.pin(i); p >= 0 {
			if at = p - (i - b.first); x.equal(b.first, at, b.lines()) {
				return at, true
			}
		}
	}
	return at, false
}

// run is a stretch of lines the diff found equal: from line base of the one
// text and line cur of the other, n lines.
type run struct{ base, cur, n int }

// runOf is the run base line i is in.
func (a *Alignment) runOf(i int) (run, bool) {
	k := a.hunkAfter(i)
	if k < len(a.hunks) && a.hunks[k].Before.Start <= i {
		return run{}, false
	}
	r := run{}
	if k > 0 {
		r.base, r.cur = a.hunks[k-1].Before.End, a.hunks[k-1].After.End
	}
	end := a.base.contentLines()
	if k < len(a.hunks) {
		end = a.hunks[k].Before.Start
	}
	r.n = end - r.base
	return r, true
}

// diffed is the first line of b in the current text if the diff found all of b
// in one run.
func (a *Alignment) diffed(b block) (at int, r run, ok bool) {
	r, ok = a.runOf(b.first)
	if !ok || b.end > r.base+r.n {
		return -1, r, false
	}
	return r.cur + b.first - r.base, r, true
}

// contested reports whether a witness could contradict the diff, which placed b
// in r. Only at the edge of a run is another place possible: the
// neighbour beyond it moved, and a twin of b may have moved with it. Most anchors
// are not at an edge and so need no index.
func (a *Alignment) contested(b block, r run) bool {
	n := b.lines()
	if b.first == r.base {
		if k := a.hunkBefore(r); k >= 0 {
			h := a.hunks[k]
			if len(a.hunks) > 1 && !h.Before.Empty() {
				return true
			}
			if a.equalContent(b.first, h.After.Start, n) {
				return true // the diff could have cut one block later
			}
		}
	}
	if b.end == r.base+r.n {
		if k := a.hunkAfter(b.end - 1); k < len(a.hunks) {
			h := a.hunks[k]
			if len(a.hunks) > 1 && !h.Before.Empty() {
				return true
			}
			if a.equalContent(b.first, h.After.End-n, n) {
				return true
			}
		}
	}
	return false
}

// hunkAfter is the index of the first hunk that ends behind base line i.
func (a *Alignment) hunkAfter(i int) int {
	lo, hi := 0, len(a.hunks)
	for lo < hi {
		if m := (lo + hi) / 2; a.hunks[m].Before.End > i {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return lo
}

// hunkBefore is the index of the hunk at which r begins, or -1.
func (a *Alignment) hunkBefore(r run) int {
	k := a.hunkAfter(r.base) - 1
	if k >= 0 && a.hunks[k].Before.End == r.base {
		return k
	}
	return -1
}

// equalContent is lineIndex.equal without the index.
func (a *Alignment) equalContent(i, j, n int) bool {
	if j < 0 || j+n > a.current.contentLines() {
		return false
	}
	for k := range n {
		if a.base.content(i+k) != a.current.content(j+k) {
			return false
		}
	}
	return true
}
