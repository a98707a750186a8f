package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
)

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("no JSON today") }

func TestReplies(t *testing.T) {
	data := json.RawMessage(`{"retry":true}`)
	broken := json.RawMessage(`{`)
	rich := &jsonrpc2.Error{Code: -32602, Message: "no <file>", Data: &data}
	for name, test := range map[string]struct {
		result any
		err    error
		want   string
	}{
		"nothing":             {nil, nil, `"result":null`},
		"value":               {map[string]string{"a": "<b>&"}, nil, `"result":{"a":"<b>&"}`},
		"raw":                 {json.RawMessage(`[1, 2]`), nil, `"result":[1,2]`},
		"error wins":          {1, errTest, `"error":{"code":-32603,"message":"disk on fire"}`},
		"protocol error":      {nil, rich, `"error":{"code":-32602,"message":"no <file>","data":{"retry":true}}`},
		"wrapped":             {nil, fmt.Errorf("open: %w", rich), `"error":{"code":-32602,"message":"no <file>","data":{"retry":true}}`},
		"broken data":         {nil, &jsonrpc2.Error{Code: 5, Message: "m", Data: &broken}, `"error":{"code":5,"message":"m"}`},
		"nil protocol error":  {nil, (*jsonrpc2.Error)(nil), `"error":{"code":-32603,"message":"<nil>"}`},
		"cancelled":           {nil, fmt.Errorf("diff: %w", context.Canceled), `"error":{"code":-32800,"message":"request cancelled"}`},
		"deadline":            {nil, context.DeadlineExceeded, `"error":{"code":-32603,"message":"context deadline exceeded"}`},
		"NaN":                 {math.NaN(), nil, `"error":{"code":-32603,"message":"encode: json: unsupported value: NaN"}`},
		"not marshalable":     {make(chan int), nil, `"error":{"code":-32603,"message":"encode: json: unsupported type: chan int"}`},
		"panics":              {panicking{}, nil, `"error":{"code":-32603,"message":"encode: panic: no JSON today"}`},
		"empty raw":           {json.RawMessage{}, nil, `"error":{"code":-32603,"message":"encode: json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input"}`},
		"nil in an interface": {(*int)(nil), nil, `"result":null`},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, func(r *Request) {
				r.Reply(test.result, test.err)
				r.Reply("second", nil)
			})
			p.send(`{"jsonrpc":"2.0","id":"x","method":"m"}`)
			p.expect(`{"jsonrpc":"2.0","id":"x",` + test.want + `}`)
			p.send(`{"jsonrpc":"2.0","method":"n"}`) // nothing comes back
			require.NoError(t, p.conn.Notify("end", nil))
			p.expect(`{"jsonrpc":"2.0","method":"end"}`)
			require.NoError(t, p.finish())
			if name == "panics" {
				require.Contains(t, p.log.String(), "panicking.MarshalJSON") // the stack
			}
		})
	}
}

func TestReplyFromManyGoroutines(t *testing.T) {
	h, queue := keep()
	p := start(t, h)
	p.send(ping)
	r := <-queue
	var replies sync.WaitGroup
	for range 20 {
		replies.Go(func() { r.Reply(json.RawMessage(`[1]`), nil) })
	}
	p.expect(pong)
	replies.Wait()
	require.NoError(t, p.conn.Notify("end", nil))
	p.expect(`{"jsonrpc":"2.0","method":"end"}`)
	require.ErrorIs(t, r.Context().Err(), context.Canceled)
	require.NoError(t, p.finish())
	r.Reply(1, nil)
}

func TestRequestLiteral(t *testing.T) {
	r := &Request{Method: "x"}
	require.True(t, r.IsNotification())
	require.NoError(t, r.Context().Err())
	r.Reply(1, nil)
}

