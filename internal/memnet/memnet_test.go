package memnet

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// An HTTP server on it is reached at any address, and ends with it.
func TestServer(t *testing.T) {
	l := New()
	served := make(chan error, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "at "+r.Host) })}
	go func() { served <- srv.Serve(l) }()
	client := &http.Client{Transport: &http.Transport{DialContext: l.Dial, DisableKeepAlives: true}}
	for _, host := range []string{"here.test", "there.test"} {
		resp, err := client.Get("http://" + host + "/")
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, "at "+host, string(body))
	}
	require.NoError(t, srv.Close())
	require.ErrorIs(t, <-served, http.ErrServerClosed)
	_, err := l.Dial(t.Context(), "tcp", "here.test:80")
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestNobodyAccepts(t *testing.T) {
	l := New()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Dial(ctx, "", "")
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, l.Close())
	require.NoError(t, l.Close(), "twice is no error")
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

// A connection that was made outlives the listener.
func TestConnectionsOutliveTheListener(t *testing.T) {
	l := New()
	far := make(chan net.Conn)
	go func() {
		c, err := l.Accept()
		if err != nil {
			c = nil
		}
		far <- c
	}()
	near, err := l.Dial(t.Context(), "", "")
	require.NoError(t, err)
	conn := <-far
	require.NotNil(t, conn)
	require.NoError(t, l.Close())
	go func() { _, _ = near.Write([]byte("still here")); near.Close() }()
	said, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Equal(t, "still here", string(said))
	require.Equal(t, "memory", l.Addr().Network())
}
