//go:build unix

package tokenfile

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe that nobody writes to does not hang the program.
func TestNamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "token")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Read(pipe)
	require.ErrorContains(t, err, "is a named pipe")
}
