package mapping

import "sort"

// matched is the line of the after side equal to line i of the before side, or
// -1 if i is inside a hunk.
func matched(hunks []Hunk, i int) int {
	k := sort.Search(len(hunks), func(k int) bool { return hunks[k].Before.End > i })
	// hunks[k] is the first that ends behind i; the one before it ended at or
	// before i and so carries the shift.
	if k < len(hunks) && hunks[k].Before.Start <= i {
		return -1
	}
	if k == 0 {
		return i
	}
	h := hunks[k-1]
	return i - h.Before.End + h.After.End
}

// matchedBack is the line of the before side equal to line j of the after side,
// or -1 if j is inside a hunk.
func matchedBack(hunks []Hunk, j int) int {
	k := sort.Search(len(hunks), func(k int) bool { return hunks[k].After.End > j })
	if k < len(hunks) && hunks[k].After.Start <= j {
		return -1
	}
	if k == 0 {
		return j
	}
	h := hunks[k-1]
	return j - h.After.End + h.Before.End
}

// addPair turns the match of line i with line j into a change and joins it with
// the hunks it touches.
func addPair(hunks []Hunk, i, j int) []Hunk {
	h := Hunk{LineRange{i, i + 1}, LineRange{j, j + 1}}
	k := sort.Search(len(hunks), func(k int) bool {
		return hunks[k].Before.Start > i || hunks[k].After.Start > j
	})
	from, to := k, k
	if k > 0 && hunks[k-1].Before.End == i && hunks[k-1].After.End == j {
		h.Before.Start, h.After.Start = hunks[k-1].Before.Start, hunks[k-1].After.Start
		from--
	}
	if k < len(hunks) && hunks[k].Before.Start == i+1 && hunks[k].After.Start == j+1 {
		h.Before.End, h.After.End = hunks[k].Before.End, hunks[k].After.End
		to++
	}
	out := append([]Hunk(nil), hunks[:from]...)
	out = append(out, h)
	return append(out, hunks[to:]...)
}
