package mapping

import (
	"sort"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// Sizes in lines. Tests make them small.
var (
	// slideRoom is the number of equal lines around a difference that the differ
	// still sees, so that its heuristics can slide a change to where a reader
	// expects it.
	slideRoom = 32
	// exactLines is the size of the texts up to which the differ gets them in one
	// piece. What is larger is cut at equal lines first, as otherwise two large
	// texts with little in common but blank lines and brackets would cost seconds.
	exactLines = 10_000
	// partLines is the size up to which a part of larger texts is not cut again.
	partLines = 2000
)

// maxDepth bounds how often a part is cut at lines that occur once in it.
const maxDepth = 16

// contentHunks is the diff by content of the lines b and a, outside of which
// the texts are equal, see trimLines.
func contentHunks(before, after *Text, b, a LineRange) []Hunk {
	switch {
	case b.Empty() && a.Empty():
		return nil
	case max(b.Len(), a.Len()) <= exactLines:
		return exactHunks(before, after, b, a)
	}
	return newCutter(before, after, b, a).all()
}

// exactHunks gives the lines b and a to the differ.
func exactHunks(before, after *Text, b, a LineRange) []Hunk {
	found := textdiff.Hunks(before.normal(b), after.normal(a), diff.Context(0), textdiff.IndentHeuristic())
	if len(found) == 0 {
		return nil
	}
	hunks := make([]Hunk, len(found))
	for i, h := range found {
		hunks[i] = Hunk{
			Before: LineRange{b.Start + h.LineNoX, b.Start + h.EndLineNoX},
			After:  LineRange{a.Start + h.LineNoY, a.Start + h.EndLineNoY},
		}
	}
	return hunks
}

// cutter compares large texts: it cuts them at lines that are surely equal and
// compares the parts. Its time grows with the size of the texts, not with its
// square; every cut is at equal lines, so no hunk grows because of it.
type cutter struct {
	before, after *Text
	b, a          LineRange
	// ids number the distinct contents of the lines; -1 is a line of after that
	// before does not have.
	idsB, idsA     []int32
	countB, countA []uint8 // scratch: how often a number occurs in a part, up to 2
	posB           []int32 // scratch: one line of the before side with a number
	hunks          []Hunk
}

func newCutter(before, after *Text, b, a LineRange) *cutter {
	c := &cutter{before: before, after: after, b: b, a: a}
	ids := make(map[string]int32, b.Len())
	c.idsB = make([]int32, b.Len())
	for i := range c.idsB {
		s := before.content(b.Start + i)
		id, ok := ids[s]
		if !ok {
			id = int32(len(ids))
			ids[s] = id
		}
		c.idsB[i] = id
	}
	c.idsA = make([]int32, a.Len())
	for j := range c.idsA {
		id, ok := ids[after.content(a.Start+j)]
		if !ok {
			id = -1
		}
		c.idsA[j] = id
	}
	c.countB, c.countA = make([]uint8, len(ids)), make([]uint8, len(ids))
	c.posB = make([]int32, len(ids))
	return c
}

// all gives the hunks of the whole.
func (c *cutter) all() []Hunk {
	c.cut(c.b, c.a, 0)
	return c.joined()
}

// idB and idA are the numbers of a line of before and of after.
func (c *cutter) idB(i int) int32 { return c.idsB[i-c.b.Start] }
func (c *cutter) idA(j int) int32 { return c.idsA[j-c.a.Start] }

// small reports whether a part can be given to the differ.
func small(b, a LineRange) bool {
	return b.Len() <= partLines && a.Len() <= partLines || b.Len()*a.Len() <= partLines*partLines
}

// exact compares one part.
func (c *cutter) exact(b, a LineRange) {
	c.hunks = append(c.hunks, exactHunks(c.before, c.after, b, a)...)
}

// cut compares the parts of b and a between runs of equal lines, so that the
// cuts are in the middle of runs, or in the middle of long ones where there are.
func (c *cutter) cut(b, a LineRange, depth int) {
	if small(b, a) {
		c.exact(b, a)
		return
	}
	var runs []run
	if depth < maxDepth {
		runs = c.runs(b, a)
	}
	if len(runs) == 0 {
		c.slide(b, a)
		return
	}
	from := run{base: b.Start, cur: a.Start}
	part := func(base, cur int) {
		pb, pa := LineRange{from.base, base}, LineRange{from.cur, cur}
		from.base, from.cur = base, cur
		switch {
		case pb == b && pa == a:
			c.slide(b, a)
		case pb.Len() != pa.Len() || !c.equal(pb, pa):
			c.cut(pb, pa, depth+1)
		}
	}
	for k, r := range runs {
		next := run{base: b.End, cur: a.End}
		if k+1 < len(runs) {
			next = runs[k+1]
		}
		far := max(r.base-from.base, r.cur-from.cur) >= partLines/2 || max(next.base-from.base, next.cur-from.cur) > partLines
		switch {
		case r.n >= 4*slideRoom:
			// The equal lines in between need not be compared again.
			part(r.base+slideRoom, r.cur+slideRoom)
			from.base, from.cur = r.base+r.n-slideRoom, r.cur+r.n-slideRoom
		case r.n >= 2*slideRoom || far:
			part(r.base+r.n/2, r.cur+r.n/2)
		}
	}
	part(b.End, a.End)
}

func (c *cutter) equal(b, a LineRange) bool {
	for k := range b.Len() {
		if c.idB(b.Start+k) != c.idA(a.Start+k) {
			return false
		}
	}
	return true
}

// runs are stretches of equal lines in b and a, in order: each around a line
// that occurs once in both, and the ends of the part.
func (c *cutter) runs(b, a LineRange) []run {
	for i := b.Start; i < b.End; i++ {
		id := c.idB(i)
		c.countB[id] = min(c.countB[id]+1, 2)
		c.posB[id] = int32(i)
	}
	for j := a.Start; j < a.End; j++ {
		if id := c.idA(j); id >= 0 {
			c.countA[id] = min(c.countA[id]+1, 2)
		}
	}
	var once []run
	for j := a.Start; j < a.End; j++ {
		if id := c.idA(j); id >= 0 && c.countB[id] == 1 && c.countA[id] == 1 {
			once = append(once, run{base: int(c.posB[id]), cur: j, n: 1})
		}
	}
	for i := b.Start; i < b.End; i++ {
		c.countB[c.idB(i)] = 0
	}
	for j := a.Start; j < a.End; j++ {
		if id := c.idA(j); id >= 0 {
			c.countA[id] = 0
		}
	}
	return c.grown(longestAscent(once), b, a)
}

// grown adds the equal lines around each run, and those at both ends of b and a.
func (c *cutter) grown(runs []run, b, a LineRange) []run {
	var out []run
	endB, endA := b.Start, a.Start
	add := func(i, j int) { // a run with line i and j in it, or right before them
		r := run{base: i, cur: j}
		for r.base > endB && r.cur > endA && c.idB(r.base-1) == c.idA(r.cur-1) {
			r.base--
			r.cur--
		}
		for i < b.End && j < a.End && c.idB(i) == c.idA(j) {
			i++
			j++
		}
		if r.n = i - r.base; r.n > 0 {
			out = append(out, r)
			endB, endA = i, j
		}
	}
	add(b.Start, a.Start)
	for _, r := range runs {
		if r.base >= endB && r.cur >= endA {
			add(r.base, r.cur)
		}
	}
	add(b.End, a.End)
	return out
}

// longestAscent gives the most of the pairs, ascending in cur, that ascend in
// base too.
func longestAscent(pairs []run) []run {
	tails := make([]int32, 0, len(pairs)) // the pair that ends the best chain of each length
	prev := make([]int32, len(pairs))
	for k, p := range pairs {
		n := sort.Search(len(tails), func(n int) bool { return pairs[tails[n]].base >= p.base })
		prev[k] = -1
		if n > 0 {
			prev[k] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, 0)
		}
		tails[n] = int32(k)
	}
	out := make([]run, len(tails))
	if len(tails) == 0 {
		return out
	}
	for n, k := len(tails)-1, tails[len(tails)-1]; n >= 0; n, k = n-1, prev[k] {
		out[n] = pairs[k]
	}
	return out
}

