package mapping

import "ahp-lsp/mapping/words"

// LineChange pairs a removed line of a hunk with the added line it became, and
// says which words changed. Columns are bytes from the beginning of the line; what
// is outside the ranges is the same in both lines.
type LineChange struct {
	Before, After int // lines of the two texts
	Was, Is       []words.Range
}

// maxPairing is the number of pairs of lines of one hunk above which none are
// compared.
const maxPairing = 10_000

// LineChanges finds, in a hunk of c, the removed lines that have a later version
// among the added ones, in order on both sides. Lines with little in common are
// not paired: of them all changed. The result is nil for hunks of line ends and
// for very large ones.
func (c *FileChange) LineChanges(h Hunk) []LineChange {
	nb, na := h.Before.Len(), h.After.Len()
	if nb == 0 || na == 0 || nb*na > maxPairing {
		return nil
	}
	var out []LineChange
	for _, p := range c.pairedLines(h) {
		i, j := h.Before.Start+p[0], h.After.Start+p[1]
		x, y := c.Before.content(i), c.After.content(j)
		if x == y {
			continue // equal but for the line end
		}
		l := LineChange{Before: i, After: j}
		var ok bool
		if l.Was, l.Is, ok = words.Changes(x, y); !ok {
			continue
		}
		l.Was, l.Is = shifted(l.Was, c.Before.contentStart(i)-c.Before.lineStart(i)), shifted(l.Is, c.After.contentStart(j)-c.After.lineStart(j))
		out = append(out, l)
	}
	return out
}

// shifted moves ranges behind a byte order mark.
func shifted(ranges []words.Range, by int) []words.Range {
	for k := range ranges {
		ranges[k].Start += by
		ranges[k].End += by
	}
	return ranges
}

// pairedLines pairs the lines of both sides of h, counted from its first ones:
// the pairs in ascending order with the greatest total likeness.
func (c *FileChange) pairedLines(h Hunk) (out [][2]int) {
	nb, na := h.Before.Len(), h.After.Len()
	if nb == 1 && na == 1 {
		return [][2]int{{0, 0}}
	}
	was, is := linesOfWords(c.Before, h.Before), linesOfWords(c.After, h.After)
	weight := make([]float32, nb*na)
	best := make([]float32, (nb+1)*(na+1)) // of the lines from here on
	for i := nb - 1; i >= 0; i-- {
		for j := na - 1; j >= 0; j-- {
			at := i*(na+1) + j
			best[at] = max(best[at+na+1], best[at+1])
			if like := was[i].Likeness(is[j]); like >= minLikeness {
				weight[i*na+j] = float32(like)
				best[at] = max(best[at], float32(like)+best[at+na+2])
			}
		}
	}
	for i, j := 0, 0; i < nb && j < na; {
		at := i*(na+1) + j
		switch w := weight[i*na+j]; {
		case w > 0 && best[at] == w+best[at+na+2]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case best[at] == best[at+na+1]:
			i++
		default:
			j++
		}
	}
	return out
}

func linesOfWords(t *Text, r LineRange) []words.Line {
	out := make([]words.Line, r.Len())
	for k := range out {
		out[k] = words.Of(t.content(r.Start + k))
	}
	return out
}
