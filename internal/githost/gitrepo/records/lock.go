package records

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// lockTimeout is how long git waits for another process that changes a ref of ours, in
// milliseconds.
const lockTimeout = "core.filesRefLockTimeout=1000"

// staleLock is the age from which on the lock of a ref of ours has been left behind:
// only this program takes them, and for the time of one small write.
const staleLock = time.Minute

var lockName = regexp.MustCompile(`'([^']+\.lock)': [Ff]ile exists`)

// unlocked runs a change of our refs once more if the lock of a process that was killed
// was in the way.
func (s *Store) unlocked(ctx context.Context, in *gitcmd.Runner, change func() error) error {
	err := change()
	for range 100 { // each lock is met one at a time
		var g *gitcmd.Error
		if !errors.As(err, &g) || !errors.Is(g.Kind, fault.ErrIndexLocked) {
			return err
		}
		m := lockName.FindStringSubmatch(g.Stderr)
		if m == nil || !s.isOurs(m[1], in) || !removeOld(m[1]) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err = change()
	}
	return err
}

// isOurs reports whether nobody but this program takes a lock.
func (s *Store) isOurs(lock string, in *gitcmd.Runner) bool {
	lock = filepath.FromSlash(lock)
	if !filepath.IsAbs(lock) {
		lock = filepath.Join(in.Root, lock)
	}
	for _, dir := range []string{s.own.GitDir, filepath.Join(s.user.GitDir, filepath.FromSlash(Prefix))} {
		if rel, err := filepath.Rel(dir, lock); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return lock == filepath.Join(s.user.GitDir, anchor+".lock")
}

func removeOld(lock string) bool {
	info, err := os.Lstat(lock)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleLock && os.Remove(lock) == nil
}