// slide compares a part in which no line occurs once in both: through a window
// that moves on to the last equal lines found in its first three quarters. A
// window in which hardly anything is equal is doubled, up to a limit.
func (c *cutter) slide(b, a LineRange) {
	least, most := max(partLines/8, 1), 4*partLines // sizes of the window
	size := least
	for !small(b, a) {
		wb := LineRange{b.Start, min(b.Start+size, b.End)}
		wa := LineRange{a.Start, min(a.Start+size, a.End)}
		hunks := exactHunks(c.before, c.after, wb, wa)
		if wb.End == b.End && wa.End == a.End {
			c.hunks = append(c.hunks, hunks...)
			return
		}
		toB, toA, n := lastEqual(hunks, wb, b.Start+3*size/4, wa, a.Start+3*size/4)
		if toB-b.Start+toA-a.Start < max(size/8, 1) {
			if size < most {
				size *= 2
				continue
			}
			toB, toA, n = wb.End, wa.End, len(hunks)
		}
		c.hunks = append(c.hunks, hunks[:n]...)
		b.Start, a.Start = toB, toA
		size = least
	}
	c.exact(b, a)
}

// lastEqual is behind the last equal lines of b and a before the given lines,
// and the number of hunks before it.
func lastEqual(hunks []Hunk, b LineRange, limB int, a LineRange, limA int) (toB, toA, n int) {
	toB, toA = b.Start, a.Start
	i, j := b.Start, a.Start
	for k := 0; i < limB && j < limA; k++ {
		to := b.End
		if k < len(hunks) {
			to = hunks[k].Before.Start
		}
		if m := min(to-i, limB-i, limA-j); m > 0 {
			toB, toA, n = i+m, j+m, k
		}
		if k == len(hunks) {
			break
		}
		i, j = hunks[k].Before.End, hunks[k].After.End
	}
	return toB, toA, n
}

// joined are the hunks, with those that touch made one and compared once more:
// what one part removes at its end another may add at its beginning.
func (c *cutter) joined() []Hunk {
	var out []Hunk
	for k := 0; k < len(c.hunks); {
		h := c.hunks[k]
		n := 1
		for ; k+n < len(c.hunks) && c.hunks[k+n].Before.Start == h.Before.End && c.hunks[k+n].After.Start == h.After.End; n++ {
			h.Before.End, h.After.End = c.hunks[k+n].Before.End, c.hunks[k+n].After.End
		}
		k += n
		switch {
		case n == 1:
			out = append(out, h)
		case small(h.Before, h.After):
			out = append(out, exactHunks(c.before, c.after, h.Before, h.After)...)
		default:
			if h = shrink(c.before, c.after, h); !h.Before.Empty() || !h.After.Empty() {
				out = append(out, h)
			}
		}
	}
	return out
}
