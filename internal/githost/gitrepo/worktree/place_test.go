package worktree

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ahp-lsp/internal/githost/gitrepo/fault"

	"github.com/stretchr/testify/require"
)

// A program writes after the last look at a file and before it is replaced or
// deleted: what it wrote stays.
func TestWrittenAtTheLastMoment(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("elsewhere there is no way to exchange two files in one step")
	}
	const theirs = "written just now\n"
	dir := t.TempDir()
	w := files{t, dir}
	w.write("f", "1\n")
	tree := &Tree{Root: dir, MaxText: 1000}
	root, err := tree.Open()
	require.NoError(t, err)
	defer root.Close()
	seen, err := tree.Read("f")
	require.NoError(t, err)
	temp := filepath.Join(dir, TempPrefix+"x")
	place := func(p string, old Version) error {
		w.write(TempPrefix+"x", "2\n")
		ours, err := os.Lstat(temp)
		require.NoError(t, err)
		err = tree.place(root, TempPrefix+"x", ours, p, old)
		if err != nil {
			now, err := os.Lstat(temp)
			require.NoError(t, err)
			require.True(t, os.SameFile(ours, now), "so it can be deleted")
			w.remove(TempPrefix + "x")
		}
		return err
	}
	alone := func(names ...string) {
		t.Helper()
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		var got []string
		for _, e := range list {
			if e.Name() != ".git" {
				got = append(got, e.Name())
			}
		}
		require.Equal(t, names, got)
	}

	w.write("f", theirs)
	require.ErrorIs(t, place("f", seen), fault.ErrConflict)
	require.Equal(t, theirs, w.read("f"))
	require.ErrorIs(t, place("f", Version{}), fault.ErrConflict)
	require.Equal(t, theirs, w.read("f"))
	require.ErrorIs(t, tree.takeAway(root, "f", seen), fault.ErrConflict)
	require.Equal(t, theirs, w.read("f"))
	alone("f")

	// In the place of the file there is a folder, or nothing.
	w.remove("f")
	require.ErrorIs(t, place("f", seen), fault.ErrConflict)
	require.False(t, w.exists("f"))
	w.write("f/g", theirs)
	require.ErrorIs(t, place("f", seen), fault.ErrConflict)
	require.ErrorIs(t, tree.takeAway(root, "f", seen), fault.ErrConflict)
	require.Equal(t, theirs, w.read("f/g"))
	alone("f")

	// Undisturbed.
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "f")))
	require.NoError(t, place("f", Version{}))
	now, err := tree.Read("f")
	require.NoError(t, err)
	require.NoError(t, place("f", now))
	require.Equal(t, "2\n", w.read("f"))
	now, err = tree.Read("f")
	require.NoError(t, err)
	require.NoError(t, tree.takeAway(root, "f", now))
	alone()
}

type files struct {
	t   testing.TB
	dir string
}

func (w files) write(path, text string) {
	w.t.Helper()
	name := filepath.Join(w.dir, path)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(w.t, os.WriteFile(name, []byte(text), 0o666))
}

func (w files) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, path))
	require.NoError(w.t, err)
	return string(data)
}

func (w files) remove(path string) {
	w.t.Helper()
	require.NoError(w.t, os.Remove(filepath.Join(w.dir, path)))
}

func (w files) exists(path string) bool {
	_, err := os.Lstat(filepath.Join(w.dir, path))
	return err == nil
}
