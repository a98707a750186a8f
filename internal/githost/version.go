package githost

import (
	"strconv"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// release is a protocol version: MAJOR.MINOR.PATCH.
type release [3]int

// parseRelease reads a version as the protocol has it: three numbers, and no
// range, pre-release or build metadata.
func parseRelease(s string) (r release, ok bool) {
	parts := strings.Split(s, ".")
	if len(parts) != len(r) {
		return release{}, false
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil || strconv.FormatUint(n, 10) != p {
			return release{}, false
		}
		r[i] = int(n)
	}
	return r, true
}

// compatible reports whether peers of the two versions understand each other: the
// same major version or, before 1.0, the same minor one.
func (r release) compatible(q release) bool {
	return r[0] == q[0] && (r[0] > 0 || r[1] == q[1])
}

// chooseVersion picks the highest offer that is compatible with a version that is
// spoken here, whatever the order. ok is false if none is.
func chooseVersion(offered []string) (version string, ok bool) {
	for _, offer := range offered {
		if spoken(offer) && (!ok || ahp.CompareVersions(offer, version) > 0) {
			version, ok = offer, true
		}
	}
	return version, ok
}

func spoken(offer string) bool {
	r, ok := parseRelease(offer)
	for _, v := range ahp.Versions() {
		ours, valid := parseRelease(v)
		if ok && valid && r.compatible(ours) {
			return true
		}
	}
	return false
}
