package ahptest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/coder/websocket"

	"ahp-lsp/bridge/ahp"
)

// client is one connection. Its members are guarded by the Host's mutex.
type client struct {
	h          *Host
	number     int
	ws         *websocket.Conn
	id         string // clientId, once the handshake is done
	ready      bool   // initialize or reconnect has been answered
	cancel     func() // ends the connection's goroutines
	subscribed map[string]bool
	out        []outgoing
	wake       chan struct{} // holds a token while out is not empty
}

type outgoing struct {
	kind websocket.MessageType
	data []byte
}

// serve speaks with one client until the connection ends.
func (h *Host) serve(ws *websocket.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer ws.CloseNow()
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.net.running.Add(1)
	defer h.net.running.Done()
	h.accepted++
	c := &client{h: h, number: h.accepted, ws: ws, cancel: cancel, subscribed: map[string]bool{}, wake: make(chan struct{}, 1)}
	h.clients[c] = true
	h.mu.Unlock()
	h.net.running.Go(func() { c.write(ctx, cancel) })
	for {
		kind, data, err := ws.Read(ctx)
		if err != nil {
			break
		}
		if h.awake(ctx) && kind == websocket.MessageText {
			c.receive(data)
		}
	}
	h.mu.Lock()
	delete(h.clients, c)
	h.mu.Unlock()
}

// awake waits until the Host is not mute; false: the connection has ended.
func (h *Host) awake(ctx context.Context) bool {
	h.mu.Lock()
	resumed := h.faults.resumed
	h.mu.Unlock()
	if resumed == nil {
		return true
	}
	select {
	case <-resumed:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *client) write(ctx context.Context, cancel func()) {
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		if !c.h.awake(ctx) {
			return
		}
		c.h.mu.Lock()
		out := c.out
		c.out = nil
		c.h.mu.Unlock()
		for _, o := range out {
			if c.ws.Write(ctx, o.kind, o.data) != nil {
				return
			}
		}
	}
}

// send queues a text frame; h.mu is held, so the order is that of the state.
func (c *client) send(frame []byte) { c.sendKind(websocket.MessageText, frame) }

func (c *client) sendKind(kind websocket.MessageType, frame []byte) {
	if !c.h.clients[c] {
		return
	}
	c.h.record(c.number, Recv, frame)
	c.out = append(c.out, outgoing{kind, frame})
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *client) answer(id json.RawMessage, result any, err *ahp.Error) {
	m := map[string]any{"jsonrpc": "2.0", "id": id}
	if err != nil {
		m["error"] = err
	} else {
		m["result"] = result
	}
	c.send(encode(m))
}

func (c *client) receive(data []byte) {
	h := c.h
	h.mu.Lock()
	h.record(c.number, Send, data)
	intercept, deaf := h.hooks.intercept, h.faults.deaf
	h.mu.Unlock()
	if deaf {
		return
	}
	var m ahp.Message
	if err := json.Unmarshal(data, &m); err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		c.answer(json.RawMessage("null"), nil, &ahp.Error{Code: ahp.CodeParse, Message: "Parse error"})
		return
	}
	if len(m.ID) > 0 && m.Method != "" && intercept != nil {
		if result, err, handled := intercept(m.Method, m.Params); handled {
			if result == any(NoAnswer) {
				return
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			c.answer(m.ID, result, err)
			return
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case m.Method == "":
		// An answer to a request a test has sent with SendRaw: see Frames.
	case len(m.ID) > 0:
		c.request(m)
	case c.ready:
		c.notification(m)
	}
}

// Directions of a frame, as the recorded transcripts in testdata have them: the
// client's.
const (
	Send = "send" // client to host
	Recv = "recv" // host to client
)

// Frame is one frame that went over the wire.
type Frame struct {
	Conn int // connections are counted from 1
	Dir  string
	Data []byte
}

// record keeps a frame: a client's when it is read, the Host's when it is queued.
func (h *Host) record(conn int, dir string, data []byte) {
	if !h.opts.NoRecord {
		h.frames = append(h.frames, Frame{conn, dir, data})
	}
	if h.hooks.onFrame != nil {
		h.hooks.onFrame(dir, data)
	}
}

// Frames returns every frame so far, in the order in which the Host met them.
func (h *Host) Frames() []Frame {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.frames)
}

// OnFrame installs what sees every frame from now on.
func (h *Host) OnFrame(f func(dir string, frame []byte)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks.onFrame = f
}

// SendRaw sends a text frame to every connection, as it is.
func (h *Host) SendRaw(frame string) { h.sendAll(websocket.MessageText, frame) }

// SendBinary sends a binary frame to every connection.
func (h *Host) SendBinary(frame string) { h.sendAll(websocket.MessageBinary, frame) }

func (h *Host) sendAll(kind websocket.MessageType, frame string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		c.sendKind(kind, []byte(frame))
	}
}

// DropConnections cuts every connection without a close frame.
func (h *Host) DropConnections() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		c.cancel()
		h.net.running.Go(func() { c.ws.CloseNow() }) // it waits for the reader, which may wait for h.mu
		c.subscribed = map[string]bool{}
		delete(h.clients, c)
	}
}

// Clients is how many connections are up.
func (h *Host) Clients() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients)
}

// Subscribers is how many connections are subscribed to a channel.
func (h *Host) Subscribers(channel string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		if c.subscribed[channel] {
			n++
		}
	}
	return n
}
