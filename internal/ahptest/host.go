package ahptest

import (
	"cmp"
	"encoding/json"
	"net"
	"net/http"
	"sync"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/memnet"
)

// Options configure a new Host.
type Options struct {
	Versions    []string // accepted protocol versions; nil is {"0.9.0"}
	Token       string   // wanted as tkn; "" takes any
	PageSize    int      // of listSessions; 0 is everything on one page
	ReplayLimit int      // actions kept for reconnect; 0 is 1000
	NoRecord    bool     // keep no frames: for benchmarks
}

// Host is an agent host in memory. See the package comment.
type Host struct {
	opts Options

	mu       sync.Mutex // guards everything below
	seq      int64      // serverSeq of the newest action
	log      []ahp.Envelope
	store    store
	known    map[string]bool // clientIds that reconnect accepts
	clients  map[*client]bool
	accepted int // connections so far
	closed   bool
	hooks    hooks
	faults   faults
	frames   []Frame

	net network
}

// store is what the Host answers with.
type store struct {
	order    []string // session URIs, oldest first
	sessions map[string]*session
	channels map[string]state
	encoded  map[string]json.RawMessage // channels' states as last written; benchmarks have large ones
	contents map[string]ahp.ResourceReadResult
}

// hooks are the functions that a test installs.
type hooks struct {
	reject    func(channel string, a ahp.Action) string
	invoke    func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error)
	intercept func(method string, params json.RawMessage) (result any, err *ahp.Error, handled bool)
	onFrame   func(dir string, frame []byte)
}

// faults are how the Host misbehaves.
type faults struct {
	resumed  chan struct{} // closed when the Host is not mute any more; nil if it is not
	deaf     bool
	recovery Recovery
}

// network is where the Host listens. Its goroutines are counted in running.
type network struct {
	server  *http.Server
	pipe    *memnet.Listener
	url     string
	running sync.WaitGroup
}

// New returns a Host without sessions. Close it.
func New(o Options) *Host {
	if o.Versions == nil {
		o.Versions = []string{"0.9.0"}
	}
	o.ReplayLimit = cmp.Or(o.ReplayLimit, 1000)
	h := &Host{
		opts: o, known: map[string]bool{}, clients: map[*client]bool{},
		store: store{
			sessions: map[string]*session{}, channels: map[string]state{ahp.RootURI: rootState{}},
			encoded: map[string]json.RawMessage{}, contents: map[string]ahp.ResourceReadResult{},
		},
	}
	h.net.server = newServer(h)
	return h
}

// Close ends every connection and waits for the Host's goroutines.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.net.server.Close()
	h.DropConnections()
	h.net.running.Wait()
}

// Do lets the host itself change a channel: the action (an ahp.Action, JSON as
// string or []byte, or anything that encodes to it) is reduced, gets the next
// serverSeq, which is returned, and goes to the channel's subscribers.
func (h *Host) Do(channel string, action any) int64 {
	a := toAction(action)
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.publish(ahp.Envelope{Channel: channel, Action: a})
}

// Replayed carries out an action of a client's as if the frame had come in and
// its echo had been lost.
func (h *Host) Replayed(channel, clientID string, clientSeq int64, a ahp.Action) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.publish(ahp.Envelope{Channel: channel, Action: a, Origin: &ahp.ActionOrigin{ClientID: clientID, ClientSeq: clientSeq}})
}

// publish numbers an envelope, reduces it, keeps it for reconnects and sends it
// to the subscribers; h.mu is held.
func (h *Host) publish(e ahp.Envelope) int64 {
	h.seq++
	e.ServerSeq = h.seq
	if s := h.store.channels[e.Channel]; s != nil && e.RejectionReason == "" {
		s.apply(e.Action)
		delete(h.store.encoded, e.Channel)
	}
	if h.log = append(h.log, e); len(h.log) > 2*h.opts.ReplayLimit {
		h.log = append([]ahp.Envelope(nil), h.log[len(h.log)-h.opts.ReplayLimit:]...)
	}
	frame := encode(map[string]any{"jsonrpc": "2.0", "method": "action", "params": e})
	for c := range h.clients {
		if c.subscribed[e.Channel] {
			c.send(frame)
		}
	}
	if s := h.store.sessions[e.Channel]; s != nil && s.Draft && e.Action.Type == ahp.TypeSessionReady {
		s.Draft = false
		h.notify(ahp.NoteSessionAdded, map[string]any{"channel": ahp.RootURI, "summary": h.summary(s)})
	}
	return h.seq
}

// Notify sends a notification of the root channel to its subscribers.
func (h *Host) Notify(method string, params any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notify(method, params)
}

func (h *Host) notify(method string, params any) {
	frame := encode(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	for c := range h.clients {
		if c.subscribed[ahp.RootURI] {
			c.send(frame)
		}
	}
}

// Reject installs what refuses clients' actions: it returns the reason, or "".
func (h *Host) Reject(f func(channel string, a ahp.Action) string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks.reject = f
}

// OnInvoke installs what carries operations out, once they are known to be
// offered. Without it they succeed and do nothing.
func (h *Host) OnInvoke(f func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks.invoke = f
}

// NoAnswer, as the result of an Intercept, leaves the request unanswered.
var NoAnswer = &struct{ noAnswer bool }{true}

// Intercept installs what may answer a request in the Host's place. It runs on
// the connection's reading goroutine: while it waits, that connection does.
func (h *Host) Intercept(f func(method string, params json.RawMessage) (result any, err *ahp.Error, handled bool)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks.intercept = f
}

// Mute stops the Host as if its process were, or lets it go on: a dead peer
// whose connections are still up. What comes in and goes out meanwhile waits.
func (h *Host) Mute(silent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case silent && h.faults.resumed == nil:
		h.faults.resumed = make(chan struct{})
	case !silent && h.faults.resumed != nil:
		close(h.faults.resumed)
		h.faults.resumed = nil
	}
}

// Deaf makes the Host read frames without looking at them, or lets it look again.
func (h *Host) Deaf(deaf bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults.deaf = deaf
}

// ForgetClients makes every later reconnect fail with -32008.
func (h *Host) ForgetClients() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.known)
}

// Serve accepts connections from l until the Host is closed.
func (h *Host) Serve(l net.Listener) {
	h.net.running.Go(func() { _ = h.net.server.Serve(l) })
}
