//go:build unix

package publish

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

var errReadOnlyFS error = syscall.EROFS

// owned is an error if a file is another user's, who could then replace what is
// in it.
func owned(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int64(st.Uid) != int64(os.Geteuid()) {
		return errors.New("it belongs to another user")
	}
	return nil
}
