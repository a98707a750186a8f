// Package memnet is a network inside the process: a listener that can be dialled
// and has no address anybody else could reach.
package memnet

import (
	"context"
	"net"
	"sync"
)

// Listener accepts the far ends of the connections that Dial makes. It is a
// net.Listener; New makes one.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// New makes a Listener.
func New() *Listener { return &Listener{conns: make(chan net.Conn), done: make(chan struct{})} }

// Dial connects to the Listener, whatever the address. It waits until the
// connection is accepted, and fails once the Listener is closed.
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, &net.OpError{Op: "dial", Net: network, Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: network, Err: context.Cause(ctx)}
	}
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, &net.OpError{Op: "accept", Net: network, Err: net.ErrClosed}
	}
}

// Close ends Accept and Dial. Connections live on.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr is a name for messages.
func (l *Listener) Addr() net.Addr { return addr{} }

const network = "memory"

type addr struct{}

func (addr) Network() string { return network }
func (addr) String() string  { return network }
