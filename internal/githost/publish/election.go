package publish

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/localsocket"
	"ahp-lsp/internal/regularfile"
)

// elect makes sure that there is an owner, and that it is known. s.mu is held.
func (s *Service) elect(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, s.config.Wait)
	defer cancel()
	for {
		if s.closed {
			return ErrClosed
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
		if s.other, err = s.findOwner(waiting); err == nil {
			return nil
		}
		// It is starting, or has just ended.
		select {
		case <-waiting.Done():
			return fmt.Errorf("another process holds %s, and cannot be reached: %w", s.held, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tryLock takes the work tree's lock. Where the git directory cannot be written
// the lock is among the user's own files: it then keeps this user's processes
// apart only, and nothing can be kept anyway.
func (s *Service) tryLock() (bool, error) {
	name := s.config.Lock
	err := atomicfile.PrivateDir(filepath.Dir(name))
	var lock *flock.Flock
	var locked bool
	if err == nil {
		lock = flock.New(name, flock.SetPermissions(0o600))
		locked, err = lock.TryLock()
	}
	if err != nil && unwritable(err) {
		d, perr := findRunDir(s.config.Dir)
		if perr != nil {
			return false, errors.Join(err, perr)
		}
		lock = flock.New(strings.TrimSuffix(d.socket(s.config.ID), ".sock")+".lock", flock.SetPermissions(0o600))
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

// findOwner reads who holds the lock, and checks that it can be reached.
func (s *Service) findOwner(ctx context.Context) (entry, error) {
	data, err := regularfile.Read(pointer(s.held), 4096)
	if err != nil {
		return entry{}, err
	}
	name := strings.TrimSpace(string(data))
	if !filepath.IsAbs(name) {
		return entry{}, errors.New("it has not published its address yet")
	}
	e, err := readEntry(name)
	if err != nil {
		return entry{}, err
	}
	if e.InstanceID != s.config.ID {
		return entry{}, fmt.Errorf("%s belongs to another work tree", name)
	}
	network, address := e.Endpoint.network()
	c, err := localsocket.Dial(ctx, network, address)
	if err != nil {
		return entry{}, err
	}
	c.Close()
	return e, nil
}
