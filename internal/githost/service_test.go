package githost

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/discover"
	"ahp-lsp/internal/githost/publish"
)

func (w *tree) serve(dir string) *Service {
	w.t.Helper()
	s, err := Serve(context.Background(), w.repo(), Options{Dir: dir, Log: testLog(w.t), Brief: true})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { s.Close() })
	return s
}

// addressOf is the path of a Service's address.
func addressOf(s *Service) string {
	a, err := s.Address(context.Background())
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(a.URL, "ws+unix://")
}

// attach connects to whoever owns now.
func attach(t *testing.T, s *Service) *client {
	t.Helper()
	a, err := s.Address(context.Background())
	require.NoError(t, err)
	conn, err := s.Dial(context.Background(), "unix", addressOf(s))
	require.NoError(t, err)
	c := rawOver(t, "ws://localhost/?tkn="+a.Token, pipeClient(conn))
	c.handshake("0.6.0", "client-"+t.Name())
	return c
}

func TestServiceIsShared(t *testing.T) {
	w, dir := newTree(t, "a.txt", "1\n"), socketDir(t)
	first := w.serve(dir)
	second := w.serve(dir)
	require.NotNil(t, first.Owner())
	require.Nil(t, second.Owner())
	a, err := first.Address(context.Background())
	require.NoError(t, err)
	b, err := second.Address(context.Background())
	require.NoError(t, err)
	require.Equal(t, a.URL, b.URL, "whoever owns, the address is the same")
	annotations := first.Owner().names.Annotations
	one, two := attach(t, first), attach(t, second)
	one.subscribe(annotations)
	two.subscribe(annotations)
	one.dispatch(annotations, 1, set(note("a")))
	two.action(annotations, "annotations/set")

	// The owner goes: the other takes over, and has everything.
	require.NoError(t, first.Close())
	<-two.ended
	two = attach(t, second)
	require.NotNil(t, second.Owner())
	s, err := ahp.DecodeAnnotations(two.subscribe(annotations))
	require.NoError(t, err)
	require.NotNil(t, s.Get("a"))
	_, err = first.Address(context.Background())
	require.ErrorIs(t, err, errClosed)
	require.NoError(t, second.Close())
	entries, err := os.ReadDir(filepath.Join(dir, "entries"))
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is published any more")
	sockets, err := filepath.Glob(filepath.Join(dir, "*.sock"))
	require.NoError(t, err)
	require.Empty(t, sockets)
}

func TestTakeoverFromAKilledProcess(t *testing.T) {
	w, dir := newTree(t, "a.txt", "1\n"), socketDir(t)
	p := spawn(t, "own", w.root, dir)
	s := w.serve(dir)
	require.Nil(t, s.Owner())
	c := attach(t, s)
	annotations := "ahp-session:/" + w.repo().ID() + "/annotations"
	c.subscribe(annotations)
	c.dispatch(annotations, 1, set(note("a")))
	require.Empty(t, c.action(annotations, "annotations/set").RejectionReason)
	entries, err := os.ReadDir(filepath.Join(dir, "entries"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	dead := entries[0].Name()
	p.kill()
	<-c.ended
	c = attach(t, s)
	require.NotNil(t, s.Owner())
	st, err := ahp.DecodeAnnotations(c.subscribe(annotations))
	require.NoError(t, err)
	require.NotNil(t, st.Get("a"))
	require.NoFileExists(t, filepath.Join(dir, "entries", dead), "what the dead one had published is gone")

	// A third process finds the new owner.
	file, url := s.Entry()
	require.FileExists(t, file)
	require.True(t, strings.HasPrefix(url, "ws+unix://"))
}

// What is published is what bridge/discover reads, and nobody else can.
func TestPublished(t *testing.T) {
	w, dir := newTree(t), socketDir(t)
	w.serve(dir)
	found, passedOver := discover.Scan([]string{filepath.Join(dir, "entries")}, nil)
	require.Empty(t, passedOver)
	require.Len(t, found, 1)
	e := found[0]
	require.Equal(t, "standalone", e.Type)
	require.Equal(t, os.Getpid(), e.PID)
	require.Equal(t, w.repo().ID(), e.InstanceID)
	require.Equal(t, ahp.Versions()[0], e.ProtocolVersion)
	require.NotEmpty(t, e.Token)
	socket := strings.TrimPrefix(e.URL, "ws+unix://")
	if runtime.GOOS != "windows" {
		for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "entries"): 0o700, socket: 0o600, e.File: 0o600} {
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, mode, info.Mode().Perm(), path)
		}
	}
	dial := func(token string) (*http.Response, error) {
		url := "ws://localhost/"
		if token != "" {
			url += "?tkn=" + token
		}
		ws, resp, err := websocket.Dial(context.Background(), url, unixClient(socket))
		if err == nil {
			ws.CloseNow()
		}
		return resp, err
	}
	for _, token := range []string{"", "wrong", e.Token + "x", e.Token[:len(e.Token)-1], strings.ToUpper(e.Token)} {
		resp, err := dial(token)
		require.Error(t, err)
		require.Equal(t, http.StatusForbidden, resp.StatusCode)
	}
	_, err := dial(e.Token)
	require.NoError(t, err)
}

