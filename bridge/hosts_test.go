package bridge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLastHostIsTriedFirst(t *testing.T) {
	c := New(Config{OnChange: func(Change) {}})
	a, b := Host{URL: "ws://127.0.0.1:1/", Token: "x"}, Host{URL: "ws://127.0.0.1:2/", Token: "y"}
	require.Equal(t, []string{a.URL, b.URL}, urls(c.lastHostFirst([]Host{a, b})))
	target, err := parseTarget(b)
	require.NoError(t, err)
	c.link.host = target.shown
	require.Equal(t, []string{b.URL, a.URL}, urls(c.lastHostFirst([]Host{a, b})))
}

func urls(hosts []Host) (out []string) {
	for _, h := range hosts {
		out = append(out, h.URL)
	}
	return out
}
