package regularfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(name, []byte("four"), 0o600))
	for _, limit := range []int64{-1, 4, 5} {
		data, err := Read(name, limit)
		require.NoError(t, err)
		require.Equal(t, "four", string(data))
	}
	_, err := Read(name, 3)
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = Read(dir, -1)
	require.ErrorIs(t, err, ErrNotRegular)
	require.ErrorContains(t, err, "is a folder")
	_, err = Read(filepath.Join(dir, "none"), -1)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestOpenIn(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("mine"), 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	f, err := OpenIn(root, "file")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = OpenIn(root, filepath.Join("..", filepath.Base(filepath.Dir(outside)), "secret"))
	require.Error(t, err)
	if os.Symlink(outside, filepath.Join(dir, "link")) == nil {
		_, err = OpenIn(root, "link")
		require.Error(t, err)
	}
}
