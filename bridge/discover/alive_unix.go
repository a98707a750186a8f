//go:build unix

package discover

import (
	"errors"
	"syscall"
)

// Alive reports whether a process with this id runs, under any user.
func Alive(pid int) bool {
	// 0 and negative numbers would address process groups.
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
