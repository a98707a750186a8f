package discover

import (
	"errors"
	"math"
	"syscall"
)

// Alive reports whether a process with this id runs, under any user.
func Alive(pid int) bool {
	// 0 is the idle process, which OpenProcess refuses.
	if pid <= 0 || int64(pid) > math.MaxUint32 {
		return false
	}
	process, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, syscall.ERROR_ACCESS_DENIED)
	}
	defer syscall.CloseHandle(process)
	// A process that ended can be opened for as long as somebody holds a
	// handle to it, but then it is signalled.
	event, err := syscall.WaitForSingleObject(process, 0)
	return err == nil && event == syscall.WAIT_TIMEOUT
}
