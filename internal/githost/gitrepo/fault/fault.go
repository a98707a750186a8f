// Package fault is what can go wrong with a repository and its files: errors to be
// compared with errors.Is, and the advice that goes with them.
package fault

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// The errors callers can tell apart with errors.Is. Each comes wrapped in a
// sentence that names the thing, the cause and what to do.
var (
	// ErrNotRepository: the folder is in no git work tree.
	ErrNotRepository = errors.New("not a git repository")
	// ErrForeign: the repository claims a work tree that is not its own.
	ErrForeign = errors.New("not the work tree of this folder")
	// ErrBare: the repository has no work tree.
	ErrBare = errors.New("the repository has no work tree")
	// ErrNoGit: there is no git command, or it is too old.
	ErrNoGit = errors.New("git cannot be run")
	// ErrIndexLocked: another git command is at work, or left its lock behind.
	ErrIndexLocked = errors.New("the index is locked")
	// ErrReadOnly: no permission to write, or a read-only file system.
	ErrReadOnly = errors.New("cannot be written")
	// ErrNoSpace: the disk or the quota is full.
	ErrNoSpace = errors.New("no space left")
	// ErrTooLarge: the file is over the size up to which this can be done.
	ErrTooLarge = errors.New("too large")
	// ErrConflict: the file has changed since, in the same lines.
	ErrConflict = errors.New("changed since")
	// ErrStale: the change is another one than the target was chosen from.
	ErrStale = errors.New("has changed since it was shown")
	// ErrNothing: the targets cover nothing that could be changed.
	ErrNothing = errors.New("nothing to do")
	// ErrNoRange: the file has no lines to choose from (binary, symbolic link,
	// submodule, or a filter whose stored form has other lines).
	ErrNoRange = errors.New("cannot be changed by lines")
	// ErrNotDownloaded: the object is missing from a partial clone.
	ErrNotDownloaded = errors.New("not downloaded")
	// ErrHangs: git did not come to an end in time.
	ErrHangs = errors.New("no answer")
	// ErrNotAllowed: a program that the repository names would have to run.
	ErrNotAllowed = errors.New("not allowed")
	// ErrNotFound: there is no such object, ref or undo record.
	ErrNotFound = errors.New("not found")
	// ErrUnmerged: the file has merge conflicts that are not resolved yet.
	ErrUnmerged = errors.New("unresolved merge conflict")
)

// hints is what a user can do.
var hints = map[error]string{
	ErrIndexLocked:   "another git command is running in this repository; try again when it has finished, or remove the lock file if none is running",
	ErrReadOnly:      "check the permissions and whether the file system is mounted read-only",
	ErrNotDownloaded: "this is a partial clone, and nothing is fetched without being asked for: download it with git checkout, git diff or git fetch in a terminal",
	ErrNoSpace:       "free some disk space or quota and try again",
}

// Hint is what a user can do about an error of this package, "" if nothing is known.
func Hint(err error) string { return hints[err] }

// Classify adds the sentinel that fits a failed system call.
func Classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("%w: %w; %s", ErrNoSpace, err, hints[ErrNoSpace])
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w: %w; %s", ErrReadOnly, err, hints[ErrReadOnly])
	}
	return err
}

// SizeText is a number of bytes for people.
func SizeText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
