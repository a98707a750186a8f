package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const password = "correct horse battery staple"

// objects are all that a repository has, by their ids.
func objects(t *testing.T, gitDir string) string {
	return gitAt(t, gitDir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
}

// Whatever is pushed, fetched or bundled, what was recorded stays here.
func TestRecordsStayHere(t *testing.T) {
	w := newTree(t, "a", "1\n")
	linked := filepath.Join(t.TempDir(), "linked")
	w.git("worktree", "add", "-q", linked)
	w.write("a", "2\n", "notes.txt", password, ".env", password)
	_, commit, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/1/start", "start")
	require.NoError(t, err)
	out := w.revert(one("notes.txt"))
	require.NotEmpty(t, out.Undo)
	secret := strings.TrimSpace(gitAt(t, w.dir, "rev-parse", commit+":notes.txt"))
	for name, take := range map[string]func(remote string){
		"push --mirror":                         func(remote string) { w.git("push", "-q", "--mirror", remote) },
		"push --mirror from a linked work tree": func(remote string) { gitAt(t, linked, "push", "-q", "--mirror", remote) },
		"push everything":                       func(remote string) { w.git("push", "-q", remote, "refs/*:refs/*") },
		"fetch":                                 func(remote string) { gitAt(t, remote, "fetch", "-q", "file://"+w.dir, "+refs/*:refs/*") },
		"bundle": func(remote string) {
			w.git("bundle", "create", "-q", remote+".bundle", "--all")
			gitAt(t, remote, "fetch", "-q", remote+".bundle", "+refs/*:refs/*")
		},
	} {
		remote := filepath.Join(t.TempDir(), "remote.git")
		gitAt(t, t.TempDir(), "init", "-q", "--bare", remote)
		take(remote)
		require.NotContains(t, objects(t, remote), secret, name)
		require.NotContains(t, gitAt(t, remote, "for-each-ref"), "ahp", name)
	}
	require.NotContains(t, w.git("log", "--all", "--format=%s"), "start")
	require.Contains(t, objects(t, filepath.Join(w.dir, ".git")), secret)
}

// What was recorded outlives garbage collection, also of what it was based on.
func TestRecordsOutliveGarbageCollection(t *testing.T) {
	w := newTree(t, "a", "1\n", "b", strings.Repeat("base\n", 100))
	w.write("b", "amended away\n")
	w.git("commit", "-qam", "second")
	w.write("a", "2\n", "new", "new\n")
	_, commit, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/1/start", "start")
	require.NoError(t, err)
	w.revert(all)
	w.git("reset", "-q", "--hard", "HEAD~1")
	linked := filepath.Join(t.TempDir(), "linked")
	w.git("worktree", "add", "-q", linked)
	for _, dir := range []string{w.dir, linked} {
		gitAt(t, dir, "reflog", "expire", "--all", "--expire=1.second.ago", "--expire-unreachable=1.second.ago")
		gitAt(t, dir, "gc", "-q", "--prune=now")
	}
	require.Equal(t, "amended away\n", w.git("show", commit+":b"))
	w.repo.Close()
	w.open()
	refs, err := w.repo.Refs(t.Context(), "refs/ahp/turn/")
	require.NoError(t, err)
	require.Equal(t, commit, refs[0].Commit)
	_, err = w.repo.Compare(t.Context(), refs[0].Tree, HEAD)
	require.NoError(t, err)
	list, err := w.repo.UndoList(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	w.undo("")
	require.Equal(t, "new\n", w.read("new"))

	// What is let go of is collected, the rest stays.
	require.NoError(t, w.repo.DeleteRef(t.Context(), refs[0].Name))
	w.repo.records.Now = func() time.Time { return time.Now().Add(time.Minute) }
	require.NoError(t, w.repo.records.Tidy(t.Context()))
	w.git("gc", "-q", "--prune=now")
	all := objects(t, filepath.Join(w.dir, ".git"))
	require.NotContains(t, all, commit)
	left, err := w.repo.Refs(t.Context(), "refs/ahp/")
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Contains(t, all, left[0].Commit)
	_, commit, err = w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/2/start", "start")
	require.NoError(t, err)
	w.git("gc", "-q", "--prune=now")
	require.Contains(t, objects(t, filepath.Join(w.dir, ".git")), commit)
}

// The user purges everything: what is gone does not get in the way.
func TestRecordsArePurged(t *testing.T) {
	w := newTree(t, "a", "1\n")
	w.write("a", password)
	_, commit, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/1/start", "start")
	require.NoError(t, err)
	w.write("a", "1\n")
	w.git("reflog", "expire", "--all", "--expire=now", "--expire-unreachable=now")
	w.git("gc", "-q", "--prune=now")
	require.NotContains(t, objects(t, filepath.Join(w.dir, ".git")), commit)
	w.open()
	refs, err := w.repo.Refs(t.Context(), "refs/ahp/")
	require.NoError(t, err)
	require.Empty(t, refs)
	_, _, err = w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/1/start", "again")
	require.NoError(t, err)
}

// Refs of older versions, which were pushed, are moved.
func TestOldRefsAreMoved(t *testing.T) {
	w := newTree(t, "a", "1\n")
	names := manyRecords(w, undoPrefix, w.repo.ID(), 5, time.Now())
	require.Len(t, strings.Fields(w.git("for-each-ref", "--format=%(refname)", "refs/ahp/")), 5)
	w.git("pack-refs", "--all")
	w.open()
	list, err := w.repo.UndoList(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 5)
	require.Equal(t, names[4], list[0].Ref)
	require.Empty(t, w.git("for-each-ref", "refs/ahp/"))
	w.git("gc", "-q", "--prune=now")
	w.open()
	list, err = w.repo.UndoList(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 5)
}

// Several processes record at the same time, and move what an older version has left.
func TestRecordsOfSeveralProcesses(t *testing.T) {
	const processes, each = 4, 5
	w := newTree(t, "a", "1\n")
	manyRecords(w, undoPrefix, w.repo.ID(), 20, time.Now())
	done := make(chan error)
	for p := range processes {
		r, err := Open(t.Context(), w.dir)
		require.NoError(t, err)
		defer r.Close()
		go func() {
			var errs []error
			for i := range each {
				_, _, err := r.Checkpoint(context.Background(), fmt.Sprintf("refs/ahp/turn/main/%d-%d/start", p, i), "start")
				errs = append(errs, err)
			}
			done <- errors.Join(errs...)
		}()
	}
	for range processes {
		require.NoError(t, <-done)
	}
	w.git("gc", "-q", "--prune=now")
	w.open()
	refs, err := w.repo.Refs(t.Context(), "refs/ahp/")
	require.NoError(t, err)
	require.Len(t, refs, 20+processes*each)
	require.Empty(t, w.git("for-each-ref", "refs/ahp/"))
}

// A process that was killed has left its lock behind.
func TestStaleLockOfARecord(t *testing.T) {
	w := newTree(t, "a", "1\n")
	checkpoint := func() error {
		_, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/1/start", "start")
		return err
	}
	require.NoError(t, checkpoint())
	own := w.repo.records.Dir()
	for _, lock := range []string{filepath.Join(own, "refs/ahp/turn/main/1/start.lock"), filepath.Join(w.dir, ".git", "AHP_HEAD.lock")} {
		require.NoError(t, os.WriteFile(lock, nil, 0o600))
		require.ErrorIs(t, checkpoint(), ErrIndexLocked, "it may be at work")
		old := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(lock, old, old))
		require.NoError(t, checkpoint())
		require.NoFileExists(t, lock)
	}
	// The user's own locks are theirs.
	lock := filepath.Join(w.dir, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(lock, old, old))
	w.write("a", "2\n")
	_, err := w.repo.Stage(t.Context(), all)
	require.ErrorIs(t, err, ErrIndexLocked)
	require.FileExists(t, lock)
}

// Untracked files that look like secrets are not recorded, and no turn shows them.
func TestSecretsAreNotRecorded(t *testing.T) {
	w := newTree(t, "a", "1\n")
	w.write("a", "2\n", ".env", password, "sub/id_ed25519", password, ".env.example", "PASSWORD=\n")
	tree, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/1/start", "start")
	require.NoError(t, err)
	require.Equal(t, ".env.example\na\n", w.git("ls-tree", "-r", "--name-only", tree))
	require.NotContains(t, w.git("cat-file", "--batch-all-objects", "--batch"), password)
	files, err := w.repo.Compare(t.Context(), tree, WorkTree)
	require.NoError(t, err)
	require.Empty(t, files)
	require.Equal(t, []string{"untracked .env +1 -0", "untracked .env.example +1 -0", "modified a +1 -1", "untracked sub/id_ed25519 +1 -0"}, brief(w.uncommitted()))
	// A tracked one is the user's decision.
	w.git("add", "-f", ".env")
	tree, _, err = w.repo.Checkpoint(t.Context(), "refs/ahp/turn/main/1/end", "end")
	require.NoError(t, err)
	require.Contains(t, w.git("ls-tree", "-r", "--name-only", tree), ".env\n")
}

// What killed processes have left in the folder for temporary files goes.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	w := newTree(t, "a", "1\n")
	var dirs []string
	for _, parent := range []string{temp, filepath.Join(w.dir, ".git")} {
		for _, name := range []string{"ahp-index-1", "ahp-index-2", "ahp-merge-1", "other-1"} {
			dir := filepath.Join(parent, name)
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "index"), nil, 0o600))
			if name != "ahp-index-2" {
				old := time.Now().Add(-2 * time.Hour)
				require.NoError(t, os.Chtimes(dir, old, old))
			}
			dirs = append(dirs, dir)
		}
	}
	w.open()
	for _, dir := range dirs {
		switch filepath.Base(dir) {
		case "ahp-index-2", "other-1":
			require.DirExists(t, dir)
		default:
			require.NoDirExists(t, dir)
		}
	}
}
