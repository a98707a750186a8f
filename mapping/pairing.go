package mapping

import (
	"slices"

	"ahp-lsp/mapping/words"
)

const (
	// minLikeness is the least likeness that makes a line the later version of
	// another.
	minLikeness = 0.4
	// resembling is the least likeness that does so out of order, or when the
	// line is already the later version of a third.
	resembling = 0.6
	// maxPosting is the number of lines above which a word does not select
	// candidates: words that frequent select nothing.
	maxPosting = 64
	// maxCandidates is the number of most promising lines a line is compared to.
	maxCandidates = 8
)

// pair is a candidate for being the same line in two versions.
type pair struct {
	i, j   int32
	weight float32
	like   float32
}

// pairLines fills in the region: the set of pairs in ascending order on both
// sides with the greatest total weight.
func (a *Alignment) pairLines(r *region) {
	nb := r.base.Len()
	r.to = make([]int32, nb)
	r.like = make([]float32, nb)
	r.next = make([]int32, nb)
	for k := range r.to {
		r.to[k], r.next[k] = -1, -1
	}
	if r.cur.Empty() || nb+r.cur.Len() > maxRegion {
		return
	}
	c := newCandidates(a, r)
	pairs := c.pairs()
	for _, p := range heaviestChain(pairs, r.cur.Len()) {
		r.to[p.i] = p.j + int32(r.cur.Start)
		r.like[p.i] = p.like
	}
	c.fillGaps()
	for _, p := range pairs {
		if r.to[p.i] < 0 && p.like < equalLike && p.like >= max(resembling, r.like[p.i]) {
			r.next[p.i] = p.j + int32(r.cur.Start)
			r.like[p.i] = p.like
		}
	}
}

// candidates finds, for the base lines of a region, the lines of the current
// text worth pairing with. Lines are numbered from the region's start.
type candidates struct {
	a        *Alignment
	r        *region
	x        *lineIndex
	base     []words.Line
	cur      []words.Line
	equal    map[int32][]int32  // number of a content → lines of the current text
	postings map[uint32][]int32 // part of a word → lines of the current text
}

func newCandidates(a *Alignment, r *region) *candidates {
	c := &candidates{
		a: a, r: r, x: a.index(),
		base:     make([]words.Line, r.base.Len()),
		cur:      make([]words.Line, r.cur.Len()),
		equal:    make(map[int32][]int32),
		postings: make(map[uint32][]int32),
	}
	for k := range c.base {
		c.base[k] = words.Of(a.base.content(r.base.Start + k))
	}
	for k := range c.cur {
		c.cur[k] = words.Of(a.current.content(r.cur.Start + k))
		if id := c.x.cur[r.cur.Start+k]; id >= 0 {
			c.equal[id] = append(c.equal[id], int32(k))
		}
		if c.x.pinned(r.cur.Start + k) {
			continue // is some line already, so not a later version of another
		}
		var before uint32
		for n, part := range c.cur[k].Parts {
			if n == 0 || part != before {
				c.postings[part] = append(c.postings[part], int32(k))
			}
			before = part
		}
	}
	return c
}

// pairs lists the candidates, ascending in i and, for equal i, descending in j.
func (c *candidates) pairs() []pair {
	var out []pair
	shared := make([]int16, c.r.cur.Len())
	var touched []int32
	for k := range c.base {
		from := len(out)
		i := int32(k)
		id := c.x.line[c.r.base.Start+k]
		equal := c.equal[id]
		if len(equal) <= maxPosting {
			for _, j := range equal {
				out = append(out, pair{i, j, c.weight(id, equalLike), equalLike})
			}
		}
		touched = touched[:0]
		for _, part := range c.selective(c.base[k].Parts) {
			list := c.postings[part]
			for _, j := range list {
				if shared[j] == 0 {
					touched = append(touched, j)
				}
				shared[j]++
			}
		}
		slices.SortFunc(touched, func(p, q int32) int {
			if shared[p] != shared[q] {
				return int(shared[q]) - int(shared[p])
			}
			return int(p - q)
		})
		for n, j := range touched {
			if n < maxCandidates && c.x.cur[c.r.cur.Start+int(j)] != id {
				if like := c.likeness(k, int(j)); like >= minLikeness {
					out = append(out, pair{i, j, c.weight(id, like), float32(like)})
				}
			}
			shared[j] = 0
		}
		own := out[from:]
		for n := range own {
			own[n].weight += c.context(k, int(own[n].j))
		}
		slices.SortFunc(own, func(p, q pair) int { return int(q.j - p.j) })
	}
	return out
}

