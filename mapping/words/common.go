package words

// trimBlock is the size of the pieces in which common ends are compared: large
// enough for the runtime's vectorised comparison, small enough that looking for
// the first difference inside one costs nothing.
const trimBlock = 2048

// CommonPrefix is the number of leading bytes a and b share.
func CommonPrefix(a, b string) int {
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

// CommonSuffix is the number of trailing bytes a and b share.
func CommonSuffix(a, b string) int {
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
