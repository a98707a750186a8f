package ahptest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/coder/websocket"

	"ahp-lsp/internal/memnet"
)

// MemoryURL is an address for clients that connect with Host.Dial.
const MemoryURL = "ws://host.test/"

// Handler accepts WebSocket connections, and answers HTTP 403 where the token
// is not the wanted one.
func (h *Host) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.opts.Token != "" && r.URL.Query().Get("tkn") != h.opts.Token {
			http.Error(w, "Forbidden", http.StatusForbidden)
			return
		}
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ws.SetReadLimit(-1)
		h.serve(ws)
	})
}

func newServer(h *Host) *http.Server {
	return &http.Server{Handler: h.Handler(), ErrorLog: log.New(io.Discard, "", 0)}
}

// URL serves the Host on loopback TCP and returns the address, without token.
func (h *Host) URL() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.net.url == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic("ahptest: " + err.Error())
		}
		h.net.url = "ws://" + l.Addr().String() + "/"
		h.Serve(l)
	}
	return h.net.url
}

// Dial connects to the Host in memory, whatever the address.
func (h *Host) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	h.mu.Lock()
	if h.net.pipe == nil {
		h.net.pipe = memnet.New()
		h.Serve(h.net.pipe)
	}
	l := h.net.pipe
	h.mu.Unlock()
	return l.Dial(ctx, network, addr)
}
