package bridge

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

const blob = "git-blob:/w/a.go?%7B%22sha%22%3A%2259211144872f8488a94bd591dec3fe8cf806f553%22%7D"

func TestRead(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		h.SetContent(blob, "package a\n")
		h.SetContent("session-db:/x", "\xff\x00binary")
		r := start(t, h, nil)
		data, err := r.c.Read(t.Context(), ahp.ContentRef{URI: blob})
		require.NoError(t, err)
		require.Equal(t, "package a\n", string(data))
		require.JSONEq(t, `{"channel":"ahp-root://","uri":"`+blob+`","encoding":"utf-8"}`, string(sent(h, "resourceRead")[0]))
		data, err = r.c.Read(t.Context(), ahp.ContentRef{URI: "session-db:/x"})
		require.NoError(t, err)
		require.Equal(t, "\xff\x00binary", string(data))
	})
}

// What cannot change is read once; what can, every time.
func TestReadCache(t *testing.T) {
	for _, tc := range []struct {
		ref    ahp.ContentRef
		cached bool
	}{
		{ahp.ContentRef{URI: blob}, true},
		{ahp.ContentRef{URI: "git-blob:/w/a.go?sha=" + strings.Repeat("ab", 32) + "&x=1"}, true},
		{ahp.ContentRef{URI: "session-db:/x"}, true},
		{ahp.ContentRef{URI: "x:/y", Nonce: "1"}, true},
		{ahp.ContentRef{URI: "x:/y"}, false},
		{ahp.ContentRef{URI: "git-blob:/w/a.go?%7B%22ref%22%3A%22HEAD%22%7D"}, false},
		{ahp.ContentRef{URI: "file:///w/a.go", Nonce: "1"}, false},
		{ahp.ContentRef{URI: "file:///w/sha=" + strings.Repeat("ab", 20)}, false},
	} {
		t.Run(tc.ref.URI, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				r := start(t, h, nil)
				h.SetContent(tc.ref.URI, "one")
				read := func() string { return string(must(r.c.Read(t.Context(), tc.ref))) }
				require.Equal(t, "one", read())
				h.SetContent(tc.ref.URI, "two")
				if tc.cached {
					require.Equal(t, "one", read())
					require.Len(t, sent(h, "resourceRead"), 1)
					tc.ref.Nonce += "x" // another version
				}
				require.Equal(t, "two", read())
			})
		})
	}
}

func TestReadErrors(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, nil)
		_, err := r.c.Read(t.Context(), ahp.ContentRef{URI: "x:/none"})
		require.ErrorIs(t, err, ErrContent)
		require.True(t, ahp.Is(err, ahp.CodeNotFound))

		// A failure is not remembered.
		h.SetContent(blob, "x")
		answer := any(map[string]any{"data": "%%%", "encoding": "base64"})
		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) { return answer, nil, method == "resourceRead" })
		_, err = r.c.Read(t.Context(), ahp.ContentRef{URI: blob})
		require.ErrorIs(t, err, ErrContent)
		require.ErrorContains(t, err, "base64")
		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
			return map[string]any{"data": 5}, nil, method == "resourceRead"
		})
		_, err = r.c.Read(t.Context(), ahp.ContentRef{URI: blob})
		require.ErrorIs(t, err, ErrContent, "not an empty text")

		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
			return ahptest.NoAnswer, nil, method == "resourceRead"
		})
		began := time.Now()
		_, err = r.c.Read(t.Context(), ahp.ContentRef{URI: blob})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, requestTimeout, time.Since(began))
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		_, err = r.c.Read(ctx, ahp.ContentRef{URI: blob})
		require.ErrorIs(t, err, context.Canceled)

		h.Intercept(nil)
		require.Equal(t, "x", string(must(r.c.Read(t.Context(), ahp.ContentRef{URI: blob}))))
		h.DropConnections()
		synctest.Wait()
		require.Equal(t, "x", string(must(r.c.Read(t.Context(), ahp.ContentRef{URI: blob}))), "from the cache")
		_, err = r.c.Read(t.Context(), ahp.ContentRef{URI: "x:/none"})
		require.ErrorIs(t, err, ErrNotConnected)
		require.NotErrorIs(t, err, ErrDisconnected, "it was not sent")
		require.EqualError(t, err, "not connected to an agent host: the connection to the host was lost: the host is gone")
	})
}

func TestContentCacheIsBounded(t *testing.T) {
	cache := newContentCache(1000)
	for i := range 100 {
		cache.put(fmt.Sprint(i), make([]byte, 100))
		cache.get("0") // used again and again
	}
	cache.put("large", make([]byte, 251))
	require.LessOrEqual(t, cache.size, 1000)
	require.Equal(t, 10, cache.order.Len())
	require.Len(t, cache.byKey, 10)
	for key, want := range map[string]bool{"0": true, "99": true, "50": false, "large": false} {
		_, ok := cache.get(key)
		require.Equal(t, want, ok, key)
	}
	cache.put("99", nil) // it is there already
	data, _ := cache.get("99")
	require.Len(t, data, 100)
}
