package ahp

import (
	"strconv"
	"strings"
)

// Versions are the protocol versions this program speaks, most preferred
// first, each exactly as released: hosts compare them literally.
func Versions() []string {
	return []string{"1.0.0", "0.9.0", "0.8.0", "0.7.0", "0.6.0", "0.5.2", "0.5.1", "0.5.0", "0.4.0"}
}

// CompareVersions orders two MAJOR.MINOR.PATCH strings: negative if a is
// older than b. What is not a number counts as 0.
func CompareVersions(a, b string) int {
	as, bs := strings.SplitN(a, ".", 3), strings.SplitN(b, ".", 3)
	for i := range 3 {
		if d := versionPart(as, i) - versionPart(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits := strings.TrimLeft(parts[i], "^~>=v ")
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
