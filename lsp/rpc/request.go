package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"
)

// CodeRequestCancelled answers a cancelled request (LSP 3.17, ErrorCodes.RequestCancelled).
const CodeRequestCancelled = -32800

const cancelMethod = "$/cancelRequest"

// Request is one incoming request or notification. Its methods may be called from any goroutine.
// A literal with only the exported fields set is a notification, for tests of handlers.
type Request struct {
	Method string

	// Params is nil when absent or null. It keeps the memory of the whole message, which the
	// connection does not use again.
	Params json.RawMessage

	conn    *Conn
	id      id
	ctx     context.Context
	cancel  context.CancelFunc // nil for a notification
	replied atomic.Bool
}

// IsNotification reports whether no reply is expected.
func (r *Request) IsNotification() bool { return r.id.wire == nil }

// Context ends with the connection and with Run's context; a request's also when the peer sends
// $/cancelRequest for it, and once it is replied to.
func (r *Request) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// Reply answers the request. Only the first call counts; a notification's do not. It does not wait
// for the peer, and after the end of the connection the answer is dropped.
//
// Without err the answer is result, nil being null. A *[jsonrpc2.Error], also one that err wraps,
// is sent as it is; [context.Canceled] as [CodeRequestCancelled]; anything else, a result that
// cannot be encoded included, as [jsonrpc2.CodeInternalError] with its text. A cancelled request
// is still to be replied to, with what there is or the context's error (LSP 3.17, "Cancellation
// Support").
func (r *Request) Reply(result any, err error) {
	if r.IsNotification() || r.replied.Swap(true) {
		return
	}
	var frame []byte
	if err == nil {
		frame, err = r.conn.encode(resultMessage{Version: version, ID: r.id.wire, Result: result})
	}
	if err != nil {
		frame = r.conn.encodeError(r.id.wire, err)
	}
	r.cancel()
	// Before the peer has the answer, and may use the id again.
	r.conn.mu.Lock()
	delete(r.conn.inflight, r.id.key)
	r.conn.mu.Unlock()
	r.conn.out.put(frame)
}

// encodeError returns the frame that tells the peer of err; see Reply.
func (c *Conn) encodeError(id json.RawMessage, err error) []byte {
	var wire *jsonrpc2.Error
	switch {
	case errors.As(err, &wire) && wire != nil:
	case errors.Is(err, context.Canceled):
		wire = &jsonrpc2.Error{Code: CodeRequestCancelled, Message: "request cancelled"}
	default: // Sprint, because Error can panic, on a nil pointer in err for one
		wire = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprint(err)}
	}
	frame, err := c.encode(errorMessage{Version: version, ID: id, Error: wire})
	if err != nil { // its Data is not JSON
		wire = &jsonrpc2.Error{Code: wire.Code, Message: wire.Message}
		frame, _ = c.encode(errorMessage{Version: version, ID: id, Error: wire})
	}
	return frame
}

// dispatch calls the handler.
func (c *Conn) dispatch(ctx context.Context, m message) {
	req := &Request{Method: m.method, Params: m.params, conn: c, id: m.id, ctx: ctx}
	if !req.IsNotification() {
		c.mu.Lock()
		taken := c.inflight[m.id.key] != nil
		if !taken {
			req.ctx, req.cancel = context.WithCancel(ctx)
			c.inflight[m.id.key] = req
		}
		c.mu.Unlock()
		if taken {
			c.refuse(m.id.wire, jsonrpc2.CodeInvalidRequest, fmt.Sprintf("id %.80s is in use", m.id.wire))
			return
		}
	}
	c.handling.Lock()
	defer c.handling.Unlock()
	if c.ended() {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			c.log.Errorf("panic in the handler of %s: %v\n%s", req.Method, p, debug.Stack())
			req.Reply(nil, fmt.Errorf("panic in the handler of %s: %v", req.Method, p))
		}
	}()
	c.handler(req)
}

// cancelRequest acts on $/cancelRequest. It runs on the reading goroutine like dispatch, so that
// the request is known unless it was replied to.
func (c *Conn) cancelRequest(m message) {
	if m.id.wire != nil {
		c.refuse(m.id.wire, jsonrpc2.CodeInvalidRequest, cancelMethod+" is a notification")
		return
	}
	var params struct{ ID json.RawMessage }
	_ = json.Unmarshal(m.params, &params) // leaves no id, which no request has
	id, _ := parseID(params.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if req := c.inflight[id.key]; req != nil {
		req.cancel()
	}
}
