package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrBusy says that another goroutine or process has held the lock of the
// records for so long that the caller was turned away. Nothing was changed.
var ErrBusy = errors.New("other servers are using it all the time; try again")

// lockPoll is how long a process waits before it tries a lock again.
const lockPoll = 2 * time.Millisecond

// lock takes a kind's folder, which it makes if need be, for this goroutine:
// first from the other goroutines of this Store, which need not poll, and then
// from other Stores and processes.
func (s *Store) lock(ctx context.Context, name string) (unlock func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	f, path := s.folders[name], filepath.Join(s.dir, name, ".lock")
	select {
	case f.inUse <- struct{}{}:
	case <-waiting.Done():
		return nil, lockError(ctx, path, waiting.Err())
	}
	lock, err := lockFile(waiting, path)
	if err != nil {
		<-f.inUse
		return nil, lockError(ctx, path, err)
	}
	return func() {
		lock.Close()
		<-f.inUse
	}, nil
}

func lockFile(ctx context.Context, path string) (*flock.Flock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file; remove it")
	}
	// Should a named pipe take the name now, opening it does not wait.
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, err
	}
	return lock, nil
}

// lockError names the file; ctx is the caller's.
func lockError(ctx context.Context, path string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = ErrBusy
	}
	return fmt.Errorf("lock %s: %w", path, err)
}

// unwritable reports whether a folder can only be read.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
