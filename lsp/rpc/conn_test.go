package rpc

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOrder(t *testing.T) {
	h, queue := keep()
	p := start(t, h)
	for i := range 100 {
		p.send(fmt.Sprintf(`{"method":"m%d"}`, i))
	}
	for i := range 100 {
		require.Equal(t, fmt.Sprintf("m%d", i), (<-queue).Method)
		require.NoError(t, p.conn.Notify("n", []int{i}))
	}
	for i := range 100 {
		p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":[%d]}`, i))
	}
	require.NoError(t, p.finish())
}

// A peer that reads nothing until it has sent everything.
func TestPeerThatDoesNotReadBlocksNobody(t *testing.T) {
	p := start(t, echo)
	const n = 1000
	text := strings.Repeat("x", 10_000)
	for i := range n {
		p.send(fmt.Sprintf(`{"id":%d,"method":"m","params":[%q]}`, i, text))
		require.NoError(t, p.conn.Notify("n", nil))
	}
	seen := map[string]bool{}
	for range 2 * n {
		seen[p.recv()] = true
	}
	require.Len(t, seen, n+1)
	require.NoError(t, p.finish())
}

func TestMessagesBeforeRun(t *testing.T) {
	var out strings.Builder
	c := NewConn(strings.NewReader(""), &out, echo)
	require.NoError(t, c.Notify("early", nil))
	require.NoError(t, c.Run(t.Context()))
	require.Equal(t, frame(`{"jsonrpc":"2.0","method":"early"}`), out.String())
	require.ErrorContains(t, c.Run(t.Context()), "served before")
}

func TestCloseBeforeRun(t *testing.T) {
	c := NewConn(strings.NewReader(frame(ping)), io.Discard, func(*Request) { t.Error("handler called") })
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	require.ErrorIs(t, c.Call(t.Context(), "x", nil, nil), ErrClosed)
	require.NoError(t, c.Run(t.Context()))
}

func TestCloseInHandlerFlushes(t *testing.T) {
	var c *Conn
	r, w := io.Pipe() // stays open: only Close ends the connection
	var out strings.Builder
	c = NewConn(r, &out, func(req *Request) {
		require.NoError(t, c.Notify("bye", nil))
		echo(req)
		require.NoError(t, c.Close())
		require.ErrorIs(t, c.Notify("late", nil), ErrClosed)
	})
	go io.WriteString(w, frame(ping)+frame(ping)) // the second is not delivered
	require.NoError(t, c.Run(t.Context()))
	require.Equal(t, frame(`{"jsonrpc":"2.0","method":"bye"}`)+frame(pong), out.String())
}

func TestContextEndsRunAndRequests(t *testing.T) {
	h, queue := keep()
	ctx, cancel := context.WithCancel(t.Context())
	p := startContext(t, ctx, h)
	p.send(ping)
	p.send(`{"method":"n"}`)
	request, notification := <-queue, <-queue
	cancel()
	<-request.Context().Done()
	<-notification.Context().Done()
	require.ErrorIs(t, <-p.run, context.Canceled)
	_, err := p.in.Write([]byte("x")) // the stream was closed
	require.ErrorIs(t, err, io.ErrClosedPipe)
	_, err = p.out.ReadByte()
	require.Equal(t, io.EOF, err)
}

func TestEndOfStreamEndsRequests(t *testing.T) {
	h, queue := keep()
	p := start(t, h)
	p.send(ping)
	r := <-queue
	require.NoError(t, p.finish())
	require.ErrorIs(t, r.Context().Err(), context.Canceled)
	echo(r) // dropped
}

func TestRunWaitsForTheHandler(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	finished := false
	p := start(t, func(r *Request) {
		entered <- true
		<-leave
		finished = true
	})
	p.send(ping)
	<-entered
	p.conn.Close()
	select {
	case <-p.run:
		require.Fail(t, "handler still runs")
	default:
	}
	close(leave)
	require.NoError(t, <-p.run)
	require.True(t, finished)
}

func TestHandlerThatEndsItsGoroutine(t *testing.T) {
	p := start(t, func(*Request) { runtime.Goexit() })
	p.send(ping)
	require.ErrorContains(t, <-p.run, "handler ended its goroutine")
}

// stuck is a stream on which nothing ever comes or goes, like a terminal: closing does not help.
type stuck struct{ release <-chan bool }

func (s stuck) Read([]byte) (int, error)  { <-s.release; return 0, io.EOF }
func (s stuck) Write([]byte) (int, error) { <-s.release; return 0, io.ErrClosedPipe }

func TestFlushIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		log := new(recorder)
		c := NewConn(stuck{release}, stuck{release}, echo, WithLogger(log))
		require.NoError(t, c.Notify("x", nil))
		run := make(chan error)
		go func() { run <- c.Run(t.Context()) }()
		synctest.Wait()
		began := time.Now()
		require.NoError(t, c.Close())
		require.NoError(t, <-run)
		require.Equal(t, flushTimeout, time.Since(began))
		require.Contains(t, log.String(), "peer stopped reading")
		close(release)
	})
}

func TestStuckReaderDoesNotHoldRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		var out strings.Builder
		c := NewConn(stuck{release}, &out, echo)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, c.Notify("x", nil))
		began := time.Now()
		require.ErrorIs(t, c.Run(ctx), context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(began))
		require.Equal(t, frame(`{"jsonrpc":"2.0","method":"x"}`), out.String())
		close(release)
	})
}

func TestReadAndWriteErrors(t *testing.T) {
	p := start(t, echo)
	p.in.CloseWithError(errTest)
	require.EqualError(t, <-p.run, "read: disk on fire")

	p = start(t, echo)
	p.outW.CloseWithError(errTest)
	p.send(ping)
	require.EqualError(t, <-p.run, "write: disk on fire")
	require.ErrorIs(t, p.conn.Notify("x", nil), ErrClosed)
}

func TestOneSocketForBoth(t *testing.T) {
	ours, theirs := net.Pipe()
	c := NewConn(ours, ours, echo)
	run := make(chan error)
	go func() { run <- c.Run(t.Context()) }()
	_, err := io.WriteString(theirs, frame(ping))
	require.NoError(t, err)
	require.NoError(t, c.Close()) // the reply may not be queued yet; what is queued arrives
	out, err := io.ReadAll(theirs)
	require.NoError(t, err)
	require.Contains(t, []string{"", frame(pong)}, string(out))
	require.NoError(t, <-run)
}

// Operating system pipes, as on stdin and stdout.
func TestFiles(t *testing.T) {
	inR, inW, err := os.Pipe()
	require.NoError(t, err)
	outR, outW, err := os.Pipe()
	require.NoError(t, err)
	defer outR.Close()
	defer inW.Close()
	ctx, cancel := context.WithCancel(t.Context())
	c := NewConn(inR, outW, func(r *Request) { echo(r); cancel() })
	_, err = inW.WriteString(frame(ping))
	require.NoError(t, err)
	require.ErrorIs(t, c.Run(ctx), context.Canceled)
	out, err := io.ReadAll(outR)
	require.NoError(t, err)
	require.Equal(t, frame(pong), string(out))
}
