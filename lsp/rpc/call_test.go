package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
)

// async makes a Call of method "ask" in the background.
func (p *peer) async(ctx context.Context, result any) <-chan error {
	done := make(chan error, 1)
	go func() { done <- p.conn.Call(ctx, "ask", map[string]int{"n": 1}, result) }()
	return done
}

func TestCall(t *testing.T) {
	p := start(t, echo)
	ask := func(n string) string { return `{"jsonrpc":"2.0","id":` + n + `,"method":"ask","params":{"n":1}}` }

	var result struct{ Title string }
	done := p.async(t.Context(), &result)
	p.expect(ask("1"))
	p.send(`{"jsonrpc":"2.0","id":1,"result":{"title":"Reload"}}`)
	require.NoError(t, <-done)
	require.Equal(t, "Reload", result.Title)

	for i, test := range []struct{ answer, err string }{
		{`"result":null`, ""},
		{`"result":{"title":"x"},"error":null`, ""},
		{`"error":null`, ""},
		{`"error":{"code":-32601,"message":"unknown","data":{"a":1}}`, "jsonrpc2: code -32601 message: unknown"},
		{`"error":{"code":1,"message":"both"},"result":null`, "jsonrpc2: code 1 message: both"},
		{`"error":"just text"`, `jsonrpc2: code -32603 message: "just text"`},
		{`"error":{"code":"E1","message":"x"}`, `jsonrpc2: code -32603 message: {"code":"E1","message":"x"}`},
		{`"result":[]`, "call ask: decode result: json: cannot unmarshal array"},
	} {
		done := p.async(t.Context(), &result)
		n := string(rune('2' + i))
		p.expect(ask(n))
		p.send(`{"jsonrpc":"2.0","id":` + n + `,` + test.answer + `}`)
		if test.err == "" {
			require.NoError(t, <-done)
			continue
		}
		err := <-done
		require.ErrorContains(t, err, test.err)
		if _, ok := err.(*jsonrpc2.Error); i < 7 {
			require.True(t, ok)
		}
	}
	require.ErrorContains(t, p.conn.Call(t.Context(), "ask", math.Inf(1), nil), "call ask: encode: json: unsupported value")
	require.ErrorContains(t, p.conn.Notify("tell", panicking{}), "notify tell: encode: panic: no JSON today")
	require.Empty(t, p.conn.pending)
	require.NoError(t, p.finish())
}

func TestCallsAnsweredOutOfOrder(t *testing.T) {
	p := start(t, echo)
	var calls sync.WaitGroup
	const n = 50
	for i := range n {
		calls.Go(func() {
			var got int
			require.NoError(t, p.conn.Call(t.Context(), "ask", []int{i}, &got))
			require.Equal(t, i, got)
		})
	}
	var asked []callRead
	for range n {
		var call callRead
		require.NoError(t, json.Unmarshal([]byte(p.recv()), &call))
		asked = append(asked, call)
	}
	for i := range asked {
		call := asked[n-1-i]
		answer, _ := json.Marshal(map[string]any{"id": call.ID, "result": call.Params[0]})
		p.send(string(answer))
	}
	calls.Wait()
	require.NoError(t, p.finish())
}

type callRead struct {
	ID     int
	Params []int
}

func TestCallDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, echo)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		done := p.async(ctx, nil)
		// The peer reads nothing before the deadline, so the caller cannot have waited for it.
		err := <-done
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "call ask: context deadline exceeded")
		require.Equal(t, 5*time.Second, time.Since(began))
		p.expect(`{"jsonrpc":"2.0","id":1,"method":"ask","params":{"n":1}}`)
		p.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)

		p.send(`{"id":1,"error":{"code":-32800,"message":"cancelled"}}`) // late
		p.send(`{"id":1,"result":1}`)
		p.send(ping)
		p.expect(pong)
		require.Empty(t, p.log.String())
		require.ErrorIs(t, p.conn.Call(ctx, "ask", nil, nil), context.DeadlineExceeded) // not sent at all
		require.NoError(t, p.finish())
	})
}

func TestCallCancelled(t *testing.T) {
	p := start(t, echo)
	ctx, cancel := context.WithCancelCause(t.Context())
	done := p.async(ctx, nil)
	p.recv()
	cancel(errors.New("the document was closed"))
	require.ErrorIs(t, <-done, context.Canceled)
	p.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	require.NoError(t, p.finish())
}

func TestUnknownAnswersAreIgnored(t *testing.T) {
	p := start(t, echo)
	for _, answer := range []string{
		`{"id":1,"result":1}`, `{"id":"1","result":1}`, `{"id":-1,"result":1}`, `{"id":0,"result":1}`, `{"id":1.5,"result":1}`, `{"id":{},"error":{}}`,
		`{"result":1}`, `{"id":null,"error":{"code":-32700,"message":"your last message"}}`,
	} {
		p.send(answer)
	}
	p.send(ping)
	p.expect(pong) // and nothing before it
	require.NoError(t, p.finish())
	require.Len(t, p.log.lines, 8)
	require.Contains(t, p.log.lines[7], "your last message")
}

func TestPendingCallsFailAtTheEnd(t *testing.T) {
	for name, end := range map[string]func(*peer, context.CancelFunc){
		"eof":     func(p *peer, _ context.CancelFunc) { p.in.Close() },
		"close":   func(p *peer, _ context.CancelFunc) { require.NoError(p.t, p.conn.Close()) },
		"context": func(p *peer, cancel context.CancelFunc) { cancel() },
		"write":   func(p *peer, _ context.CancelFunc) { p.outW.Close(); p.conn.Notify("x", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := startContext(t, ctx, echo)
			done := p.async(context.Background(), nil)
			p.recv()
			end(p, cancel)
			require.ErrorIs(t, <-done, ErrClosed)
			<-p.run
			require.EqualError(t, p.conn.Call(t.Context(), "ask", nil, nil), "call ask: connection closed")
			require.ErrorIs(t, p.conn.Notify("tell", nil), ErrClosed)
			require.Empty(t, p.conn.pending)
		})
	}
}

// The answer is not lost when the peer closes right after it.
func TestAnswerThenEnd(t *testing.T) {
	for range 100 {
		p := start(t, echo)
		var got int
		done := p.async(t.Context(), &got)
		p.recv()
		p.send(`{"id":1,"result":5}`)
		require.NoError(t, p.finish())
		require.NoError(t, <-done)
		require.Equal(t, 5, got)
	}
}
