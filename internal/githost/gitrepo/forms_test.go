package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// exercise does a bit of everything, to see that a form of repository works.
func exercise(t *testing.T, w *tree) {
	t.Helper()
	w.write("f", "1\nx\n3\n", "new", "n\n")
	require.Equal(t, []string{"modified f +1 -1", "untracked new +1 -0"}, brief(w.uncommitted()))
	changed := w.snapshotFiles()
	w.revert(all)
	require.Empty(t, w.uncommitted())
	w.undo("")
	require.Equal(t, changed, w.snapshotFiles())
	index := w.index()
	w.stage(span("f", AfterSide, 1, 2))
	require.Equal(t, "1\nx\n3\n", w.staged("f"))
	w.stage(all)
	require.Empty(t, w.git("diff", "--name-only"))
	w.unstage(all)
	require.Equal(t, index, w.index())
	tree, commit, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/1", "turn")
	require.NoError(t, err)
	require.Equal(t, "n\n", w.git("show", tree+":new"))
	files, err := w.repo.Compare(t.Context(), HEAD, commit)
	require.NoError(t, err)
	require.Equal(t, []string{"modified f +1 -1", "added new +1 -0"}, brief(files))
	files, err = w.repo.Compare(t.Context(), commit, WorkTree)
	require.NoError(t, err)
	require.Empty(t, files)
	_, err = w.repo.Commit(t.Context(), "second")
	require.NoError(t, err)
	require.Equal(t, []string{"untracked new +1 -0"}, brief(w.uncommitted()))
	w.git("fsck", "--strict")
}

func TestRepositoryForms(t *testing.T) {
	t.Run("split index", func(t *testing.T) {
		w := newTree(t, "f", "1\n2\n3\n")
		w.git("config", "core.splitIndex", "true")
		w.git("update-index", "--split-index")
		exercise(t, w)
	})
	t.Run("untracked cache", func(t *testing.T) {
		w := newTree(t, "f", "1\n2\n3\n")
		w.git("config", "core.untrackedCache", "true")
		w.git("status")
		exercise(t, w)
	})
	t.Run("sha256", func(t *testing.T) {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		w := &tree{t: t, dir: dir}
		w.git("init", "-q", "-b", "main", "--object-format=sha256")
		w.open()
		w.write("f", "1\n2\n3\n")
		w.git("add", "-A")
		w.git("commit", "-qm", "first")
		exercise(t, w)
	})
	t.Run("no modes, other case", func(t *testing.T) {
		w := newTree(t, "f", "1\n2\n3\n")
		w.git("config", "core.fileMode", "false")
		w.git("config", "core.ignoreCase", "true")
		w.open()
		exercise(t, w)
	})
	t.Run("user's settings", func(t *testing.T) {
		w := newTree(t, "f", "1\n2\n3\n")
		w.write(".git/order", "new\n")
		for k, v := range map[string]string{"diff.noprefix": "true", "diff.renames": "false", "status.showUntrackedFiles": "no",
			"diff.external": "false", "color.ui": "always", "diff.orderFile": filepath.Join(w.dir, ".git/order"), "status.relativePaths": "true",
			"core.quotePath": "true", "merge.conflictStyle": "diff3", "status.branch": "true", "diff.mnemonicPrefix": "true",
			"core.pager": "false", "diff.relative": "true", "add.ignoreErrors": "true", "diff.autoRefreshIndex": "false"} {
			w.git("config", k, v)
		}
		exercise(t, w)
	})
	t.Run("user's environment", func(t *testing.T) {
		w := newTree(t, "f", "1\n2\n3\n")
		for k, v := range map[string]string{"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere", "GIT_WORK_TREE": "/nowhere",
			"GIT_EXTERNAL_DIFF": "false", "GIT_LITERAL_PATHSPECS": "0", "GIT_CONFIG_COUNT": "x", "GIT_TRACE": "0"} {
			t.Setenv(k, v)
		}
		r, err := Open(t.Context(), w.dir)
		require.NoError(t, err)
		w.write("f", "2\n")
		files, err := r.Uncommitted(t.Context())
		require.NoError(t, err)
		require.Len(t, files, 1)
	})
}

func TestCaseOnlyRename(t *testing.T) {
	w := newTree(t, "File", "some text that is long enough to be found again\n")
	w.remove("File")
	w.write("file", "some text that is long enough to be found again\n")
	require.Equal(t, []string{"renamed File → file"}, brief(w.uncommitted()))
	w.repo.files.IgnoreCase = true
	w.revert(all)
	require.True(t, w.exists("File"))
	require.False(t, w.exists("file"))
	w.undo("")
	require.True(t, w.exists("file"))
	require.False(t, w.exists("File"))
	v, err := w.repo.files.Read("FILE")
	require.NoError(t, err)
	require.False(t, v.Exists())
}

