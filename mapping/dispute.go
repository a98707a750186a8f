package mapping

import (
	"sort"

	"ahp-lsp/mapping/words"
)

// disputed are the lines of a run, counted from its ends, that could as well be
// their twins: so many at its beginning, and at its end.
type disputed struct {
	known      bool
	head, tail int32
}

// maxDisputed is the number of lines from a run's end to the first pin above
// which they are taken to be no twins.
const maxDisputed = 64

// twinsDisputed reports whether b is among the disputed lines of r, the run the
// diff placed it in.
//
// Where equal blocks follow each other and the lines that enclose them changed,
// what is below a block does not tell it from the one above: either may have been
// removed. So the lines from a run's end to its first pin are disputed if the
// changed lines beyond that end hold a twin of them all, and the line that
// enclosed the twin became the one that encloses them now, or the line that
// enclosed them became the one that encloses the twin.
func (a *Alignment) twinsDisputed(b block, r run) bool {
	if a.disputes == nil {
		a.disputes = make([]disputed, len(a.hunks)+1)
	}
	k := a.hunkAfter(b.first) // the hunk behind the run
	d := &a.disputes[k]
	if !d.known {
		d.known = true
		if k > 0 {
			d.head = a.disputedAt(k-1, r, r.base, r.cur, 1)
		}
		if k < len(a.hunks) {
			d.tail = a.disputedAt(k, r, r.base+r.n-1, r.cur+r.n-1, -1)
		}
	}
	return b.first < r.base+int(d.head) || b.end > r.base+r.n-int(d.tail)
}

// disputedAt is the number of disputed lines of r at the end that hunk k touches.
// i and j are the last lines of r at that end, and step leads into r.
func (a *Alignment) disputedAt(k int, r run, i, j, step int) int32 {
	h := a.hunks[k]
	if h.Before.Empty() || h.After.Empty() {
		return 0
	}
	// The lines around h but for the next runs that prove themselves.
	for lo := k; lo > 0 && a.hunks[lo].Before.Start-a.hunks[lo-1].Before.End < strongRun; lo-- {
		h.Before.Start, h.After.Start = a.hunks[lo-1].Before.Start, a.hunks[lo-1].After.Start
	}
	for hi := k; hi+1 < len(a.hunks) && a.hunks[hi+1].Before.Start-a.hunks[hi].Before.End < strongRun; hi++ {
		h.Before.End, h.After.End = a.hunks[hi+1].Before.End, a.hunks[hi+1].After.End
	}
	edge := a.base.content(i)
	if h.Before.Len()+h.After.Len() > maxRegion || !a.holds(a.base, h.Before, edge) && !a.holds(a.current, h.After, edge) {
		return 0
	}
	n, says := 0, false
	for n < r.n && a.index().pin(i+n*step) < 0 {
		says = says || words.Any(a.base.content(i+n*step))
		if n++; n > maxDisputed {
			return 0
		}
	}
	outside, here := i-step, j-step
	to, _ := a.image(outside)
	if !says || to == here {
		return 0 // nobody minds, or the line outside is the same, though changed
	}
	twin := func(t *Text, first int) bool {
		for k := range n {
			if at := first + k*step; at < 0 || at >= t.contentLines() || t.content(at) != a.base.content(i+k*step) {
				return false
			}
		}
		return true
	}
	if to >= 0 && twin(a.current, to+step) {
		return int32(n)
	}
	for from := h.Before.Start; from < h.Before.End; from++ {
		if became, _ := a.image(from); became == here && from != outside && twin(a.base, from+step) {
			return int32(n)
		}
	}
	return 0
}

// forgetDisputes forgets what was found about the runs around the hunk that holds
// line j of the current text, of which the words changed.
func (a *Alignment) forgetDisputes(j int) {
	h := a.hunks
	k := sort.Search(len(h), func(k int) bool { return h[k].After.End > j })
	lo, hi := k, k
	for lo > 0 && lo < len(h) && h[lo].Before.Start-h[lo-1].Before.End < strongRun {
		lo--
	}
	for hi+1 < len(h) && h[hi+1].Before.Start-h[hi].Before.End < strongRun {
		hi++
	}
	for ; lo <= min(hi+1, len(h)); lo++ {
		a.disputes[lo] = disputed{}
	}
}

// holds reports whether one of the lines l of t reads s.
func (a *Alignment) holds(t *Text, l LineRange, s string) bool {
	for i := l.Start; i < l.End; i++ {
		if t.content(i) == s {
			return true
		}
	}
	return false
}
