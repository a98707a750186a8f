package publish

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/localsocket"
)

// own starts the host; the lock is held.
func (s *Service) own(ctx context.Context) error {
	h, err := s.config.Start(ctx)
	if err != nil {
		s.lock.Close()
		s.lock = nil
		return err
	}
	token := s.config.Token
	if token == "" {
		token = newToken()
	}
	if s.config.Listen != "" {
		l, err := listenTCP(s.config.Listen)
		if err != nil {
			err = errors.Join(err, h.Close(), s.lock.Close())
			s.lock = nil
			return err
		}
		h.Serve(l, token)
		if s.config.OnListen != nil {
			s.config.OnListen(endpointOf(l).url(), token)
		}
	}
	s.host = h
	if err := s.publish(h, token); err != nil {
		// It serves this process all the same.
		s.config.Log.Warningf("other programs cannot connect: %v", err)
	}
	return nil
}

// publish lets other programs in, and says where.
func (s *Service) publish(h Host, token string) error {
	where := pointer(s.lock.Path())
	_ = os.Remove(where) // it says where a dead owner was
	d, err := findRunDir(s.config.Dir)
	if err != nil {
		return err
	}
	// The lock is held: a socket that is there is a dead owner's.
	l, err := localsocket.Listen(d.address(s.config.ID))
	if err != nil {
		return err
	}
	h.Serve(l, token)
	e := newEntry(s.config.ID, token, endpointOf(l))
	d.sweep(e)
	if s.entry, err = e.write(d.entries()); err != nil {
		return fmt.Errorf("publish the host: %w", err)
	}
	// Beside the lock: the others may have other directories.
	if err := os.WriteFile(where, []byte(s.entry+"\n"), 0o600); err != nil {
		return fmt.Errorf("publish the host: %w", err)
	}
	return nil
}

// pointer is the file that says which entry is that of a lock's holder. Not the
// lock's own: on some systems it cannot be written, or read, while it is held.
func pointer(lock string) string { return strings.TrimSuffix(lock, ".lock") + ".at" }

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
func (d runDir) sweep(mine entry) {
	files, err := os.ReadDir(d.entries())
	if err != nil {
		return
	}
	for _, f := range files {
		name := filepath.Join(d.entries(), f.Name())
		if e, err := readEntry(name); err == nil && e.InstanceID == mine.InstanceID && e.PID != mine.PID {
			_ = os.Remove(name)
		}
	}
}
