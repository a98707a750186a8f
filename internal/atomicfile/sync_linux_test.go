package atomicfile

import (
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The folder is opened, to be synced, after the file has got its name: a rename that is not synced may
// be undone by a power cut.
func TestFolderIsSyncedLast(t *testing.T) {
	for what, write := range map[string]func(path string) error{
		"replace": func(path string) error { return Replace(path, []byte("text"), 0o600) },
		"create":  func(path string) error { return Create(path, []byte("text"), 0o600) },
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
			require.NoError(t, err)
			defer syscall.Close(fd)
			_, err = syscall.InotifyAddWatch(fd, dir, syscall.IN_OPEN|syscall.IN_MOVED_TO|syscall.IN_CREATE)
			require.NoError(t, err)
			require.NoError(t, write(filepath.Join(dir, "a.txt")))
			buf := make([]byte, 1<<16)
			n, err := syscall.Read(fd, buf)
			require.NoError(t, err)
			named, opened := -1, -1
			for i, at := 0, 0; at < n; i++ {
				e := (*syscall.InotifyEvent)(unsafe.Pointer(&buf[at]))
				name := string(buf[at+syscall.SizeofInotifyEvent : at+syscall.SizeofInotifyEvent+int(e.Len)])
				switch {
				case e.Mask&syscall.IN_OPEN != 0 && e.Mask&syscall.IN_ISDIR != 0:
					opened = i
				case e.Mask&(syscall.IN_MOVED_TO|syscall.IN_CREATE) != 0 && len(name) > 5 && name[:5] == "a.txt":
					named = i
				}
				at += syscall.SizeofInotifyEvent + int(e.Len)
			}
			require.GreaterOrEqual(t, named, 0)
			require.Greater(t, opened, named)
		})
	}
}
