package discover

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"sync"
	"time"
)

// maxEntry is the size limit of an entry in bytes. Real ones have some 400.
const maxEntry = 64 << 10

// entryName is what an entry's file is called: an identity and ".json".
var entryName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f]{64}\.json$`)
})

// What others than the owner must not be allowed to do.
const (
	othersAny   fs.FileMode = 0o077 // an entry holds the token
	othersWrite fs.FileMode = 0o022 // a directory decides which entries there are
)

// readEntry reads the entry called name inside root. It does not follow a
// symbolic link, and what it opens lies inside root whatever happens to the name
// in the meantime. The error is [fs.ErrNotExist] if the host has just gone.
func readEntry(root *os.Root, name string, uid int) (data []byte, modified time.Time, err error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, time.Time{}, cause(err)
	}
	if err := acceptable(info, uid); err != nil {
		return nil, time.Time{}, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, time.Time{}, cause(err)
	}
	defer f.Close()
	// The name may have been given to another file since: what counts is what
	// is open.
	if info, err = f.Stat(); err != nil {
		return nil, time.Time{}, cause(err)
	}
	if err := acceptable(info, uid); err != nil {
		return nil, time.Time{}, err
	}
	data, err = io.ReadAll(io.LimitReader(f, maxEntry+1))
	if err != nil {
		return nil, time.Time{}, cause(err)
	}
	if len(data) > maxEntry {
		return nil, time.Time{}, errTooLarge
	}
	return data, info.ModTime(), nil
}

var errTooLarge = fmt.Errorf("it is larger than %d KiB", maxEntry>>10)

func acceptable(info fs.FileInfo, uid int) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if info.Size() > maxEntry {
		return errTooLarge
	}
	return exposed(info, uid, othersAny)
}

// cause strips the path off an error of the file system: a Finding has its own.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
