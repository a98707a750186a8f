package worktree

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// swap exchanges two names in a folder, in one step: no reader ever misses either
// file, and no write between a look and the exchange is lost.
func swap(dir *os.File, a, b string) error { return renameIn(dir, a, b, unix.RENAME_EXCHANGE) }

// renameNew is a rename that replaces nothing: os.ErrExist if there is something.
func renameNew(dir *os.File, from, to string) error {
	return renameIn(dir, from, to, unix.RENAME_NOREPLACE)
}

func renameIn(dir *os.File, from, to string, flags uint) error {
	fd := int(dir.Fd())
	switch err := unix.Renameat2(fd, from, fd, to, flags); {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		return errors.ErrUnsupported // by the file system, the kernel or a sandbox
	default:
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
}
