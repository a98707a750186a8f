package lines

import (
	"sort"
	"strings"

	"ahp-lsp/mapping"
)

// block is lines b0 to b1 of before replaced by lines a0 to a1 of after. Blocks
// are in order; between them both sides have the same lines, byte for byte.
type block struct {
	b0, b1, a0, a1 int
	// coarse: too large to be aligned, so that its lines pair up by chance.
	coarse bool
}

func (k block) removed() int { return k.b1 - k.b0 }
func (k block) added() int   { return k.a1 - k.a0 }

// Comparison is two texts and the blocks in which they differ. It is immutable.
type Comparison struct {
	Before, After Lines
	blocks        []block
}

// Compare aligns two texts by content, as the editor's side does, so that a
// hunk it shows is a block here; and then compares the aligned lines with their
// line ends.
func Compare(before, after Lines) *Comparison {
	c := &Comparison{Before: before, After: after}
	hunks := contentBlocks(before, after, 0, 0)
	b, a := 0, 0
	aligned := func(end int) {
		for ; b < end; b, a = b+1, a+1 {
			if before[b] != after[a] {
				c.blocks = append(c.blocks, block{b0: b, b1: b + 1, a0: a, a1: a + 1})
			}
		}
	}
	for _, h := range hunks {
		aligned(h.b0)
		c.blocks = append(c.blocks, h)
		b, a = h.b1, h.a1
	}
	aligned(len(before))
	return c
}

// maxCoarse is the number of lines from which on a block is taken for one that
// the line diff gave up on; it does at 50 000 lines or 1 MiB.
const maxCoarse = 10_000

// contentBlocks is the line diff of two texts, which begin at lines b0 and a0 of
// the whole. Where it gives up on a large difference, the lines that both sides
// have exactly once cut it into smaller ones.
func contentBlocks(before, after Lines, b0, a0 int) []block {
	hunks := mapping.Hunks(mapping.NewText(strings.Join(before, "")), mapping.NewText(strings.Join(after, "")))
	out := make([]block, 0, len(hunks))
	for _, h := range hunks {
		k := block{b0: b0 + h.Before.Start, b1: b0 + h.Before.End, a0: a0 + h.After.Start, a1: a0 + h.After.End}
		if !large(before[h.Before.Start:h.Before.End]) && !large(after[h.After.Start:h.After.End]) ||
			k.removed() == 0 || k.added() == 0 {
			out = append(out, k)
			continue
		}
		out = append(out, split(before[h.Before.Start:h.Before.End], after[h.After.Start:h.After.End], k)...)
	}
	return out
}

func large(l Lines) bool {
	n := 0
	for _, s := range l {
		n += len(s)
	}
	return len(l) > maxCoarse || n > 1<<20
}

// split cuts a large block at the lines that are unique on both sides and in
// the same order on both (patience diff).
func split(before, after Lines, k block) []block {
	anchors := uniqueCommon(before, after)
	if len(anchors) == 0 {
		k.coarse = true
		return []block{k}
	}
	var out []block
	b, a := 0, 0
	part := func(bEnd, aEnd int) {
		if b < bEnd || a < aEnd {
			out = append(out, contentBlocks(before[b:bEnd], after[a:aEnd], k.b0+b, k.a0+a)...)
		}
	}
	for _, p := range anchors {
		if p[0] == b && p[1] == a {
			b, a = b+1, a+1
			continue
		}
		part(p[0], p[1])
		b, a = p[0]+1, p[1]+1
	}
	part(len(before), len(after))
	return out
}

// uniqueCommon is the longest run of pairs of lines, increasing on both sides,
// whose text each side has exactly once.
func uniqueCommon(before, after Lines) [][2]int {
	type seen struct{ nb, na, b, a int }
	All := make(map[string]*seen, len(before))
	for i, s := range before {
		t := Text(s)
		if All[t] == nil {
			All[t] = &seen{}
		}
		All[t].nb++
		All[t].b = i
	}
	for i, s := range after {
		if e := All[Text(s)]; e != nil {
			e.na++
			e.a = i
		}
	}
	var pairs [][2]int
	for i, s := range before {
		if e := All[Text(s)]; e.nb == 1 && e.na == 1 {
			pairs = append(pairs, [2]int{i, e.a})
		}
	}
	// Longest increasing subsequence by the second member.
	var tails []int // index into pairs of the best end of each length
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(tails), func(j int) bool { return pairs[tails[j]][1] >= p[1] })
		prev[i] = -1
		if n > 0 {
			prev[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	out := make([][2]int, len(tails))
	if len(tails) > 0 {
		for i, n := tails[len(tails)-1], len(tails)-1; n >= 0; i, n = prev[i], n-1 {
			out[n] = pairs[i]
		}
	}
	return out
}

// Counts is how many lines of before the blocks replace, and by how many.
func (c *Comparison) Counts() (added, removed int) {
	for _, k := range c.blocks {
		added += k.added()
		removed += k.removed()
	}
	return added, removed
}
