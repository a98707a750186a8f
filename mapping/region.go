package mapping

import "sort"

// region is a stretch of both texts in which the diff found hardly anything
// equal: hunks, and between them at most a few lines that could as well belong
// anywhere. Inside, lines are paired by likeness, in order.
type region struct {
	base, cur LineRange
	to        []int32   // for every base line its pair in the current text, or -1
	like      []float32 // likeness of the pair; above 1 if the contents are equal
	next      []int32   // for a line without pair the line most like it, or -1
}

const (
	// strongRun is the number of consecutive equal lines that prove themselves.
	strongRun = 8
	// maxRegion is the number of lines above which a region is not paired.
	maxRegion = 6000
	// equalLike marks pairs of equal content.
	equalLike = 2
)

// image is the pair of base line i and their likeness, or -1.
func (r *region) image(i int) (j int, like float64) {
	if r == nil || i < r.base.Start || i >= r.base.End {
		return -1, 0
	}
	k := i - r.base.Start
	return int(r.to[k]), float64(r.like[k])
}

// nextBest is the line most like base line i, if that has no pair, and their
// likeness; or -1.
func (r *region) nextBest(i int) (j int, like float64) {
	if r == nil || i < r.base.Start || i >= r.base.End {
		return -1, 0
	}
	k := i - r.base.Start
	return int(r.next[k]), float64(r.like[k])
}

// regionAt is the region base line i lies in, or nil if the line is inside a
// run of equal lines that prove themselves.
func (a *Alignment) regionAt(i int) *region {
	h := a.hunks
	k := sort.Search(len(h), func(k int) bool { return h[k].Before.End > i })
	if k == len(h) || i < h[k].Before.Start {
		// In the run before hunk k.
		if k == 0 || k == len(h) || !a.weakRun(k) {
			return nil
		}
	}
	if a.regions == nil {
		a.regions = make([]*region, len(h))
	}
	if a.regions[k] != nil {
		return a.regions[k]
	}
	lo, hi := k, k
	for lo > 0 && a.weakRun(lo) {
		lo--
	}
	for hi+1 < len(h) && a.weakRun(hi+1) {
		hi++
	}
	r := &region{
		base: LineRange{h[lo].Before.Start, h[hi].Before.End},
		cur:  LineRange{h[lo].After.Start, h[hi].After.End},
	}
	a.pairLines(r)
	for k := lo; k <= hi; k++ {
		a.regions[k] = r
	}
	return r
}

// weakRun reports whether the equal lines between hunks k-1 and k are weak.
func (a *Alignment) weakRun(k int) bool {
	if a.weakness == nil {
		a.weakness = make([]int8, len(a.hunks))
	}
	if a.weakness[k] == 0 {
		from := a.hunks[k-1]
		a.weakness[k] = 2
		if a.weak(run{from.Before.End, from.After.End, a.hunks[k].Before.Start - from.Before.End}) {
			a.weakness[k] = 1
		}
	}
	return a.weakness[k] == 1
}
