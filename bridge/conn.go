package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
)

// ErrDisconnected is package remote's.
var ErrDisconnected = remote.ErrDisconnected

// conn is one WebSocket connection that speaks JSON-RPC. Frames are handled in
// order on the goroutine in run; answers to requests too, so that the snapshot
// in an answer is in place before the action behind it arrives.
type conn struct {
	ws     *websocket.Conn
	handle func(ahp.Message)             // requests and notifications of the host
	fault  func(format string, a ...any) // a frame that is no message

	out  *queue[[]byte]
	last atomic.Int64 // when bytes last came, Unix nanoseconds

	live context.Context // ends with its cause when nothing more is to be queued
	wire context.Context // its end closes the socket
	end  func(error)     // ends both for a reason; waits for nothing
	// finish ends the connection for a reason once what is queued has gone out.
	finish func(error)

	mu      sync.Mutex
	nextID  int64
	pending map[string]func(ahp.Message, error)
	err     error // set once the connection has ended
}

// newConn makes a connection that lasts until ctx ends; run carries it. When
// ctx ends, what has been queued still goes out, for flushTime at most: the last
// comment before an editor quits must not be lost.
func newConn(ctx context.Context, ws *websocket.Conn, handle func(ahp.Message), fault func(string, ...any)) *conn {
	c := &conn{ws: ws, handle: handle, fault: fault, out: newQueue[[]byte](), pending: map[string]func(ahp.Message, error){}}
	c.last.Store(time.Now().UnixNano())
	live, cancel := context.WithCancelCause(ctx)
	wire, cut := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(live, func() { time.AfterFunc(flushTime, cut) })
	c.live, c.wire, c.finish = live, wire, cancel
	c.end = func(err error) {
		cancel(err)
		cut()
	}
	return c
}

// run carries frames until the connection ends and returns why. Every request
// still unanswered has then failed with ErrDisconnected.
func (c *conn) run() error {
	var others sync.WaitGroup
	others.Go(c.write)
	others.Go(c.keepAlive)
	err := c.read()
	if cause := context.Cause(c.live); cause != nil && !errors.Is(err, websocket.ErrMessageTooBig) {
		err = cause
	}
	c.end(err)
	c.ws.CloseNow()
	others.Wait()
	c.fail(err)
	return err
}

// next reads one frame. What is decoded from it may share its memory.
func (c *conn) next() (websocket.MessageType, []byte, error) {
	kind, r, err := c.ws.Reader(c.wire)
	if err != nil {
		return 0, nil, err
	}
	frame, err := readFrame(activityReader{r, &c.last})
	return kind, frame, err
}

// activityReader notes that bytes come in: a large frame on a slow line takes longer
// than a peer may be silent.
type activityReader struct {
	r    io.Reader
	last *atomic.Int64
}

func (l activityReader) Read(p []byte) (int, error) {
	// The WebSocket library waits until it has filled p.
	n, err := l.r.Read(p[:min(len(p), 16<<10)])
	l.last.Store(time.Now().UnixNano())
	return n, err
}

func (c *conn) read() error {
	for {
		kind, data, err := c.next()
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			c.fault("ignored a binary frame of %d bytes: the protocol has text frames only", len(data))
			continue
		}
		m, err := ahp.DecodeMessage(data)
		switch known := m.Method != "" || len(m.ID) > 0 || m.Error != nil; {
		case !known && err != nil:
			c.fault("ignored a frame that is no JSON-RPC message (%d bytes): %v", len(data), err)
			continue
		case !known:
			c.fault("ignored a frame with neither method nor id (%d bytes)", len(data))
			continue
		case err != nil:
			c.fault("a frame cannot be read in full (%d bytes): %v", len(data), err)
		}
		if m.Method != "" {
			c.handle(m)
		} else {
			c.answer(m)
		}
	}
}

// wrongType reports whether a decoding error is about a member of the wrong
// type only: the other members have been filled.
func wrongType(err error) bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(err, &wrong)
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

func (c *conn) write() {
	for {
		data, err := c.out.next(c.live)
		if err != nil {
			if c.wire.Err() == nil {
				// All is out. Say goodbye: a socket closed with unread bytes in
				// it can take back what it has sent.
				c.ws.Close(websocket.StatusNormalClosure, "")
			}
			return
		}
		// No deadline of its own: an expired one would close the socket.
		if err := c.ws.Write(c.wire, websocket.MessageText, data); err != nil {
			c.end(err)
			return
		}
	}
}

// keepAlive notices a peer that is gone without having closed the connection.
func (c *conn) keepAlive() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.live.Done():
			return
		case <-tick.C:
		}
		silent := time.Since(time.Unix(0, c.last.Load()))
		switch {
		case silent >= deadAfter:
			c.end(fmt.Errorf("%w: no sign of life for %s", ErrDisconnected, silent.Round(time.Second)))
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
	data, err := ahp.Marshal(message)
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
