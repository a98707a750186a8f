// Package atomicfile writes files that nobody ever sees half written.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts a file with this content and mode in the place of path, or where there is none. A
// reader, and whoever comes after a crash, finds the old file or the new one, whole; at no time is the
// new one open to more than mode allows. The folder must be there.
//
// A link at path is replaced, not followed. An error is of the os package, names the file, and leaves
// the old one as it was.
func Replace(path string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
