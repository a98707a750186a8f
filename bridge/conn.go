package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"ahp-lsp/bridge/ahp"
)

// ErrDisconnected is the outcome of a request whose connection ended before
// the answer came. Whether the host carried it out is not known.
var ErrDisconnected = errors.New("the connection to the host was lost")

// conn is one WebSocket connection that speaks JSON-RPC. Frames are handled in
// order on the goroutine in run; answers to requests too, so that the snapshot
// in an answer is in place before the action behind it arrives.
type conn struct {
	ws     *websocket.Conn
	handle func(ahp.Message)             // requests and notifications of the host
	fault  func(format string, a ...any) // a frame that is no message

	out  *queue[[]byte]
	last atomic.Int64 // when a frame last came, Unix nanoseconds

	mu      sync.Mutex
	nextID  int64
	pending map[string]func(ahp.Message, error)
	err     error // set once the connection has ended
}

func newConn(ws *websocket.Conn, handle func(ahp.Message), fault func(string, ...any)) *conn {
	c := &conn{ws: ws, handle: handle, fault: fault, out: newQueue[[]byte](), pending: map[string]func(ahp.Message, error){}}
	c.last.Store(time.Now().UnixNano())
	return c
}

// run carries frames until the connection or ctx ends and returns why. Every
// request still unanswered has then failed with ErrDisconnected.
func (c *conn) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var writers sync.WaitGroup
	writers.Go(func() { c.write(ctx, cancel) })
	writers.Go(func() { c.keepAlive(ctx, cancel) })
	err := c.read(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, websocket.ErrMessageTooBig) {
		err = cause
	}
	cancel(err)
	c.ws.CloseNow()
	writers.Wait()
	c.fail(err)
	return err
}

func (c *conn) read(ctx context.Context) error {
	for {
		kind, data, err := c.ws.Read(ctx)
		if err != nil {
			return err
		}
		c.last.Store(time.Now().UnixNano())
		if kind != websocket.MessageText {
			c.fault("ignored a binary frame of %d bytes: the protocol has text frames only", len(data))
			continue
		}
		var m ahp.Message
		if err := json.Unmarshal(data, &m); err != nil {
			c.fault("ignored a frame that is no JSON-RPC message (%d bytes): %v", len(data), err)
			continue
		}
		switch {
		case m.Method != "":
			c.handle(m)
		case len(m.ID) > 0 || m.Error != nil:
			c.answer(m)
		default:
			c.fault("ignored a frame with neither method nor id (%d bytes)", len(data))
		}
	}
}

func (c *conn) answer(m ahp.Message) {
	c.mu.Lock()
	done, ok := c.pending[string(m.ID)]
	delete(c.pending, string(m.ID))
	c.mu.Unlock()
	switch {
	case !ok && m.Error != nil:
		c.fault("the host reported: %v", m.Error)
	case !ok:
		// Given up long ago, or never asked.
	case m.Error != nil:
		done(m, m.Error)
	default:
		done(m, nil)
	}
}

func (c *conn) write(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		data, err := c.out.next(ctx)
		if err != nil {
			return
		}
		// No deadline of its own: an expired one would close the socket.
		if err := c.ws.Write(ctx, websocket.MessageText, data); err != nil {
			cancel(err)
			return
		}
	}
}

// keepAlive notices a peer that is gone without having closed the connection.
func (c *conn) keepAlive(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		silent := time.Since(time.Unix(0, c.last.Load()))
		switch {
		case silent >= deadAfter:
			cancel(fmt.Errorf("%w: no sign of life for %s", ErrDisconnected, silent.Round(time.Second)))
			return
		case silent >= pingEvery:
			c.start("ping", ahp.ChannelParams{Channel: ahp.RootURI}, func(ahp.Message, error) {})
		}
	}
}

// start sends a request and returns at once. done is called once, never by
// start itself: with the answer, on the reading goroutine, or with
// ErrDisconnected when the connection ends. The returned
// function forgets the request: done is then not called any more.
func (c *conn) start(method string, params any, done func(ahp.Message, error)) (forget func()) {
	c.mu.Lock()
	if err := c.err; err != nil {
		c.mu.Unlock()
		go done(ahp.Message{}, err) // never on the caller's goroutine: it may hold what done needs
		return func() {}
	}
	c.nextID++
	id := strconv.FormatInt(c.nextID, 10)
	c.pending[id] = done
	c.mu.Unlock()
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params}); err != nil {
		go c.answer(ahp.Message{ID: json.RawMessage(id), Error: &ahp.Error{Code: ahp.CodeInvalidParams, Message: err.Error()}})
	}
	return func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}
}

// call sends a request and waits for the answer, for ctx, or for the end of the
// connection.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	type answer struct {
		m   ahp.Message
		err error
	}
	ch := make(chan answer, 1)
	forget := c.start(method, params, func(m ahp.Message, err error) { ch <- answer{m, err} })
	select {
	case <-ctx.Done():
		forget()
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case a := <-ch:
		if a.err != nil {
			return fmt.Errorf("%s: %w", method, a.err)
		}
		if result == nil || len(a.m.Result) == 0 {
			return nil
		}
		if err := json.Unmarshal(a.m.Result, result); err != nil {
			return fmt.Errorf("%s: the host's answer cannot be read: %w", method, err)
		}
		return nil
	}
}

func (c *conn) notify(method string, params any) error {
	return c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// refuse answers a request of the host that this client does not serve.
func (c *conn) refuse(m ahp.Message) {
	err := c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": ahp.Error{
		Code: ahp.CodeMethodNotFound, Message: "ahp-lsp does not serve " + m.Method,
	}})
	if err != nil {
		c.fault("answer %s: %v", m.Method, err)
	}
}

func (c *conn) send(message map[string]any) error {
	data, err := encode(message)
	if err != nil {
		return fmt.Errorf("encode %v: %w", message["method"], err)
	}
	c.out.push(data)
	return nil
}

// fail ends every pending request.
func (c *conn) fail(err error) {
	if !errors.Is(err, ErrDisconnected) {
		err = fmt.Errorf("%w: %w", ErrDisconnected, err)
	}
	c.mu.Lock()
	c.err = err
	pending := c.pending
	c.pending = map[string]func(ahp.Message, error){}
	c.mu.Unlock()
	for _, done := range pending {
		done(ahp.Message{}, err)
	}
}
