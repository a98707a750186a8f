package mapping

// commonBytes is the number of equal bytes of x and y from the offset from on
// in both.
func commonBytes(x, y *Text, from int) int { return commonFrom(x, from, y, from) }

// commonFrom is the number of equal bytes of x from i and of y from j on.
func commonFrom(x *Text, i int, y *Text, j int) int {
	n := 0
	for i < x.size && j < y.size {
		a, b := x.after(i), y.after(j)
		k := commonPrefix(a, b)
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
		k := commonSuffix(a, b)
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

// trimBlock is the size of the pieces in which common ends are compared: large
// enough for the runtime's vectorised comparison, small enough that looking for
// the first difference inside one costs nothing.
const trimBlock = 2048

// commonPrefix is the number of leading bytes a and b share.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+trimBlock <= n && a[i:i+trimBlock] == b[i:i+trimBlock] {
		i += trimBlock
	}
	for size := trimBlock / 2; size >= 16; size /= 2 {
		if i+size <= n && a[i:i+size] == b[i:i+size] {
			i += size
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonSuffix is the number of trailing bytes a and b share.
func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := 0
	for i+trimBlock <= n && a[n-i-trimBlock:n-i] == b[n-i-trimBlock:n-i] {
		i += trimBlock
	}
	for size := trimBlock / 2; size >= 16; size /= 2 {
		if i+size <= n && a[n-i-size:n-i] == b[n-i-size:n-i] {
			i += size
		}
	}
	for i < n && a[n-1-i] == b[n-1-i] {
		i++
	}
	return i
}