func TestCancelRequest(t *testing.T) {
	for sent, cancelled := range map[string]string{
		`1`: `1`, `"a"`: `"a"`, `"\u0061"`: `"a"`, `123456789012345678901234567890`: `123456789012345678901234567890`,
	} {
		h, queue := keep()
		p := start(t, h)
		p.send(`{"id":` + sent + `,"method":"slow"}`)
		p.send(`{"id":"other","method":"slow"}`)
		r, other := <-queue, <-queue
		for _, ignored := range []string{
			`{"id":99}`, `{"id":"1x"}`, `{"id":""}`, `{"id":1.5}`, `{"id":null}`, `{"id":{}}`, `{}`, `[]`, `null`, `3`,
		} {
			p.send(`{"method":"$/cancelRequest","params":` + ignored + `}`)
		}
		p.send(`{"method":"$/cancelRequest"}`)
		p.send(`{"method":"next"}`)
		require.Equal(t, "next", (<-queue).Method) // and nothing cancelled reached the handler
		require.NoError(t, r.Context().Err())

		p.send(`{"method":"$/cancelRequest","params":{"id":` + cancelled + `}}`)
		<-r.Context().Done()
		require.NoError(t, other.Context().Err())
		r.Reply("done all the same", nil)
		p.expect(`{"jsonrpc":"2.0","id":` + sent + `,"result":"done all the same"}`)
		p.send(`{"method":"$/cancelRequest","params":{"id":` + cancelled + `}}`) // too late
		other.Reply(nil, other.Context().Err())
		p.expect(`{"jsonrpc":"2.0","id":"other","result":null}`)
		require.NoError(t, p.finish())
		require.Empty(t, p.log.String())
	}
}

func TestCancelDoesNotConfuseNumberAndString(t *testing.T) {
	h, queue := keep()
	p := start(t, h)
	p.send(`{"id":1,"method":"number"}`)
	p.send(`{"id":"1","method":"string"}`)
	number, text := <-queue, <-queue
	p.send(`{"method":"$/cancelRequest","params":{"id":"1"}}`)
	<-text.Context().Done()
	require.NoError(t, number.Context().Err())
	require.NoError(t, p.finish())
	<-number.Context().Done()
}

func TestDuplicateID(t *testing.T) {
	h, queue := keep()
	p := start(t, h)
	p.send(`{"id":"a","method":"first"}`)
	first := <-queue
	p.send(`{"id":"\u0061","method":"second"}`)
	p.expect(`{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32600,"message":"id \"\\u0061\" is in use"}}`)
	require.NoError(t, first.Context().Err())
	p.send(`{"method":"$/cancelRequest","params":{"id":"a"}}`)
	<-first.Context().Done()
	first.Reply(1, nil)
	p.expect(`{"jsonrpc":"2.0","id":"a","result":1}`)

	p.send(`{"id":"a","method":"third"}`) // free again
	third := <-queue
	require.Equal(t, "third", third.Method)
	first.Reply(2, nil)
	require.NoError(t, third.Context().Err())
	third.Reply(3, nil)
	p.expect(`{"jsonrpc":"2.0","id":"a","result":3}`)
	require.NoError(t, p.finish())
}

// A peer may use an id again as soon as it has the answer.
func TestIDIsFreeBeforeTheAnswerArrives(t *testing.T) {
	h, queue := keep()
	p := start(t, h)
	var replies sync.WaitGroup
	for range 500 {
		p.send(ping)
		r := <-queue
		replies.Go(func() { echo(r) })
		p.expect(pong)
	}
	replies.Wait()
	require.NoError(t, p.finish())
}

func TestPanicInHandler(t *testing.T) {
	p := start(t, func(r *Request) {
		switch r.Method {
		case "panic":
			panic(errors.New("nil map"))
		case "replied":
			r.Reply(1, nil)
			panic("late")
		}
		echo(r)
	})
	p.send(`{"id":1,"method":"panic"}`)
	p.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"panic in the handler of panic: nil map"}}`)
	p.send(`{"method":"panic"}`)
	p.send(`{"id":2,"method":"replied"}`)
	p.expect(`{"jsonrpc":"2.0","id":2,"result":1}`)
	p.send(ping)
	p.expect(pong)
	require.NoError(t, p.finish())
	require.Contains(t, p.log.String(), "error: panic in the handler of panic: nil map\ngoroutine")
	require.Contains(t, p.log.String(), "TestPanicInHandler")
}
