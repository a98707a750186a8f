package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"ahp-lsp/internal/atomicfile"
)

// What makes a file one that the store did not write.
var (
	errNotRegular = errors.New("it is not a regular file")
	errTooLong    = errors.New("it is too long")
)

// readFile reads a regular file of at most limit bytes. It neither follows a
// link nor waits for the other end of a pipe.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The name may have been given to another file since.
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", errTooLong, limit)
	}
	return data, nil
}

// writeFile replaces a file, whose folder need not exist.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Replace(path, data, 0o600)
}

// leftover is what atomicfile calls a file until it is whole.
var leftover = regexp.MustCompile(`^\.([0-9a-f]{24}\.json|[0-9a-f]{64})-[^.]+$`)

// leftoverAge is how old an unfinished file is when nobody can be writing it any
// more. Versions that know no lock may be writing beside this one.
const leftoverAge = time.Hour

// sweep removes what a crash left unfinished in a folder. What it cannot remove
// is not in the way.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !leftover.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftoverAge {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
