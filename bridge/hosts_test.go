package bridge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

func TestLastHostIsTriedFirst(t *testing.T) {
	a, b := Host{URL: "ws://127.0.0.1:1/", Token: "x"}, Host{URL: "ws://127.0.0.1:2/", Token: "y"}
	require.Equal(t, []string{a.URL, b.URL}, urls(lastHostFirst([]Host{a, b}, "")))
	target, err := parseTarget(b)
	require.NoError(t, err)
	require.Equal(t, []string{b.URL, a.URL}, urls(lastHostFirst([]Host{a, b}, target.shown)))
}

func urls(hosts []Host) (out []string) {
	for _, h := range hosts {
		out = append(out, h.URL)
	}
	return out
}

// An address that brings its own token never gets another source's.
func TestOwnToken(t *testing.T) {
	for _, tc := range []struct{ url, token, want string }{
		{"ws://h:1/", "users", "ws://h:1/?tkn=users"},
		{"ws://h:1/?tkn=own", "users", "ws://h:1/?tkn=own"},
		{"ws://h:1/?tkn=", "users", "ws://h:1/?tkn="},
		{"ws://h:1/?tkn=own", "", "ws://h:1/?tkn=own"},
	} {
		target, err := parseTarget(Host{URL: tc.url, Token: tc.token})
		require.NoError(t, err)
		require.Equal(t, tc.want, target.dial)
	}
}

func TestExposedToken(t *testing.T) {
	for url, want := range map[string]bool{
		"ws://h.example:1/": true, "ws://192.0.2.1/": true, "ws://[2001:db8::1]:1/": true, "ws://localhost.example/": true,
		"wss://h.example/": false, "ws://localhost:1/": false, "ws://LOCALHOST./": false, "ws://127.0.0.1:1/": false, "ws://127.1.2.3/": false,
		"ws://[::1]:1/": false, "ws://[::ffff:127.0.0.1]/": false, "ws://x.localhost/": false, "ws+unix:///run/x": false, "ws+pipe:///x": false,
	} {
		target, err := parseTarget(Host{URL: url, Token: "t"})
		require.NoError(t, err)
		require.Equal(t, want, target.exposed, url)
		target, err = parseTarget(Host{URL: url})
		require.NoError(t, err)
		require.False(t, target.exposed, "no token: %s", url)
	}
}

// The user is warned once, without the token in the text.
func TestExposedTokenWarning(t *testing.T) {
	bubble(t, ahptest.Options{Token: secret}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, func(c *Config) {
			c.Hosts = func() []Host { return []Host{{URL: "ws://elsewhere.example/", Token: secret}} }
		})
		h.DropConnections()
		time.Sleep(time.Minute)
		notices := these[Notice](r.everything())
		require.Len(t, notices, 1)
		require.Equal(t, NoticeWarning, notices[0].Severity)
		require.Contains(t, notices[0].Text, "ws://elsewhere.example/")
		require.NotContains(t, notices[0].Text, secret)
	})
}
