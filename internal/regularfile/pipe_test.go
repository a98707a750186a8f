//go:build unix

package regularfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe without a writer blocks who opens it for reading.
func TestNamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Read(pipe, -1)
	require.ErrorIs(t, err, ErrNotRegular)
	require.ErrorContains(t, err, "is a named pipe")
}

// The file was one when it was looked at, and is a pipe when it is opened.
func TestExchangedForAPipe(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := open("x", func() (fs.FileInfo, error) { return os.Stat(file) }, func() (*os.File, error) {
		return os.OpenFile(pipe, flags, 0)
	})
	require.ErrorIs(t, err, ErrNotRegular)
}