// selective gives the parts of a line that select few lines, or the one that
// selects least if all select many.
func (c *candidates) selective(parts []uint32) []uint32 {
	parts = slices.Compact(slices.Clone(parts))
	n := 0
	least, of := uint32(0), 8*maxPosting
	for _, part := range parts {
		size := len(c.postings[part])
		if size > 0 && size < of {
			least, of = part, size
		}
		if size <= maxPosting {
			parts[n] = part
			n++
		}
	}
	if of > maxPosting && of < 8*maxPosting {
		parts[0] = least
		return parts[:1]
	}
	return parts[:n]
}

// weight is what a pair of the given likeness adds to a chain. Lines without a
// word follow the others.
func (c *candidates) weight(id int32, like float64) float32 {
	if !c.x.hasWord[id] {
		return 0.25
	}
	return float32(like)
}

// likeness compares two lines of the region by their words. It is 1 if they
// differ in white space only.
func (c *candidates) likeness(k, j int) float64 {
	like := c.base[k].Likeness(c.cur[j])
	if like > 0.99 && !words.SameButSpace(c.a.base.content(c.r.base.Start+k), c.a.current.content(c.r.cur.Start+j)) {
		return 0.99
	}
	return like
}

// context favours pairs with equal neighbours, and those the diff made.
func (c *candidates) context(k, j int) float32 {
	i, m := c.r.base.Start+k, c.r.cur.Start+j
	w := float32(0)
	if c.x.equal(i-1, m-1, 1) {
		w += 0.2
	}
	if c.x.equal(i+1, m+1, 1) {
		w += 0.2
	}
	if matched(c.a.hunks, i) == m {
		w += 0.1
	}
	return w
}

// heaviestChain picks, out of pairs sorted ascending in i and descending in j,
// those that ascend in both with the greatest total weight. n is the number of
// values of j.
func heaviestChain(pairs []pair, n int) []pair {
	total := make([]float32, len(pairs)) // weight of the best chain ending here
	prev := make([]int32, len(pairs))
	tree := make([]int32, n+1) // Fenwick tree of the best chain ending at or before j
	for k := range tree {
		tree[k] = -1
	}
	best := int32(-1)
	for k, p := range pairs {
		prev[k] = -1
		for t := p.j; t > 0; t &= t - 1 {
			if q := tree[t]; q >= 0 && (prev[k] < 0 || total[q] > total[prev[k]]) {
				prev[k] = q
			}
		}
		total[k] = p.weight
		if prev[k] >= 0 {
			total[k] += total[prev[k]]
		}
		for t := p.j + 1; int(t) <= n; t += t & -t {
			if q := tree[t]; q < 0 || total[k] > total[q] {
				tree[t] = int32(k)
			}
		}
		if best < 0 || total[k] > total[best] {
			best = int32(k)
		}
	}
	var out []pair
	for ; best >= 0; best = prev[best] {
		out = append(out, pairs[best])
	}
	slices.Reverse(out)
	return out
}

// fillGaps pairs what is left between two pairs if it is one line on both
// sides: a line between the same neighbours is the same line even if little of
// its text is left.
func (c *candidates) fillGaps() {
	const least = 0.2
	r := c.r
	nb := r.base.Len()
	for k := 0; k < nb; k++ {
		if r.to[k] >= 0 {
			continue
		}
		before, after := r.cur.Start-1, r.cur.End
		if k > 0 {
			if r.to[k-1] < 0 {
				continue
			}
			before = int(r.to[k-1])
		}
		if k+1 < nb {
			if r.to[k+1] < 0 {
				continue
			}
			after = int(r.to[k+1])
		}
		if after-before != 2 || c.x.pinned(before+1) || c.x.pin(r.base.Start+k) >= 0 {
			continue
		}
		i, j := r.base.Start+k, before+1
		like := words.Likeness(c.a.base.content(i), c.a.current.content(j))
		if like >= least {
			r.to[k], r.like[k] = int32(j), float32(like)
		}
	}
}
