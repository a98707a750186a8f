package worktree

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func swap(dir *os.File, a, b string) error { return renameIn(dir, a, b, unix.RENAME_SWAP) }

func renameNew(dir *os.File, from, to string) error {
	return renameIn(dir, from, to, unix.RENAME_EXCL)
}

func renameIn(dir *os.File, from, to string, flags uint32) error {
	fd := int(dir.Fd())
	switch err := unix.RenameatxNp(fd, from, fd, to, flags); {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP):
		return errors.ErrUnsupported // by the file system
	default:
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
}
