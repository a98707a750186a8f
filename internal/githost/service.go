package githost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/localsocket"
)

// Service gives a process the host of a work tree, wherever it runs. The first
// process that asks becomes its owner: it holds a lock, runs the Host, listens
// for the others and publishes itself. The others connect to it. When the owner
// ends, or is killed, the next one that asks for the address takes over: all that
// the old one had acknowledged is on disk.
//
// The address that a Service gives is the same whoever owns, so that a client
// which comes back takes the new owner for the old one, and sends again what was
// not acknowledged. It can be dialled by Service.Dial only.
//
// A Service is safe for concurrent use.
type Service struct {
	repo *gitrepo.Repo
	opts Options
	path string        // of the address
	wait time.Duration // electionTime

	mu     sync.Mutex
	closed bool
	lock   *flock.Flock // held; nil if another process owns
	host   *Host        // nil if another process owns
	entry  string       // file that publishes the host
	other  entry        // the owner, if it is another process
	held   string       // the lock's file that another process holds
}

// Address is what a client needs to know: see bridge.Host.
type Address struct{ URL, Token string }

// electionTime is how long an owner that is just starting or ending is waited
// for. Starting to be the owner oneself takes as long as it takes.
const electionTime = 5 * time.Second

// Serve finds or starts the host of a work tree. Close the Service before the
// Repo.
func Serve(ctx context.Context, repo *gitrepo.Repo, o Options) (*Service, error) {
	s := &Service{repo: repo, opts: o.complete(), path: "/ahp-lsp/work-tree/" + repo.ID(), wait: electionTime}
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
		return Address{}, fmt.Errorf("find the host of %s: %w", s.repo.Root(), err)
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
func (s *Service) Owner() *Host {
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

// resign gives the ownership up: nobody finds the host any more, then it ends,
// and only then may another one start.
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
