// Package rpc is the connection of a language server: JSON-RPC 2.0 in the frames of the LSP base
// protocol, on a byte stream such as stdin and stdout.
//
// [Conn.Run] hands each request and notification to one [Handler], in the order of arrival. The
// handler posts the [Request] to a queue of its own and returns; whoever does the work calls
// [Request.Reply]. In the other direction [Conn.Notify] and [Conn.Call] send to the peer.
//
// Two rules keep both sides alive. Nothing here waits for the peer to read: outgoing messages go
// through an unbounded queue to one writing goroutine. And nothing the peer sends ends the session
// as long as the start of the next frame is known: bad messages are answered with an error.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// ErrClosed is the error of [Conn.Notify] and [Conn.Call] once the connection has ended.
var ErrClosed = errors.New("connection closed")

// flushTimeout is how long Run, at its end, waits for the peer to read what was queued. An editor
// that quits may stop reading first, and must not keep the server alive.
const flushTimeout = 2 * time.Second

// Handler receives requests and notifications on the goroutine that reads the stream. Nothing else
// is read while it runs, no answer to a Call and no $/cancelRequest: it must not block. A panic in
// it is logged, and answered with [jsonrpc2.CodeInternalError].
type Handler func(*Request)

// Conn is one JSON-RPC connection. Its methods may be called from any goroutine; only Call must not
// be waited for in the handler.
//
// Its goroutines end with Run, except one stuck in a Read or Write that closing does not interrupt
// (of a terminal on stdin, say): that one stays, and delivers nothing any more.
type Conn struct {
	r        io.Reader
	w        io.Writer
	maxFrame int64 // in bytes; a longer body is skipped without being kept, and answered with an error
	handler  Handler
	log      Logger
	out      outbox

	// handling is held while the handler runs. Run takes it at its end, so that no handler call is
	// under way, or can follow, when it returns.
	handling sync.Mutex

	started atomic.Bool
	life    context.Context         // done when the connection has ended, with the cause
	die     context.CancelCauseFunc // see end

	mu       sync.Mutex                // guards the following, for map operations only
	inflight map[string]*Request       // not replied to yet, by id
	pending  map[string]chan<- message // what each Call under way waits for; with room for one
	lastID   uint64                    // of our calls, counted from 1
}

// NewConn returns a connection that reads r, writes w (each message with a single Write) and calls
// h. It does nothing before [Conn.Run]; messages sent earlier are queued. It owns r and w: those
// that are [io.Closer]s are closed by Run.
func NewConn(r io.Reader, w io.Writer, h Handler, opts ...Option) *Conn {
	c := &Conn{
		r: r, w: w, handler: h,
		maxFrame: 256 << 20,
		log:      discard{},
		inflight: make(map[string]*Request),
		pending:  make(map[string]chan<- message),
	}
	c.life, c.die = context.WithCancelCause(context.Background())
	c.out.ready.L = &c.out.mu
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// Run serves the connection, once. It returns nil when the peer closes the stream between two
// messages or Close is called, ctx.Err when ctx ends, and otherwise what went wrong in reading,
// framing or writing.
//
// When it returns, no handler call is under way or will follow, the contexts of all requests have
// ended, each Call has failed with [ErrClosed], and what was queued has been written, unless the
// peer did not read it for two seconds.
func (c *Conn) Run(ctx context.Context) error {
	if c.started.Swap(true) {
		return errors.New("run: connection was served before")
	}
	requests, cancelRequests := context.WithCancel(ctx)
	defer cancelRequests()
	go func() {
		err := errors.New("read: handler ended its goroutine")
		defer func() { c.end(err) }() // also after a runtime.Goexit
		err = c.read(requests)
	}()
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()

	select {
	case <-ctx.Done():
		c.end(ctx.Err())
	case <-c.life.Done():
	}
	cancelRequests()
	c.handling.Lock() // see the field
	defer c.handling.Unlock()

	timeout := time.NewTimer(flushTimeout)
	defer timeout.Stop()
	select {
	case <-written:
	case <-timeout.C:
		c.log.Warningf("peer stopped reading: its last messages are dropped")
	}
	// Not before: r and w may be one socket.
	for _, stream := range []any{c.r, c.w} {
		if closer, ok := stream.(io.Closer); ok {
			closer.Close()
		}
	}
	if cause := context.Cause(c.life); !errors.Is(cause, ErrClosed) {
		return cause
	}
	return nil
}

// Close makes Run flush and return nil. It does not wait for that, so that a handler may call it.
// It always returns nil.
func (c *Conn) Close() error {
	c.end(ErrClosed)
	return nil
}

// end stops delivery in both directions. The first cause counts; ErrClosed is the regular one.
func (c *Conn) end(cause error) {
	c.die(cause)
	c.out.close()
}

func (c *Conn) ended() bool { return c.life.Err() != nil }

// read is the reading goroutine. It returns why the connection is to end.
func (c *Conn) read(ctx context.Context) error {
	frames := newFrameReader(c.r, c.maxFrame)
	for !c.ended() {
		body, err := frames.next()
		var bad *frameError
		if errors.As(err, &bad) {
			c.refuse(nil, jsonrpc2.CodeParseError, bad.text)
			if !bad.lost {
				continue
			}
		}
		if errors.Is(err, io.EOF) {
			return ErrClosed
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		c.receive(ctx, body)
	}
	return ErrClosed
}

// write is the writing goroutine. It ends when the queue is closed and empty, or at an error.
func (c *Conn) write() {
	for batch := c.out.take(); batch != nil; batch = c.out.take() {
		for i, frame := range batch {
			batch[i] = nil // with a slow peer, the batch lives long
			if _, err := c.w.Write(frame); err != nil {
				c.end(fmt.Errorf("write: %w", err))
				return
			}
		}
	}
}

func (c *Conn) receive(ctx context.Context, body []byte) {
	m, err := parseMessage(body)
	switch {
	case err != nil:
		c.refuse(m.id.wire, err.Code, err.Message)
	case m.isAnswer():
		c.deliver(m)
	case m.method == cancelMethod:
		c.cancelRequest(m)
	default:
		c.dispatch(ctx, m)
	}
}

// encode makes a frame of v. It runs the marshalling methods of what the caller passed, so a panic
// in them is made an error here.
func (c *Conn) encode(v any) (frame []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Errorf("panic while encoding a message: %v\n%s", p, debug.Stack())
			err = fmt.Errorf("encode: panic: %v", p)
		}
	}()
	return encodeFrame(v)
}

// refuse answers a message that never became a Request; a nil id is sent as null (JSON-RPC 2.0,
// section 5).
func (c *Conn) refuse(id json.RawMessage, code int64, text string) {
	c.log.Warningf("refused a message: %s", text)
	c.out.put(c.encodeError(id, &jsonrpc2.Error{Code: code, Message: text}))
}