func TestIntentToAdd(t *testing.T) {
	w := newTree(t, "f", "1\n")
	w.write("new", "1\n2\n")
	w.git("add", "-N", "new")
	require.Equal(t, []string{"added new +2 -0"}, brief(w.uncommitted()))
	w.stage(span("new", AfterSide, 0, 1))
	require.Equal(t, "1\n", w.staged("new"))
	w.revert(one("new"))
	require.False(t, w.exists("new"))
	w.undo("")
	require.Equal(t, "1\n2\n", w.read("new"))

	// One that has gone again was nothing, whatever git status says of it; an
	// empty file that was committed was something.
	w.write("gone", "1\n", "empty", "")
	w.git("add", "empty")
	w.git("commit", "-qm", "empty")
	w.git("add", "-N", "gone")
	w.remove("gone", "empty")
	require.Equal(t, []string{"deleted empty", "modified new +1 -0"}, brief(w.uncommitted()))
}

func TestSubmodule(t *testing.T) {
	inner := newTree(t, "x", "1\n")
	w := newTree(t, "f", "1\n")
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
	w.git("commit", "-qm", "submodule")
	sub := filepath.Join(w.dir, "sub")
	require.NoError(t, os.WriteFile(filepath.Join(sub, "x"), []byte("2\n"), 0o666))
	require.Empty(t, w.uncommitted(), "what is dirty in it is its own business")
	gitAt(t, sub, "commit", "-qam", "two")
	files := w.uncommitted()
	require.Equal(t, []string{"submodule sub"}, brief(files))
	require.Len(t, files[0].After.Blob, 40)
	require.NotEqual(t, files[0].Before.Blob, files[0].After.Blob)
	data, err := w.repo.Content(t.Context(), *files[0].After)
	require.NoError(t, err)
	require.Equal(t, files[0].After.Blob+"\n", string(data))
	_, err = w.repo.Revert(t.Context(), uncommittedTrees, one("sub"))
	require.ErrorIs(t, err, ErrNoRange)
	require.Contains(t, err.Error(), "git submodule update")
	out := w.stage(one("sub"))
	require.Contains(t, w.index(), files[0].After.Blob)
	w.undo(out.Undo)
	require.Contains(t, w.index(), files[0].Before.Blob)
	_, _, err = w.repo.Checkpoint(t.Context(), "refs/ahp/turn/1", "turn")
	require.NoError(t, err)
	r, err := Open(t.Context(), sub)
	require.NoError(t, err)
	require.Equal(t, sub, r.Root())
}

// TestVanishedRepository: with the inner repository gone, nothing may be done to
// the one around it.
func TestVanishedRepository(t *testing.T) {
	w := newTree(t, "f", "1\n")
	w.write("inner/x", "1\n")
	gitAt(t, filepath.Join(w.dir, "inner"), "init", "-q")
	r, err := Open(t.Context(), filepath.Join(w.dir, "inner"))
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "inner/.git")))
	_, err = r.Uncommitted(t.Context())
	require.ErrorIs(t, err, ErrNotRepository)
	_, err = r.Stage(t.Context(), all)
	require.ErrorIs(t, err, ErrNotRepository)
	_, err = r.Commit(t.Context(), "m")
	require.Error(t, err)
	require.NotContains(t, w.index(), "inner")
}

func TestCancelled(t *testing.T) {
	w := newTree(t, "f", "1\n")
	w.write("f", "2\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.repo.Uncommitted(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = w.repo.Blob(ctx, w.repo.cmd.EmptyObject("blob"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = w.repo.Revert(ctx, uncommittedTrees, all)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "2\n", w.read("f"))
	// A hook that hangs does not hold the caller for ever.
	w.write(".git/hooks/pre-commit", "#!/bin/sh\nsleep 60\n")
	require.NoError(t, os.Chmod(filepath.Join(w.dir, ".git/hooks/pre-commit"), 0o755))
	ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = w.repo.Commit(ctx, "m")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestBlobReader(t *testing.T) {
	w := newTree(t, "f", "1\n", "g", "2\n")
	_, err := w.repo.Blob(t.Context(), "HEAD")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = w.repo.Blob(t.Context(), "0123456789012345678901234567890123456789")
	require.ErrorIs(t, err, ErrNotFound)
	files, err := w.repo.Compare(t.Context(), w.repo.cmd.EmptyObject("tree"), HEAD)
	require.NoError(t, err)
	require.Len(t, files, 2)
	done := make(chan error)
	for range 8 {
		go func() {
			var errs []error
			for range 20 {
				for i, f := range files {
					data, err := w.repo.Blob(context.Background(), f.After.Blob)
					if err == nil && string(data) != itoa(i+1)+"\n" {
						err = fmt.Errorf("got %q", data)
					}
					errs = append(errs, err)
				}
			}
			done <- errors.Join(errs...)
		}()
	}
	for range 8 {
		require.NoError(t, <-done)
	}
}
