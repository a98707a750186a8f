package mapping

import "slices"

// Origins says which of several earlier changes of the same file made each hunk
// of c: for every hunk the indices into changes of those that wrote a line of
// it, or removed one, in ascending order. changes are newest first, as a line
// that several of them wrote is the newest one's. An empty list means that none
// did: the hunk is from elsewhere.
//
// A line is recognised by where the line diff puts it, so that one which looks
// the same elsewhere in the file is not taken for it.
func (c *FileChange) Origins(changes []*FileChange) [][]int {
	out := make([][]int, len(c.Hunks))
	if len(out) == 0 {
		return out
	}
	for _, side := range []Side{After, Before} {
		left := map[int]int{} // the hunk of each line that no change has claimed yet
		for i, h := range c.Hunks {
			for line := h.lines(side).Start; line < h.lines(side).End; line++ {
				left[line] = i
			}
		}
		for i, o := range changes {
			if len(left) == 0 {
				break
			}
			for _, line := range o.linesIn(c, side) {
				if hunk, ok := left[line]; ok {
					out[hunk] = append(out[hunk], i)
					delete(left, line)
				}
			}
		}
	}
	for i := range out {
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// text is one side of the change.
func (c *FileChange) text(s Side) *Text {
	if s == Before {
		return c.Before
	}
	return c.After
}

// lines is one side of a hunk.
func (h Hunk) lines(s Side) LineRange {
	if s == Before {
		return h.Before
	}
	return h.After
}

// linesIn are the lines that the hunks of c have on a side, where they stand on
// the same side of another change.
func (c *FileChange) linesIn(other *FileChange, s Side) (out []int) {
	differences := Align(c.text(s), other.text(s)).Hunks()
	for _, h := range c.Hunks {
		for line := h.lines(s).Start; line < h.lines(s).End; line++ {
			if at := matched(differences, line); at >= 0 {
				out = append(out, at)
			}
		}
	}
	return out
}
