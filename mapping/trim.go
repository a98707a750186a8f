package mapping

import "ahp-lsp/mapping/words"

// commonBytes is the number of equal bytes of x and y from the offset from on
// in both.
func commonBytes(x, y *Text, from int) int { return commonFrom(x, from, y, from) }

// commonFrom is the number of equal bytes of x from i and of y from j on.
func commonFrom(x *Text, i int, y *Text, j int) int {
	n := 0
	for i < x.size && j < y.size {
		a, b := x.after(i), y.after(j)
		k := words.CommonPrefix(a, b)
		n, i, j = n+k, i+k, j+k
		if k < len(a) && k < len(b) {
			break
		}
	}
	return n
}

// commonUpTo is the number of equal bytes of x before i and of y before j, at
// most limit.
func commonUpTo(x *Text, i int, y *Text, j int, limit int) int {
	n := 0
	for i > 0 && j > 0 && n < limit {
		a, b := x.before(i), y.before(j)
		k := words.CommonSuffix(a, b)
		n, i, j = n+k, i-k, j-k
		if k < len(a) && k < len(b) {
			break
		}
	}
	return min(n, limit)
}

// after is a piece of the document that begins at off, which must be inside.
func (t *Text) after(off int) string {
	if w := t.whole.Load(); w != nil {
		return (*w)[off:]
	}
	c := t.chunkAt(off)
	return c.s[off-c.off:]
}

// before is a piece of the document that ends at off, which must be greater
// than 0.
func (t *Text) before(off int) string {
	if w := t.whole.Load(); w != nil {
		return (*w)[:off]
	}
	c := t.chunkAt(off - 1)
	return c.s[:off-c.off]
}
