//go:build unix

package store

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fifo makes a named pipe that nobody has open.
func fifo(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) }
