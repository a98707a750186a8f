// Package atomicfile writes files that nobody ever sees half written, and that are still there after a
// power cut.
//
// Every function syncs the file and then the folder it is in. They are safe for concurrent use.
package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts a file with this content and mode in the place of path, or where there is none. A
// reader finds the old file or the new one, whole, also after a crash; at no time is the
// new one open to more than mode allows. The folder must be there.
//
// A link at path is replaced, not followed. An error is of the os package, names the file, and leaves
// the old one as it was, with one exception: if only the folder could not be synced, the new file is in
// place, but after a power cut it may be the old one.
func Replace(path string, data []byte, mode fs.FileMode) error {
	return ReplaceFunc(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceFunc is Replace with content that write writes. An error of write is returned as it is.
func ReplaceFunc(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return place(path, mode, write, func(tmp string) error { return os.Rename(tmp, path) })
}

// Create makes a new file with this content and mode: whole, or not at all. If there is one already it
// stays, and the error is fs.ErrExist. The file system must have hard links.
func Create(path string, data []byte, mode fs.FileMode) error {
	return place(path, mode, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	}, func(tmp string) error { return errors.Join(os.Link(tmp, path), os.Remove(tmp)) })
}

// place writes a temporary file beside path and has put give it its name.
func place(path string, mode fs.FileMode, write func(io.Writer) error, put func(tmp string) error) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	err = write(tmp)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		err = put(tmp.Name())
	}
	if err != nil {
		if rerr := os.Remove(tmp.Name()); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return err
	}
	return SyncDir(dir)
}

// PrivateDir makes a folder, and those above it, that only this user can look into, unless it is there.
func PrivateDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(dir))
}
