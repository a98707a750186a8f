package ahp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompareVersions(t *testing.T) {
	ordered := []string{"0.4.0", "0.5.0", "0.5.1", "0.5.2", "0.6.0", "0.9.0", "0.9.1", "0.10.0", "1.0.0", "1.0.1", "2.0.0", "10.0.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			got := CompareVersions(a, b)
			require.Equal(t, i < j, got < 0, "%s %s", a, b)
			require.Equal(t, i > j, got > 0, "%s %s", a, b)
		}
	}
	for _, pair := range [][2]string{
		{"0.9", "0.9.0"}, {"^0.9.0", "0.9.0"}, {">=1.0.0", "1.0.0"}, {"v1.2.3", "1.2.3"}, {"1.0.0-beta.2", "1.0.0"},
		{"1.0.0+build", "1.0.0"}, {"", "0.0.0"}, {"x.y.z", "0"}, {"1.x", "1.0.0"}, {"99999999999999999999.0.0", "0.0.0"}, {"1.2.3.4", "1.2.3"},
	} {
		require.Zero(t, CompareVersions(pair[0], pair[1]), pair)
	}
}

// TestVersions: offered newest first, so that the newest common one is chosen.
func TestVersions(t *testing.T) {
	v := Versions()
	require.True(t, slices.IsSortedFunc(v, func(a, b string) int { return CompareVersions(b, a) }))
	v[0] = "changed"
	require.Equal(t, "1.0.0", Versions()[0])
}
