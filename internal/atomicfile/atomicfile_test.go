package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, text := range []string{"first", "a longer second", ""} {
		require.NoError(t, Replace(path, []byte(text), 0o640))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			require.Equal(t, os.FileMode(0o640), info.Mode())
		}
		require.Equal(t, []string{"a.txt"}, names(t, dir))
	}
}

// What cannot be replaced stays as it was, and nothing is left beside it.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "inside"), 0o700))
	require.Error(t, Replace(path, []byte("text"), 0o600))
	require.Equal(t, []string{"folder"}, names(t, dir))
	require.Equal(t, []string{"inside"}, names(t, path))

	err := Replace(filepath.Join(dir, "nowhere", "a.txt"), []byte("text"), 0o600)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "nowhere")
}

func names(t *testing.T, dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
