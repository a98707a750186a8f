package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
)

// holds takes the lock of a kind as another process would.
func holds(t *testing.T, dir, folder string) *flock.Flock {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o700))
	lock := flock.New(filepath.Join(dir, folder, ".lock"))
	locked, err := lock.TryLock()
	require.NoError(t, err)
	require.True(t, locked)
	t.Cleanup(func() { lock.Close() })
	return lock
}

// A lock that others hold is waited for, and not for ever.
func TestLockIsHeld(t *testing.T) {
	for _, f := range faces {
		s := New(t.TempDir())
		require.NoError(t, f.write(t.Context(), s))
		lock := holds(t, s.dir, f.folder)
		s.wait = time.Nanosecond
		_, rerr := f.read(t.Context(), s)
		for _, err := range []error{rerr, f.write(t.Context(), s)} {
			require.ErrorIs(t, err, ErrBusy)
			require.ErrorContains(t, err, lock.Path())
		}

		// The caller's own end of patience is its own error.
		s.wait = time.Hour
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
		require.ErrorIs(t, f.write(ctx, s), context.DeadlineExceeded)
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- f.write(ctx, s) }()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)

		go func() { done <- f.write(t.Context(), s) }()
		require.NoError(t, lock.Unlock())
		require.NoError(t, <-done)
		n, err := f.read(t.Context(), s)
		require.NoError(t, err)
		require.NotZero(t, n)
	}
}

// The kinds do not wait for each other.
func TestLocksAreApart(t *testing.T) {
	for _, held := range faces {
		s := New(t.TempDir())
		s.wait = time.Nanosecond
		holds(t, s.dir, held.folder)
		for _, f := range faces {
			s.wait = time.Minute
			if f.folder == held.folder {
				s.wait = time.Nanosecond
			}
			if err := f.write(t.Context(), s); f.folder == held.folder {
				require.ErrorIs(t, err, ErrBusy)
			} else {
				require.NoError(t, err)
			}
		}
	}
}

// What is in the lock's place is neither waited for nor removed.
func TestLockIsNoFile(t *testing.T) {
	for what, in := range map[string]func(t *testing.T, path string){
		"a pipe":   fifo,
		"a folder": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
		"a link":   func(t *testing.T, path string) { link(t, filepath.Join(t.TempDir(), "new"), path) },
	} {
		t.Run(what, func(t *testing.T) {
			s := New(t.TempDir())
			path := filepath.Join(s.dir, keptFolder, ".lock")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			in(t, path)
			require.ErrorContains(t, s.Keep(t.Context(), one, keep("x")), path)
			_, err := os.Lstat(path)
			require.NoError(t, err)
		})
	}
}
