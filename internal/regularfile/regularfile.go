// Package regularfile reads files whose names others may have chosen. What is not a
// regular file is refused before it is opened: opening a named pipe waits for
// its writer, and opening a device can do anything.
package regularfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the cause of the error for anything but a regular file, or a
// symbolic link to one.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is the cause of the error for a file over the limit.
var ErrTooLarge = errors.New("the file is too large")

// Open opens the file at path for reading. It never blocks, even if the file is
// exchanged for a named pipe at the wrong moment.
func Open(path string) (*os.File, error) {
	return open(path, func() (fs.FileInfo, error) { return os.Stat(path) }, func() (*os.File, error) {
		return os.OpenFile(path, flags, 0)
	})
}

// OpenIn is Open for a file in root, out of which no symbolic link leads.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	return open(name, func() (fs.FileInfo, error) { return root.Stat(name) }, func() (*os.File, error) {
		return root.OpenFile(name, flags, 0)
	})
}

const flags = os.O_RDONLY | syscall.O_NONBLOCK

func open(name string, stat func() (fs.FileInfo, error), open func() (*os.File, error)) (*os.File, error) {
	info, err := stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(name, info)
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = notRegular(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// notRegular names what the file is.
func notRegular(name string, info fs.FileInfo) error {
	what := "a device or the like"
	switch mode := info.Mode(); {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("%s is %s: %w", name, what, ErrNotRegular)
}

// Read reads the whole file at path if it has at most limit bytes; with a negative
// limit, of any size.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, limit)
}

// ReadAll reads the rest of f, as Read does.
func ReadAll(f *os.File, limit int64) ([]byte, error) {
	if limit < 0 {
		return io.ReadAll(f)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes: %w", f.Name(), limit, ErrTooLarge)
	}
	return data, nil
}
