package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func (w *tree) stage(targets []Target) Outcome {
	w.t.Helper()
	out, err := w.repo.Stage(w.t.Context(), targets)
	require.NoError(w.t, err)
	return out
}

func (w *tree) unstage(targets []Target) Outcome {
	w.t.Helper()
	out, err := w.repo.Unstage(w.t.Context(), targets)
	require.NoError(w.t, err)
	return out
}

func (w *tree) index() string { return w.git("ls-files", "-s") }

func TestStageRanges(t *testing.T) {
	w := newTree(t, "f", "1\n2\n3\n4\n5\n6\n")
	w.write("f", "1\nTWO\n3\n5\n6\nSEVEN\n") // a pair, a deletion, an insertion
	clean := w.index()
	w.stage(span("f", AfterSide, 5, 6))
	require.Equal(t, "1\n2\n3\n4\n5\n6\nSEVEN\n", w.staged("f"))
	w.stage(span("f", BeforeSide, 3, 4))
	require.Equal(t, "1\n2\n3\n5\n6\nSEVEN\n", w.staged("f"))
	_, err := w.repo.Stage(t.Context(), span("f", BeforeSide, 3, 4))
	require.ErrorIs(t, err, ErrNothing)
	w.stage(span("f", AfterSide, 1, 2))
	require.Equal(t, w.read("f"), w.staged("f"))
	// HEAD → index: the same hunks.
	w.unstage(span("f", AfterSide, 1, 2))
	require.Equal(t, "1\n2\n3\n5\n6\nSEVEN\n", w.staged("f"))
	w.unstage(span("f", BeforeSide, 3, 4))
	require.Equal(t, "1\n2\n3\n4\n5\n6\nSEVEN\n", w.staged("f"))
	out := w.unstage(one("f"))
	require.Equal(t, clean, w.index())
	w.undo(out.Undo)
	require.Equal(t, "1\n2\n3\n4\n5\n6\nSEVEN\n", w.staged("f"))
	require.Equal(t, "1\nTWO\n3\n5\n6\nSEVEN\n", w.read("f"))

	// The range counts in HEAD though the index has other lines before it.
	w.write("f", "0\n1\n2\n3\n5\n6\n")
	w.stage(span("f", AfterSide, 0, 1))
	require.Equal(t, "0\n1\n2\n3\n4\n5\n6\nSEVEN\n", w.staged("f"))
	w.stage(span("f", BeforeSide, 3, 4))
	require.Equal(t, "0\n1\n2\n3\n5\n6\nSEVEN\n", w.staged("f"))
}

func TestStageWhole(t *testing.T) {
	w := newTree(t, "mod", "1\n", "gone", "1\n", "exec", "1\n", "old", "some content to be found again\n", "sub/x", "1\n", "back", "1\n")
	clean := w.index()
	w.write("back", "2\n")
	w.git("add", "back")
	w.write("mod", "2\n", "new file", "n\n", "-d/é", "n\n", "back", "1\n")
	w.remove("gone")
	require.NoError(t, os.Rename(filepath.Join(w.dir, "old"), filepath.Join(w.dir, "renamed")))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "exec"), 0o755))
	before := w.index()
	files := w.snapshotFiles()
	out := w.stage(all)
	require.Empty(t, w.git("diff", "--name-only"))
	require.Empty(t, w.git("ls-files", "--others"))
	require.Equal(t, []string{"-d/é", "back", "exec", "gone", "mod", "new file", "old", "renamed"}, out.Paths)
	w.undo(out.Undo)
	require.Equal(t, before, w.index())
	w.stage(all)
	w.unstage(all)
	require.Equal(t, clean, w.index())
	require.Equal(t, files, w.snapshotFiles())
	w.stage(one("renamed"))
	require.Contains(t, w.git("diff", "--cached", "--name-status", "-M"), "R100\told\trenamed")
	w.unstage(one("old"))
	require.Equal(t, clean, w.index())

	// A new file by its lines.
	w.write("new file", "1\n2\n3\n")
	w.stage(span("new file", AfterSide, 1, 2))
	require.Equal(t, "2\n", w.staged("new file"))
	w.unstage(span("new file", AfterSide, 0, 1))
	require.Equal(t, clean, w.index())
	// A deleted file by its lines.
	w.stage(span("gone", BeforeSide, 0, 1))
	require.NotContains(t, w.index(), "gone")
	w.unstage(span("gone", BeforeSide, 0, 1))
	require.Equal(t, clean, w.index())
	_, err := w.repo.Unstage(t.Context(), all)
	require.ErrorIs(t, err, ErrNothing)
}

// TestIndexStaysFresh: replacing the index must not hide a change made in the
// Same instant, which git tells by the times of the index and the files.
func TestIndexStaysFresh(t *testing.T) {
	w := newTree(t, "a", "1\n", "b", "1\n")
	for i := range 20 {
		one, two := strings.Repeat("x", i%7)+"A\n", strings.Repeat("x", i%7)+"B\n"
		w.write("a", one, "b", "b"+itoa(i)+"\n")
		w.stage([]Target{{Path: "b"}, {Path: "a"}})
		w.write("a", two) // the same size, perhaps the same time
		require.Contains(t, w.git("status", "--porcelain"), "MM a")
		require.Contains(t, brief(w.uncommitted())[0], "modified a")
		data := w.git("diff", "--", "a")
		require.Contains(t, data, "+"+two)
	}
}

func TestStageConcurrently(t *testing.T) {
	w := newTree(t, "f", "1\n")
	for i := range 8 {
		w.write("n"+itoa(i), "x\n")
	}
	done := make(chan error)
	for i := range 8 {
		go func() {
			r, err := Open(t.Context(), w.dir) // as another process would
			if err == nil {
				_, err = r.Stage(t.Context(), one("n"+itoa(i)))
			}
			done <- err
		}()
	}
	staged := 0
	for range 8 {
		if err := <-done; err == nil {
			staged++
		} else {
			require.ErrorIs(t, err, ErrIndexLocked)
		}
	}
	require.Positive(t, staged)
	require.Len(t, strings.Fields(w.git("diff", "--cached", "--name-only")), staged, "none is lost")
	list, err := w.repo.UndoList(t.Context())
	require.NoError(t, err)
	require.Len(t, list, staged)
}

// What "git add -N" has made known is not staged: undoing brings just that back,
// not an empty file that would be committed.
func TestUndoStageOfIntentToAdd(t *testing.T) {
	for name, targets := range map[string][]Target{"whole": one("n"), "lines": span("n", AfterSide, 0, 1), "all": all} {
		t.Run(name, func(t *testing.T) {
			w := newTree(t, "f", "hello\n")
			w.write("n", "1\n2\n")
			w.git("add", "-N", "n")
			require.Equal(t, " A n\n", w.git("status", "--porcelain"))
			_, err := w.repo.Stage(t.Context(), targets)
			require.NoError(t, err)
			staged := w.staged("n")
			out, err := w.repo.Undo(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, " A n\n", w.git("status", "--porcelain"))
			require.Empty(t, w.git("diff", "--cached", "--name-only"))
			_, err = w.repo.Undo(t.Context(), out.Undo)
			require.NoError(t, err)
			require.Equal(t, staged, w.staged("n"))
			_, err = w.repo.Undo(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, " A n\n", w.git("status", "--porcelain"))
		})
	}
}
