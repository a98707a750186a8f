//go:build unix

package publish

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunDir(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", maxSocketPath))
	_, err := findRunDir(long)
	require.ErrorContains(t, err, "too long for a socket")
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = findRunDir(file)
	require.Error(t, err)
	open := filepath.Join(t.TempDir(), "open")
	require.NoError(t, os.Mkdir(open, 0o777))
	require.NoError(t, os.Chmod(open, 0o777))
	_, err = findRunDir(open)
	require.NoError(t, err)
	info, err := os.Stat(open)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.NotEmpty(t, EntryDirs())
}

func TestUnwritable(t *testing.T) {
	require.True(t, unwritable(&os.PathError{Op: "open", Path: "x", Err: syscall.EROFS}))
	require.True(t, unwritable(&os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}))
	require.False(t, unwritable(&os.PathError{Op: "open", Path: "x", Err: syscall.ENOSPC}))
}
