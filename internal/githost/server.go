package githost

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"ahp-lsp/internal/memnet"
)

// server accepts WebSocket connections: from inside the process over pipes, and
// from outside over listeners, where a token is wanted.
type server struct {
	h     *Host
	inner *http.Server // for pipes
	pipes *memnet.Listener

	mu    sync.Mutex
	outer []*http.Server
}

func newServer(h *Host) *server {
	s := &server{h: h, pipes: memnet.New()}
	s.inner = s.httpServer("")
	h.running.Go(func() { _ = s.inner.Serve(s.pipes) })
	return s
}

func (s *server) httpServer(token string) *http.Server {
	return &http.Server{
		Handler: s.handler(token), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: log.New(io.Discard, "", 0), // it would hold URLs, and so tokens
	}
}

// handler answers 403 where the token, the query parameter tkn, is not the
// wanted one. "" wants none.
func (s *server) handler(token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = oneAnswer{w}
		if token != "" && !sameToken(r.URL.Query().Get("tkn"), token) {
			http.Error(w, "Forbidden", http.StatusForbidden)
			return
		}
		// The origin check stays on: a page in a browser is no client.
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		s.h.serve(ws, token == "")
	})
}

// oneAnswer has the connection closed after an error: only a WebSocket outlives its
// first answer, and strangers cannot keep connections open.
type oneAnswer struct{ http.ResponseWriter }

func (w oneAnswer) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.Header().Set("Connection", "close")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the WebSocket take the connection over.
func (w oneAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// sameToken compares in a time that does not depend on what the tokens have in
// common, or on their lengths.
func sameToken(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// Serve accepts connections from l until the Host is closed. token must not be
// empty. It is part of publish.Host.
func (h *Host) Serve(l net.Listener, token string) {
	if token == "" {
		panic("githost: a listener without a token")
	}
	srv := h.server.httpServer(token)
	h.server.mu.Lock()
	h.server.outer = append(h.server.outer, srv)
	h.server.mu.Unlock()
	h.running.Go(func() { _ = srv.Serve(l) })
}

// Dial connects to the Host in memory, whatever the address. It fits
// bridge.Config.Dial.
func (h *Host) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return h.server.pipes.Dial(ctx, network, addr)
}

func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inner.Close()
	s.pipes.Close()
	for _, srv := range s.outer {
		srv.Close()
	}
}
