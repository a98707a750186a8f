//go:build unix

package discover

import (
	"fmt"
	"io/fs"
	"syscall"
)

// openFlags keeps an open from waiting for the other end of a named pipe that
// took the entry's name.
const openFlags = syscall.O_NONBLOCK

// exposed is an error unless uid owns the file and nobody else has any of the
// given permissions. The publisher sets 0700 and 0600: anything wider means that
// others may know the token or have written the entry.
func exposed(info fs.FileInfo, uid int, others fs.FileMode) error {
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int64(st.Uid) != int64(uid) {
		return fmt.Errorf("it does not belong to the current user (uid %d)", uid)
	}
	if mode := info.Mode().Perm(); mode&others != 0 {
		want := "0600, and restart the host: others may know its token"
		if info.IsDir() {
			want = "0700"
		}
		return fmt.Errorf("other users have access to it (mode %04o); set its mode to %s", mode, want)
	}
	return nil
}
