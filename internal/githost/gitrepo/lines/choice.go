package lines

// Cover is what a range covers of one side: a set of lines, or a place between
// two lines.
type Cover struct {
	onAfter bool   // the side
	line    []bool // for every line of the side
	// exact is the range itself; start == end is a place. Absent (-1) for a
	// Cover that was carried over from another text and has holes.
	start, end int
}

// CoverOf clamps a range to a text of n lines.
func CoverOf(r Range, n int) Cover {
	c := Cover{onAfter: r.Side != BeforeSide, line: make([]bool, n)}
	c.start = min(max(r.Start, 0), n)
	c.end = min(max(r.End, c.start), n)
	for i := c.start; i < c.end; i++ {
		c.line[i] = true
	}
	return c
}

// place: the range is empty, which means a place between two lines.
func (c *Cover) place() bool { return c.start >= 0 && c.start == c.end }

// inside reports whether the place before line p is within the covered lines:
// between two of them, or at an end of the text beside one.
func (c *Cover) inside(p int) bool {
	n := len(c.line)
	return n > 0 && (p == 0 || c.line[p-1]) && (p == n || c.line[p])
}

// Choice says of every block which of its lines are selected: units 0 to
// min(m, n)-1 are the pairs, the others the lines in excess.
type Choice [][]bool

func NewChoice(c *Comparison) Choice {
	ch := make(Choice, len(c.blocks))
	for i, k := range c.blocks {
		ch[i] = make([]bool, max(k.removed(), k.added()))
	}
	return ch
}

// Any and all report whether something, or everything, is selected.
func (ch Choice) Any() bool {
	for _, units := range ch {
		for _, u := range units {
			if u {
				return true
			}
		}
	}
	return false
}

func (ch Choice) All() bool {
	for _, units := range ch {
		for _, u := range units {
			if !u {
				return false
			}
		}
	}
	return true
}

func (ch Choice) selectBlock(i int) {
	for u := range ch[i] {
		ch[i][u] = true
	}
}

// Add selects what a cover selects; see the package comment for the rule. It
// reports false if the cover would choose lines within a coarse block.
func (ch Choice) Add(c *Comparison, v Cover) bool {
	if i := c.shiftedTo(v); i >= 0 {
		ch.selectBlock(i)
		return true
	}
	for i, k := range c.blocks {
		lo, hi, other := k.b0, k.b1, k.added()
		if v.onAfter {
			lo, hi, other = k.a0, k.a1, k.removed()
		}
		if lo == hi {
			if !v.place() && v.inside(lo) {
				ch.selectBlock(i)
			}
			continue
		}
		covered := 0
		for j := lo; j < hi; j++ {
			if v.line[j] {
				covered++
			}
		}
		switch {
		case covered == 0:
		case covered == hi-lo:
			ch.selectBlock(i)
		case k.coarse && other > 0:
			return false
		default:
			for j := lo; j < hi; j++ {
				if v.line[j] {
					ch[i][j-lo] = true
				}
			}
		}
	}
	return true
}

// shiftedTo finds the pure insertion or deletion that a range is exactly one
// position of: the lines themselves on the side that has them, the place on the
// other. -1 if there is none.
func (c *Comparison) shiftedTo(v Cover) int {
	if v.start < 0 {
		return -1
	}
	for i, k := range c.blocks {
		has, others := c.After, k.removed()
		lo, n, at := k.a0, k.added(), k.b0
		if k.added() == 0 {
			has, others = c.Before, k.added()
			lo, n, at = k.b0, k.removed(), k.a0
		}
		if others != 0 || n == 0 {
			continue
		}
		own := v.onAfter == (k.added() > 0) // the range names the side that has the lines
		by := v.start - at
		if own {
			if v.end-v.start != n {
				continue
			}
			by = v.start - lo
		} else if !v.place() {
			continue
		}
		if c.canShift(i, has, lo, n, by) {
			return i
		}
	}
	return -1
}

// canShift reports whether block i, n lines from lo on, can stand by lines
// further down (up if negative) with the texts unchanged.
func (c *Comparison) canShift(i int, has Lines, lo, n, by int) bool {
	room := func(j int) (down, up int) { // unchanged lines behind and before block j
		k := c.blocks[j]
		down, up = len(c.Before)-k.b1, k.b0
		if j+1 < len(c.blocks) {
			down = c.blocks[j+1].b0 - k.b1
		}
		if j > 0 {
			up = k.b0 - c.blocks[j-1].b1
		}
		return down, up
	}
	down, up := room(i)
	if by > down || -by > up {
		return false
	}
	for t := 0; t < by; t++ {
		if has[lo+t] != has[lo+n+t] {
			return false
		}
	}
	for t := -1; t >= by; t-- {
		if has[lo+t] != has[lo+n+t] {
			return false
		}
	}
	return true
}

// Carry translates a cover of one side of c to the other, line by line: aligned
// Lines to their counterparts, changed ones as far as they pair up.
func (c *Comparison) Carry(v Cover, toAfter bool) Cover {
	from, to := c.Before, c.After
	if !toAfter {
		from, to = to, from
	}
	at := make([]int, len(from)+1) // counterpart of each line, -1 without one
	i, j := 0, 0
	aligned := func(end int) {
		for ; i < end; i, j = i+1, j+1 {
			at[i] = j
		}
	}
	for _, k := range c.blocks {
		i0, i1, j1, pairs := k.b0, k.b1, k.a1, min(k.removed(), k.added())
		if !toAfter {
			i0, i1, j1 = k.a0, k.a1, k.b1
		}
		aligned(i0)
		for t := 0; i < i1; t, i = t+1, i+1 {
			at[i] = -1
			if t < pairs {
				at[i] = j + t
			}
		}
		j = j1
	}
	aligned(len(from))
	at[len(from)] = len(to)
	out := Cover{onAfter: v.onAfter, line: make([]bool, len(to)), start: -1, end: -1}
	if v.place() {
		// A place stays before the same line, or else behind the same line.
		switch p := v.start; {
		case at[p] >= 0:
			out.start = at[p]
		case p > 0 && at[p-1] >= 0:
			out.start = at[p-1] + 1
		}
		out.end = out.start
		return out
	}
	first, last, count := -1, -1, 0
	for l, on := range v.line {
		if on && at[l] >= 0 {
			out.line[at[l]] = true
			if first < 0 {
				first = at[l]
			}
			last = at[l]
			count++
		}
	}
	if first >= 0 && last-first+1 == count {
		out.start, out.end = first, last+1
	}
	return out
}
