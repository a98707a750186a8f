package gitrepo

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// renameat2 is the number of the system call, which package syscall lacks.
var renameat2 = map[string]uintptr{"386": 353, "amd64": 316, "arm": 382, "arm64": 276, "loong64": 276, "riscv64": 276}[runtime.GOARCH]

const (
	renameNoReplace = 1
	renameExchange  = 2
)

// swap exchanges two names in a folder, in one step: no reader ever misses either
// file, and no write between a look and the exchange is lost.
func swap(dir *os.File, a, b string) error { return renameIn(dir, a, b, renameExchange) }

// renameNew is a rename that replaces nothing: os.ErrExist if there is something.
func renameNew(dir *os.File, from, to string) error { return renameIn(dir, from, to, renameNoReplace) }

func renameIn(dir *os.File, from, to string, flags uintptr) error {
	if renameat2 == 0 {
		return errors.ErrUnsupported
	}
	f, err := syscall.BytePtrFromString(from)
	if err != nil {
		return err
	}
	t, err := syscall.BytePtrFromString(to)
	if err != nil {
		return err
	}
	fd := dir.Fd()
	_, _, errno := syscall.Syscall6(renameat2, fd, uintptr(unsafe.Pointer(f)), fd, uintptr(unsafe.Pointer(t)), flags, 0)
	runtime.KeepAlive(dir)
	switch errno {
	case 0:
		return nil
	case syscall.EINVAL, syscall.ENOSYS, syscall.EPERM: // the file system, the kernel or a sandbox cannot
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: errno}
}
