package githost

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/coder/websocket"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// Limits of one connection.
const (
	// clientReadLimit is the largest frame accepted from a client, in bytes.
	clientReadLimit = 64 << 20
	// maxQueued is how many bytes may wait for a client that does not read;
	// past it the connection is cut, and the client comes back with reconnect.
	maxQueued = 64 << 20
	// maxRunning is how many slow requests of one connection run at a time.
	maxRunning = 8
	// maxUnanswered is how many more may wait for them.
	maxUnanswered = 4096
)

// peer is one connection. Its frames are handled in order by the goroutine in
// serve; what goes out is queued under the Host's mutex, so that its order is
// that of the state, and written by a goroutine of its own.
type peer struct {
	h    *Host
	ws   *websocket.Conn
	ctx  context.Context // ends with the connection
	cut  context.CancelFunc
	slow chan struct{} // a token per slow request that runs
	gone chan struct{} // closed when everything that came has been handled
	// inside: the client is in this process.
	inside bool

	// Guarded by h.mu.
	id         string // clientId, once the handshake is done
	version    string
	shape      shape
	ready      bool // initialize or reconnect has been answered
	subscribed subscriptions
	unanswered int // slow requests
	out        outgoing
}

// outgoing are the frames that wait for the connection's writing goroutine.
type outgoing struct {
	frames []frame
	bytes  int
	woken  chan struct{} // holds a token while frames is not empty
	ended  bool          // the last frame is queued: the connection ends after it
}

func newOutgoing() outgoing { return outgoing{woken: make(chan struct{}, 1)} }

// push reports whether there was room for the frame.
func (o *outgoing) push(f frame) bool {
	if o.ended {
		return true
	}
	if o.bytes += len(f.data); o.bytes > maxQueued {
		return false
	}
	o.frames = append(o.frames, f)
	o.ended = f.last
	select {
	case o.woken <- struct{}{}:
	default:
	}
	return true
}

func (o *outgoing) take() []frame {
	frames := o.frames
	o.frames, o.bytes = nil, 0
	return frames
}

// frame is a text frame to send. One that is expensive to write, a snapshot, is
// written by the connection's writing goroutine, from values that no one
// changes any more.
type frame struct {
	data []byte
	late func() []byte
	last bool // the connection ends after it
}

// serve speaks with one client until the connection ends. inside: it is in this
// process.
func (h *Host) serve(ws *websocket.Conn, inside bool) {
	ctx, cut := context.WithCancel(h.ctx)
	defer cut()
	defer ws.CloseNow()
	ws.SetReadLimit(clientReadLimit)
	p := &peer{
		h: h, ws: ws, ctx: ctx, cut: cut, subscribed: subscriptions{},
		out: newOutgoing(), slow: make(chan struct{}, maxRunning), gone: make(chan struct{}), inside: inside,
	}
	if !h.join(p) {
		return
	}
	defer h.leave(p)
	h.running.Go(p.write)
	for {
		kind, data, err := ws.Read(ctx)
		if err != nil {
			if errors.Is(err, websocket.ErrMessageTooBig) {
				h.opts.Log.Warningf("a client sent a frame of more than %d bytes and was cut off", clientReadLimit)
			}
			return
		}
		if kind != websocket.MessageText {
			p.refuse(nil, &ahp.Error{Code: ahp.CodeInvalidRequest, Message: "only text frames are understood"})
			continue
		}
		p.receive(data)
	}
}

// join counts the connection among what Close waits for.
func (h *Host) join(p *peer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.running.Add(1)
	h.hub.peers[p] = true
	return true
}

func (h *Host) leave(p *peer) {
	defer h.running.Done()
	defer close(p.gone)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.hub.peers, p)
	p.subscribed = nil
	p.out.take()
	h.state.Changesets().Close(h.hub.subscribed)
}

func (p *peer) write() {
	defer p.cut()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.out.woken:
		}
		p.h.mu.Lock()
		out := p.out.take()
		p.h.mu.Unlock()
		for _, f := range out {
			data := f.data
			if f.late != nil {
				data = f.late()
			}
			if p.ws.Write(p.ctx, websocket.MessageText, data) != nil {
				return
			}
			if f.last {
				_ = p.ws.Close(websocket.StatusNormalClosure, "")
				return
			}
		}
	}
}

// send queues a frame; h.mu is held.
func (p *peer) send(f frame) {
	if !p.out.push(f) {
		p.h.opts.Log.Warningf("the client %q does not read and is cut off", p.id)
		p.cut()
	}
}

// answer queues the answer to a request; h.mu is held. An id that could not be
// read is null. A result that is a writer is written by the writing goroutine.
func (p *peer) answer(id json.RawMessage, result any, err *ahp.Error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	write, ok := result.(writer)
	switch {
	case err != nil:
		p.send(frame{data: errorFrame(id, err), last: err.Code == ahp.CodeVersion})
	case ok:
		p.send(frame{late: func() []byte { return resultFrame(id, write) }})
	default:
		p.send(frame{data: resultFrame(id, later(result))})
	}
}

func (p *peer) refuse(id json.RawMessage, err *ahp.Error) {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.answer(id, nil, err)
}

func resultFrame(id json.RawMessage, result writer) []byte {
	data, err := result()
	if err != nil {
		return errorFrame(id, wire.Errorf(ahp.CodeInternal, "the answer cannot be written: %v", err))
	}
	out := make([]byte, 0, len(data)+len(id)+40)
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	out = append(out, `,"result":`...)
	return append(append(out, data...), '}')
}

func errorFrame(id json.RawMessage, e *ahp.Error) []byte {
	data, err := ahp.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": e})
	if err != nil {
		data, _ = ahp.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": wire.Errorf(e.Code, "%s", e.Message)})
	}
	return data
}

// receive handles one text frame.
func (p *peer) receive(data []byte) {
	if !json.Valid(data) {
		p.refuse(nil, wire.Errorf(ahp.CodeParse, "Parse error"))
		return
	}
	m, err := ahp.DecodeMessage(data)
	id := requestID(m.ID)
	switch {
	case err != nil:
		p.refuse(nil, wire.Errorf(ahp.CodeInvalidRequest, "a message is one JSON object"))
	case m.Method == "" && (m.Result != nil || m.Error != nil):
		// An answer: this host asks nothing.
	case m.Method == "":
		p.refuse(id, wire.Errorf(ahp.CodeInvalidRequest, "the message has no method"))
	case len(m.ID) == 0 || string(m.ID) == "null":
		p.notification(m)
	case id == nil:
		p.refuse(nil, wire.Errorf(ahp.CodeInvalidRequest, "an id is a string or a number"))
	default:
		m.ID = id
		p.request(m)
	}
}

// requestID is an id as it may be sent back, nil if it is none.
func requestID(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '"' && raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return nil
	}
	return append(json.RawMessage(nil), raw...) // the frame's memory is not ours
}
