package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the editor's end of a connection under test.
type peer struct {
	t    testing.TB
	conn *Conn
	in   *io.PipeWriter // what the connection reads
	out  *bufio.Reader  // what it writes
	outW *io.PipeReader
	log  *recorder
	run  chan error
}

func start(t testing.TB, h Handler, opts ...Option) *peer {
	return startContext(t, context.Background(), h, opts...)
}

func startContext(t testing.TB, ctx context.Context, h Handler, opts ...Option) *peer {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, in: inW, out: bufio.NewReader(outR), outW: outR, log: new(recorder), run: make(chan error, 1)}
	p.conn = NewConn(inR, outW, h, append([]Option{WithLogger(p.log)}, opts...)...)
	go func() { p.run <- p.conn.Run(ctx) }()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
	})
	return p
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// raw sends bytes as they are, send one message.
func (p *peer) raw(s string) {
	_, err := io.WriteString(p.in, s)
	require.NoError(p.t, err)
}

func (p *peer) send(body string) { p.raw(frame(body)) }

// recv returns the body of the next message; its frame must be as LSP has it.
func (p *peer) recv() string {
	body, err := readFrame(p.out)
	require.NoError(p.t, err)
	return body
}

func (p *peer) expect(body string) {
	p.t.Helper()
	require.Equal(p.t, body, p.recv())
}

// finish closes the stream and returns what Run did.
func (p *peer) finish() error {
	p.in.Close()
	go io.Copy(io.Discard, p.out)
	return <-p.run
}

// readFrame is stricter than the reader under test, and shares no code with it.
func readFrame(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	var n int
	if _, err := fmt.Sscanf(line, "Content-Length: %d\r\n", &n); err != nil || line != fmt.Sprintf("Content-Length: %d\r\n", n) {
		return "", fmt.Errorf("header %q", line)
	}
	if line, err = r.ReadString('\n'); err != nil || line != "\r\n" {
		return "", fmt.Errorf("end of header %q, %v", line, err)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return string(body), err
}

// recorder is a Logger that keeps what it is told.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) Errorf(format string, args ...any)   { r.add("error: "+format, args...) }
func (r *recorder) Warningf(format string, args ...any) { r.add("warning: "+format, args...) }

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

// echo replies to a request with its params.
func echo(r *Request) { r.Reply(r.Params, nil) }

// keep hands requests to the test, like a server's queue.
func keep() (Handler, <-chan *Request) {
	queue := make(chan *Request, 100)
	return func(r *Request) { queue <- r }, queue
}

var errTest = errors.New("disk on fire")
