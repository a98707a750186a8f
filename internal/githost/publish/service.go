package publish

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/tliron/commonlog"

	"ahp-lsp/internal/localsocket"
)

// Service gives a process the host of a work tree, wherever it runs. The first
// process that asks becomes its owner: it holds a lock, runs the Host, listens
// for the others and publishes itself. The others connect to it. When the owner
// ends, or is killed, the next one that asks for the address takes over: all that
// the old one had acknowledged is on disk.
//
// The address that a Service gives does not depend on the owner, so that a client
// which comes back takes the new owner for the old one, and sends again what was
// not acknowledged. Only Service.Dial can dial it.
//
// A Service is safe for concurrent use.
type Service struct {
	config Config
	path   string // of the address

	mu     sync.Mutex
	closed bool
	lock   *flock.Flock // held; nil if another process owns
	host   Host         // nil if another process owns
	entry  string       // file that publishes the host
	other  entry        // the owner, if it is another process
	held   string       // the lock's file that another process holds
}

// Host is what a Service owns.
type Host interface {
	// Serve accepts connections from l until the Host is closed.
	Serve(l net.Listener, token string)
	// Dial connects in memory, whatever the address.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	Close() error
}

// Config describes a work tree and how to run its host. All of the first part is
// needed.
type Config struct {
	ID    string // of the work tree
	Root  string // its folder, for messages
	Lock  string // the file that the owner holds
	Start func(context.Context) (Host, error)
	Log   commonlog.Logger

	// Dir is where to listen and publish; "" is the user's usual directory.
	Dir string
	// Listen is a TCP address to listen on besides the socket. Without a host it
	// is on this machine only.
	Listen string
	// OnListen is called with the URL that Listen has come to, and the token.
	OnListen func(url, token string)
	// Token is the token to ask for; "" makes one up.
	Token string
	// Wait is how long an owner that is just starting or ending is waited for; 0
	// is five seconds. Starting to be the owner oneself takes as long as it takes.
	Wait time.Duration
}

// ErrClosed is the error of a Service that has been closed.
var ErrClosed = errors.New("the host is shutting down")

// Address is what a client needs to know: see bridge.Host.
type Address struct{ URL, Token string }

// electionTime is Config.Wait's usual value.
const electionTime = 5 * time.Second

// Serve finds or starts the host of a work tree.
func Serve(ctx context.Context, c Config) (*Service, error) {
	if c.Wait == 0 {
		c.Wait = electionTime
	}
	s := &Service{config: c, path: "/ahp-lsp/work-tree/" + c.ID}
	if _, err := s.Address(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Address is where the host is now. Ask again before every connection: it makes
// this process the owner if there is none any more.
func (s *Service) Address(ctx context.Context) (Address, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.elect(ctx); err != nil {
		return Address{}, fmt.Errorf("find the host of %s: %w", s.config.Root, err)
	}
	a := Address{URL: "ws+unix://" + s.path, Token: s.other.Token}
	if s.host != nil {
		a.Token = "in-process" // the pipe wants none; with one, every address is shown alike
	}
	return a, nil
}

// Dial connects to the host. It fits bridge.Config.Dial; other addresses than
// the Service's own are dialled as they are.
func (s *Service) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "unix" || address != s.path {
		return localsocket.Dial(ctx, network, address)
	}
	s.mu.Lock()
	host, other := s.host, s.other
	s.mu.Unlock()
	if host != nil {
		return host.Dial(ctx, network, address)
	}
	network, address = other.Endpoint.network()
	return localsocket.Dial(ctx, network, address)
}

// Owner is the Host if this process runs it, else nil.
func (s *Service) Owner() Host {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host
}

// Entry is the file that publishes the host, and its URL without the token, for
// people; both are empty if it is not published.
func (s *Service) Entry() (file, url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.entry == "" && s.host != nil:
		return "", ""
	case s.host != nil:
		e, err := readEntry(s.entry)
		if err != nil {
			return s.entry, ""
		}
		return s.entry, e.Endpoint.url()
	}
	return "", s.other.Endpoint.url()
}

// Own waits until this process is the owner, or ctx ends.
func (s *Service) Own(ctx context.Context) error {
	for {
		if _, err := s.Address(ctx); err != nil {
			return err
		}
		if s.Owner() != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// Close ends the host if this process owns it; another process takes over.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.resign()
}

// resign gives the ownership up: first nobody finds the host any more, then it
// ends, and only then may another one start.
func (s *Service) resign() error {
	if s.lock == nil {
		return nil
	}
	if s.entry != "" {
		_ = os.Remove(s.entry)
	}
	var err error
	if s.host != nil {
		err = s.host.Close()
	}
	err = errors.Join(err, s.lock.Close())
	s.host, s.lock, s.entry = nil, nil, ""
	return err
}
