package githost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"ahp-lsp/internal/githost/gitrepo"
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
	path string // of the address

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
// for.
const electionTime = 5 * time.Second

// Serve finds or starts the host of a work tree. Close the Service before the
// Repo.
func Serve(ctx context.Context, repo *gitrepo.Repo, o Options) (*Service, error) {
	s := &Service{repo: repo, opts: o.complete(), path: "/ahp-lsp/work-tree/" + repo.ID()}
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
	ctx, cancel := context.WithTimeout(ctx, electionTime)
	defer cancel()
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
	var d net.Dialer
	if network != "unix" || address != s.path {
		return d.DialContext(ctx, network, address)
	}
	s.mu.Lock()
	host, other := s.host, s.other
	s.mu.Unlock()
	if host != nil {
		return host.Dial(ctx, network, address)
	}
	network, address = other.Endpoint.network()
	return d.DialContext(ctx, network, address)
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

// elect makes sure that there is an owner, and that it is known. s.mu is held.
func (s *Service) elect(ctx context.Context) error {
	for {
		if s.closed {
			return errClosed
		}
		if s.host != nil {
			return nil
		}
		locked, err := s.tryLock()
		if err != nil {
			return err
		}
		if locked {
			return s.own(ctx)
		}
		if s.other, err = s.findOwner(ctx); err == nil {
			return nil
		}
		// It is starting, or has just ended.
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process holds %s, and cannot be reached: %w", s.held, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Service) lockFile() string { return fileOf(s.repo, "host", ".lock") }

// tryLock takes the work tree's lock. Where the git directory cannot be written
// the lock is among the user's own files: it then keeps this user's processes
// apart only, and nothing can be kept anyway.
func (s *Service) tryLock() (bool, error) {
	name := s.lockFile()
	err := makePrivateDir(filepath.Dir(name))
	var lock *flock.Flock
	var locked bool
	if err == nil {
		lock = flock.New(name, flock.SetPermissions(0o600))
		locked, err = lock.TryLock()
	}
	if err != nil && unwritable(err) {
		p, perr := findPlace(s.opts.Dir)
		if perr != nil {
			return false, errors.Join(err, perr)
		}
		lock = flock.New(strings.TrimSuffix(p.socket(s.repo.ID()), ".sock")+".lock", flock.SetPermissions(0o600))
		locked, err = lock.TryLock()
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", name, err)
	}
	if !locked {
		lock.Close()
		s.held = lock.Path()
		return false, nil
	}
	s.lock = lock
	return true, nil
}

// own starts the host; the lock is held.
func (s *Service) own(ctx context.Context) error {
	h, err := Open(ctx, s.repo, s.opts)
	if err != nil {
		s.lock.Close()
		s.lock = nil
		return err
	}
	s.host = h
	if err := s.listen(h); err != nil {
		// It serves this process all the same.
		h.log.Warningf("other programs cannot connect: %v", err)
	}
	return nil
}

// listen lets other programs in and publishes where.
func (s *Service) listen(h *Host) error {
	token := s.opts.Token
	if token == "" {
		token = newToken()
	}
	if s.opts.Listen != "" {
		l, err := listenTCP(s.opts.Listen)
		if err != nil {
			return err
		}
		h.Serve(l, token)
		if s.opts.OnListen != nil {
			s.opts.OnListen(endpointOf(l).url(), token)
		}
	}
	p, err := findPlace(s.opts.Dir)
	if err != nil {
		return err
	}
	l, err := listenLocal(p.socket(s.repo.ID()))
	if err != nil {
		return err
	}
	h.Serve(l, token)
	e := newEntry(s.repo.ID(), token, endpointOf(l))
	p.sweep(e)
	if s.entry, err = e.publish(p.entries()); err != nil {
		return fmt.Errorf("publish the host: %w", err)
	}
	// The lock's file says where: the others may have other directories.
	if err := os.WriteFile(s.lock.Path(), []byte(s.entry+"\n"), 0o600); err != nil {
		return fmt.Errorf("publish the host: %w", err)
	}
	return nil
}

// findOwner reads who holds the lock, and checks that it can be reached.
func (s *Service) findOwner(ctx context.Context) (entry, error) {
	data, err := readUpTo(s.held, 4096)
	if err != nil {
		return entry{}, err
	}
	name := strings.TrimSpace(string(data))
	if !filepath.IsAbs(name) {
		return entry{}, errors.New("it has not said yet where it listens")
	}
	e, err := readEntry(name)
	if err != nil {
		return entry{}, err
	}
	if e.InstanceID != s.repo.ID() {
		return entry{}, fmt.Errorf("%s is another work tree's", name)
	}
	network, address := e.Endpoint.network()
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return entry{}, err
	}
	c.Close()
	return e, nil
}

// listenLocal listens where only this user can connect. The lock is held: a
// socket that is there is a dead owner's.
func listenLocal(socket string) (net.Listener, error) {
	if runtime.GOOS == "windows" {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// listenTCP listens on an address; one without a host is on this machine only.
func listenTCP(address string) (net.Listener, error) {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// sweep removes what dead owners of the same work tree have left.
func (p place) sweep(mine entry) {
	files, err := os.ReadDir(p.entries())
	if err != nil {
		return
	}
	for _, f := range files {
		name := filepath.Join(p.entries(), f.Name())
		if e, err := readEntry(name); err == nil && e.InstanceID == mine.InstanceID && e.PID != mine.PID {
			_ = os.Remove(name)
		}
	}
}
