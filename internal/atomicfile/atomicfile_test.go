package atomicfile

import (
	"errors"
	"io"
	"io/fs"
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

func TestReplaceFunc(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	require.NoError(t, Replace(path, []byte("old"), 0o600))
	failed := errors.New("no more")
	require.ErrorIs(t, ReplaceFunc(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of the n")
		return errors.Join(err, failed)
	}), failed)
	require.Equal(t, "old", read(t, path))
	require.NoError(t, ReplaceFunc(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}))
	require.Equal(t, "new", read(t, path))
	require.Equal(t, []string{"a.txt"}, names(t, dir))
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	require.NoError(t, Create(path, []byte("first"), 0o600))
	require.ErrorIs(t, Create(path, []byte("second"), 0o600), fs.ErrExist)
	require.Equal(t, "first", read(t, path))
	require.Equal(t, []string{"a.txt"}, names(t, dir))
	require.ErrorIs(t, Create(filepath.Join(dir, "nowhere", "a.txt"), nil, 0o600), fs.ErrNotExist)
}

func TestPrivateDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		require.NoError(t, PrivateDir(dir))
		info, err := os.Stat(dir)
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
		}
	}
	if runtime.GOOS != "windows" {
		require.ErrorIs(t, SyncDir(filepath.Join(dir, "nowhere")), fs.ErrNotExist)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
