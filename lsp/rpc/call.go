package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/sourcegraph/jsonrpc2"
)

// Notify queues a notification; it does not wait for the peer. Nil params are left out. Errors:
// params that cannot be encoded, [ErrClosed].
func (c *Conn) Notify(method string, params any) error {
	if err := c.send(callMessage{Version: version, Method: method, Params: params}); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	return nil
}

// Call sends a request, waits for the answer and decodes it into result, unless that is nil. It
// must not be waited for in the [Handler], which holds up the answer.
//
// When ctx ends it returns at once. The peer is told with $/cancelRequest, and the answer it still
// owes is dropped.
//
// The peer's error is returned as a *[jsonrpc2.Error], not wrapped. Other errors are wrapped:
// ctx.Err, [ErrClosed] when the connection ends first, and those of encoding and decoding.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	answer, err := c.call(ctx, method, params)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	if answer.err != nil && string(answer.err) != "null" {
		wire := new(jsonrpc2.Error)
		if json.Unmarshal(answer.err, wire) != nil { // not such an object, but an error all the same
			*wire = jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: string(answer.err)}
		}
		return wire
	}
	if result == nil || answer.result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.result, result); err != nil {
		return fmt.Errorf("call %s: decode result: %w", method, err)
	}
	return nil
}

func (c *Conn) call(ctx context.Context, method string, params any) (message, error) {
	if err := ctx.Err(); err != nil {
		return message{}, err
	}
	answers := make(chan message, 1)
	c.mu.Lock()
	c.lastID++
	id := jsonrpc2.ID{Num: c.lastID}
	c.pending[id.String()] = answers
	c.mu.Unlock()

	err := c.send(callMessage{Version: version, ID: &id, Method: method, Params: params})
	if err == nil {
		select {
		case answer := <-answers:
			return answer, nil
		case <-ctx.Done():
			err = ctx.Err()
		case <-c.life.Done():
			err = ErrClosed
		}
	}
	c.mu.Lock()
	_, waiting := c.pending[id.String()]
	delete(c.pending, id.String())
	c.mu.Unlock()
	if !waiting { // answered at the same moment
		return <-answers, nil
	}
	if errors.Is(err, ctx.Err()) {
		_ = c.Notify(cancelMethod, map[string]jsonrpc2.ID{"id": id}) // fails when nobody is there to be told
	}
	return message{}, err
}

func (c *Conn) send(m callMessage) error {
	frame, err := c.encode(m)
	if err == nil && !c.out.put(frame) {
		err = ErrClosed
	}
	return err
}

// deliver hands an answer to the Call that waits for it, on whose goroutine it is decoded.
func (c *Conn) deliver(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answers, ok := c.pending[m.id.key]; ok {
		delete(c.pending, m.id.key)
		answers <- m // there is room
		return
	}
	// An id we did use is that of a call given up: its answer is no news.
	if n, err := strconv.ParseUint(m.id.key, 10, 64); err != nil || n == 0 || n > c.lastID {
		c.log.Warningf("ignored an answer with unknown id %.80s, error %.200s", m.id.wire, m.err)
	}
}
