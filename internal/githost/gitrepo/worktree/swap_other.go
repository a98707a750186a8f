//go:build !linux && !darwin

package worktree

import (
	"errors"
	"os"
)

func swap(*os.File, string, string) error      { return errors.ErrUnsupported }
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
