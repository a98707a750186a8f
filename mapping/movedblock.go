package mapping

import (
	"cmp"
	"slices"

	"ahp-lsp/mapping/words"
)

// MovedBlock is a block of lines that was removed at one place and added,
// unchanged but perhaps for its indentation, at another.
type MovedBlock struct {
	From LineRange // removed lines of the before text
	To   LineRange // added lines of the after text
	// FromHunk and ToHunk are the indices of the hunks that removed and added it.
	// They are the same where lines changed places within one hunk.
	FromHunk, ToHunk int
}

// Bounds of what counts as moved: a shorter block, or one that says less, is in
// many places by chance.
const (
	minMovedLines = 3
	minMovedBytes = 40 // without white space
	maxMovedLines = 50_000
)

// MovedBlocks pairs blocks that hunks removed from before with equal ones that
// they added to after, each line once, in the order of after. A block must be
// three lines long and say something, and one line of it must have been removed
// once and added once: what was removed or added several times is in no certain
// place.
func MovedBlocks(before, after *Text, hunks []Hunk) []MovedBlock {
	type line struct{ n, at, hunk int }
	removed, added := map[string]line{}, map[string]line{}
	beforeHunk, afterHunk := map[int]int{}, map[int]int{}
	for k, h := range hunks {
		if len(beforeHunk)+len(afterHunk)+h.Before.Len()+h.After.Len() > maxMovedLines {
			return nil
		}
		for i := h.Before.Start; i < h.Before.End; i++ {
			s := unindented(before, i)
			removed[s] = line{removed[s].n + 1, i, k}
			beforeHunk[i] = k
		}
		for j := h.After.Start; j < h.After.End; j++ {
			s := unindented(after, j)
			added[s] = line{added[s].n + 1, j, k}
			afterHunk[j] = k
		}
	}
	var starts []line // of added lines that occur once on both sides
	for s, a := range added {
		if a.n == 1 && removed[s].n == 1 && words.Any(s) {
			starts = append(starts, a)
		}
	}
	slices.SortFunc(starts, func(x, y line) int { return cmp.Compare(x.at, y.at) })
	var out []MovedBlock
	taken := 0
	usedFrom := map[int]bool{}
	for _, s := range starts {
		if s.at < taken {
			continue
		}
		i := removed[unindented(after, s.at)].at
		fromHunk, toHunk := beforeHunk[i], s.hunk
		same := func(i, j int) bool {
			bh, ok := beforeHunk[i]
			ah, ok2 := afterHunk[j]
			if !ok || !ok2 || bh != fromHunk || ah != toHunk || usedFrom[i] {
				return false
			}
			// Lines indented otherwise in the hunk that had them stayed where they were.
			return before.content(i) == after.content(j) || fromHunk != toHunk && unindented(before, i) == unindented(after, j)
		}
		if !same(i, s.at) {
			continue
		}
		first, last := 0, 1
		for s.at+first > taken && same(i+first-1, s.at+first-1) {
			first--
		}
		for same(i+last, s.at+last) {
			last++
		}
		b := MovedBlock{LineRange{i + first, i + last}, LineRange{s.at + first, s.at + last}, fromHunk, toHunk}
		if b.From.Len() < minMovedLines || sayingBytes(after, b.To) < minMovedBytes {
			continue
		}
		for k := b.From.Start; k < b.From.End; k++ {
			usedFrom[k] = true
		}
		taken = b.To.End
		out = append(out, b)
	}
	return out
}

// unindented is the content of line i without the white space around it.
func unindented(t *Text, i int) string {
	s := t.content(i)
	for len(s) > 0 && words.IsSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && words.IsSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// sayingBytes is the number of bytes of lines that are not white space.
func sayingBytes(t *Text, r LineRange) (n int) {
	for i := r.Start; i < r.End; i++ {
		n += len(unindented(t, i))
	}
	return n
}

// Moved are the blocks that the change moved, see [MovedBlocks].
func (c *FileChange) Moved() []MovedBlock {
	hunks := slices.Clone(c.Hunks)
	for i, ends := range c.LineEnds {
		if ends != "" {
			hunks[i] = Hunk{} // these lines stayed
		}
	}
	return MovedBlocks(c.Before, c.After, hunks)
}
