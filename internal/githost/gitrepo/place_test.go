package gitrepo

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program writes after the last look at a file and before it is replaced or
// deleted: what it wrote stays.
func TestWrittenAtTheLastMoment(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("elsewhere there is no way to exchange two files in one step")
	}
	const theirs = "written just now\n"
	w := newTree(t, "f", "1\n")
	root, err := w.repo.inTree()
	require.NoError(t, err)
	defer root.Close()
	seen, err := w.repo.onDisk("f")
	require.NoError(t, err)
	temp := filepath.Join(w.dir, tempPrefix+"x")
	place := func(p string, old version) error {
		w.write(tempPrefix+"x", "2\n")
		ours, err := os.Lstat(temp)
		require.NoError(t, err)
		err = w.repo.place(root, tempPrefix+"x", ours, p, old)
		if err != nil {
			now, err := os.Lstat(temp)
			require.NoError(t, err)
			require.True(t, os.SameFile(ours, now), "so it can be deleted")
			w.remove(tempPrefix + "x")
		}
		return err
	}
	alone := func(names ...string) {
		t.Helper()
		list, err := os.ReadDir(w.dir)
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
	require.ErrorIs(t, place("f", seen), ErrConflict)
	require.Equal(t, theirs, w.read("f"))
	require.ErrorIs(t, place("f", version{}), ErrConflict)
	require.Equal(t, theirs, w.read("f"))
	require.ErrorIs(t, w.repo.takeAway(root, "f", seen), ErrConflict)
	require.Equal(t, theirs, w.read("f"))
	alone("f")

	// In the place of the file there is a folder, or nothing.
	w.remove("f")
	require.ErrorIs(t, place("f", seen), ErrConflict)
	require.False(t, w.exists("f"))
	w.write("f/g", theirs)
	require.ErrorIs(t, place("f", seen), ErrConflict)
	require.ErrorIs(t, w.repo.takeAway(root, "f", seen), ErrConflict)
	require.Equal(t, theirs, w.read("f/g"))
	alone("f")

	// Undisturbed.
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "f")))
	require.NoError(t, place("f", version{}))
	now, err := w.repo.onDisk("f")
	require.NoError(t, err)
	require.NoError(t, place("f", now))
	require.Equal(t, "2\n", w.read("f"))
	now, err = w.repo.onDisk("f")
	require.NoError(t, err)
	require.NoError(t, w.repo.takeAway(root, "f", now))
	alone()
}