func unixClient(socket string) *websocket.DialOptions {
	return &websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}}
}

// A connection without the token ends after its 403: thousands of them would
// otherwise stay open.
func TestUnauthenticatedConnectionsAreClosed(t *testing.T) {
	w, dir := newTree(t), socketDir(t)
	var url, token string
	s, err := Serve(context.Background(), w.repo(), Options{
		Dir: dir, Log: testLog(t), Brief: true, Listen: ":0", OnListen: func(u, k string) { url, token = u, k },
	})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	host := strings.Trim(strings.TrimPrefix(url, "ws:"), "/")
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /?tkn=wrong HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
		// With the token, but no WebSocket, or a page's.
		"GET /?tkn=" + token + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /?tkn=" + token + " HTTP/1.1\r\nHost: x\r\nOrigin: https://example.org\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", host)
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		_, err = conn.Write([]byte(request))
		require.NoError(t, err)
		answer, err := io.ReadAll(conn)
		require.NoError(t, err, "it is still open: %s", answer)
		require.Contains(t, string(answer), "HTTP/1.1 4")
	}
}

func TestListenOnTCP(t *testing.T) {
	w, dir := newTree(t), socketDir(t)
	var url, token string
	s, err := Serve(context.Background(), w.repo(), Options{
		Dir: dir, Log: testLog(t), Brief: true, Listen: ":0", OnListen: func(u, k string) { url, token = u, k },
	})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	require.True(t, strings.HasPrefix(url, "ws://127.0.0.1:"), "on this machine only, unless said otherwise: %s", url)
	_, resp, err := websocket.Dial(context.Background(), url, nil)
	require.Error(t, err)
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
	// A page in a browser has no business here, even with the token.
	_, resp, err = websocket.Dial(context.Background(), url+"?tkn="+token, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://example.org"}}})
	require.Error(t, err)
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
	c := rawOver(t, url+"?tkn="+token, nil)
	c.handshake("0.6.0", "tcp")

	// A port that is taken is an error: somebody has asked for it.
	_, err = Serve(context.Background(), newTree(t).repo(), Options{
		Dir: dir, Log: testLog(t), Brief: true, Listen: strings.Trim(strings.TrimPrefix(url, "ws:"), "/"),
	})
	require.ErrorContains(t, err, "listen on 127.0.0.1:")
}

// Only another process is waited for so long: on a busy machine it may take
// longer to become the owner oneself, and to be refused then would be of no help.
func TestBecomingTheOwnerTakesAsLongAsItTakes(t *testing.T) {
	w, dir := newTree(t), socketDir(t)
	hurried := func() (*publish.Service, error) {
		c := Options{Dir: dir, Log: testLog(t), Brief: true}.complete().service(w.repo())
		c.Wait = time.Nanosecond
		s, err := publish.Serve(t.Context(), c)
		if err == nil {
			t.Cleanup(func() { s.Close() })
		}
		return s, err
	}
	first, err := hurried()
	require.NoError(t, err)
	require.NotNil(t, first.Owner())
	_, err = hurried()
	require.ErrorContains(t, err, "another process holds")
}

// An owner that never says where it listens is not waited for for ever.
func TestOwnerThatCannotBeReached(t *testing.T) {
	w, dir := newTree(t), socketDir(t)
	s := w.serve(dir)
	require.NotNil(t, s.Owner())
	require.NoError(t, os.WriteFile(filepath.Join(w.root, ".git", "ahp", "host.at"), []byte("rubbish"), 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	cancel()
	_, err := Serve(ctx, w.repo(), Options{Dir: dir, Log: testLog(t), Brief: true})
	require.ErrorContains(t, err, "another process holds")
	require.ErrorIs(t, err, err)
	require.False(t, errors.Is(err, errClosed))
}
