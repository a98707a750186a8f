package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUncommitted(t *testing.T) {
	body := strings.Repeat("some line of text\nanother one\n", 20)
	w := newTree(t, "keep", "k\n", "mod", "a\nb\n", "gone", "x\ny\n", "old name", body, "staged", "1\n",
		"exec", "#!\n", "bin", "\x00\x01", "typ", "t\n", "twice", "0\n", "cached", "c\n", ".gitignore", "*.log\n")
	w.write("mod", "a\nB\nc\n", "new", "n\n", "sub dir/-dash\nnewline", "n\n", "x.log", "ignored", "staged", "2\n",
		"bin", "\x00\x02", "twice", "1\n", "tmp/.ahp-tmp-1", "ours", "déjà", "vu\n", "both", "1\n")
	w.remove("gone", "typ")
	require.NoError(t, os.Rename(filepath.Join(w.dir, "old name"), filepath.Join(w.dir, "new name")))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "exec"), 0o755))
	require.NoError(t, os.Symlink("keep", filepath.Join(w.dir, "typ")))
	w.git("add", "staged", "twice", "both")
	w.write("twice", "0\n") // staged, and taken back on disk
	w.remove("both")        // staged as new, and deleted
	w.git("rm", "-q", "--cached", "cached")
	require.Equal(t, []string{
		"modified bin binary",
		"untracked déjà +1 -0",
		"modeonly exec",
		"deleted gone +0 -2",
		"modified mod +2 -1",
		"untracked new +1 -0",
		"renamed old name → new name",
		"modified staged +1 -1",
		"untracked sub dir/-dash\nnewline +1 -0",
		"typechange typ +1 -1",
	}, brief(w.uncommitted()))

	files, err := w.repo.Staged(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"added both +1 -0", "deleted cached +0 -1", "modified staged +1 -1", "modified twice +1 -1"}, brief(files))
	data, err := w.repo.Content(t.Context(), *files[2].After)
	require.NoError(t, err)
	require.Equal(t, "2\n", string(data))
	data, err = w.repo.Blob(t.Context(), files[2].Before.Blob)
	require.NoError(t, err)
	require.Equal(t, "1\n", string(data))
}

// A file that a sparse checkout leaves out is not deleted: the index stands for
// it. One that is ignored and has left the index is.
func TestFilesThatAreNotLookedFor(t *testing.T) {
	w := newTree(t, "in/a", "1\n", "out/b", "1\n", "out/same", "1\n", "x.log", "1\n")
	first := strings.TrimSpace(w.git("rev-parse", "HEAD"))
	w.write("in/a", "2\n", "out/b", "2\n")
	w.git("commit", "-qam", "second")
	w.git("sparse-checkout", "set", "--no-cone", "/in/", "/x.log")
	require.False(t, w.exists("out/b"))
	require.Empty(t, w.uncommitted())
	files, err := w.repo.Compare(t.Context(), first, WorkTree)
	require.NoError(t, err)
	require.Equal(t, []string{"modified in/a +1 -1", "modified out/b +1 -1"}, brief(files))
	require.True(t, files[0].After.Disk)
	data, err := w.repo.Content(t.Context(), *files[1].After)
	require.NoError(t, err)
	require.Equal(t, "2\n", string(data))

	w.git("sparse-checkout", "disable")
	w.write(".git/info/exclude", "*.log\n")
	w.git("rm", "-q", "--cached", "x.log")
	require.Equal(t, []string{"deleted x.log +0 -1"}, brief(w.uncommitted()))
}

func TestUnborn(t *testing.T) {
	w := emptyTree(t)
	s, err := w.repo.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, State{Branch: "main", Unborn: true}, s)
	require.Empty(t, w.uncommitted())
	w.write("a", "1\n", "b", "2\n")
	w.git("add", "a")
	require.Equal(t, []string{"added a +1 -0", "untracked b +1 -0"}, brief(w.uncommitted()))
	base, files, err := w.repo.Branch(t.Context())
	require.NoError(t, err)
	require.Equal(t, w.repo.cmd.EmptyObject("tree"), base)
	require.Len(t, files, 2)
	_, err = w.repo.Unstage(t.Context(), all)
	require.NoError(t, err)
	require.Empty(t, w.git("ls-files"))
	_, err = w.repo.Stage(t.Context(), all)
	require.NoError(t, err)
	out, err := w.repo.Commit(t.Context(), "begin\n\n# not a comment\n")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, out.Paths)
	require.Contains(t, w.git("log", "-1", "--format=%B"), "# not a comment")
}

func TestBranchBase(t *testing.T) {
	w := newTree(t, "f", "1\n")
	first := strings.TrimSpace(w.git("rev-parse", "HEAD"))
	w.git("checkout", "-qb", "topic")
	w.write("f", "2\n", "g", "2\n")
	w.git("add", ".")
	w.git("commit", "-qm", "second")
	w.write("h", "3\n")
	base, files, err := w.repo.Branch(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, base)
	require.Equal(t, []string{"modified f +1 -1", "added g +1 -0", "untracked h +1 -0"}, brief(files))

	// The remote has the branch too: still against the default branch.
	remote := t.TempDir()
	gitAt(t, remote, "init", "-q", "--bare", "-b", "main")
	w.git("remote", "add", "origin", remote)
	w.git("push", "-q", "-u", "origin", "main", "topic")
	base, _, err = w.repo.Branch(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, base)
	s, err := w.repo.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, "origin/topic", s.Upstream)
	require.Equal(t, "origin/main", s.DefaultBranch)

	w.git("checkout", "-q", "--detach")
	s, err = w.repo.State(t.Context())
	require.NoError(t, err)
	require.True(t, s.Detached)
	base, _, err = w.repo.Branch(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, base)
}

func TestMergeInProgress(t *testing.T) {
	w := newTree(t, "f", "1\n", "g", "1\n", "h", "1\n")
	w.git("checkout", "-qb", "topic")
	w.write("f", "theirs\n", "g", "theirs\n")
	w.git("commit", "-qam", "theirs")
	w.git("checkout", "-q", "main")
	w.write("f", "ours\n")
	w.git("rm", "-q", "g")
	w.git("commit", "-qam", "ours")
	cmdErr := gitFails(t, w.dir, "merge", "topic")
	require.Contains(t, cmdErr, "CONFLICT")
	s, err := w.repo.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, "merge", s.Operation)
	require.Equal(t, []string{"modified f +4 -0 conflict", "untracked g +1 -0 conflict"}, kinds(brief(w.uncommitted())))
	_, err = w.repo.Stage(t.Context(), one("f"))
	require.ErrorIs(t, err, ErrUnmerged)
	_, err = w.repo.Commit(t.Context(), "m")
	require.ErrorIs(t, err, ErrUnmerged)
	index := w.git("ls-files", "-s")
	tree, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/1", "turn")
	require.NoError(t, err)
	require.Contains(t, w.git("show", tree+":f"), "<<<<<<<")
	require.Equal(t, index, w.git("ls-files", "-s"))

	before := w.read("f")
	out, err := w.repo.Revert(t.Context(), uncommittedTrees, one("f"))
	require.NoError(t, err)
	require.Equal(t, "ours\n", w.read("f"))
	_, err = w.repo.Undo(t.Context(), out.Undo)
	require.NoError(t, err)
	require.Equal(t, before, w.read("f"))
	require.Equal(t, index, w.git("ls-files", "-s"))
}

// kinds lets "added" stand for "untracked": git calls a file that they have and
// we deleted neither.
func kinds(in []string) []string {
	for i := range in {
		in[i] = strings.Replace(in[i], "added", "untracked", 1)
	}
	return in
}

func TestWorktreesAndNested(t *testing.T) {
	w := newTree(t, "f", "1\n")
	other := filepath.Join(t.TempDir(), "other")
	w.git("worktree", "add", "-q", other)
	r, err := Open(t.Context(), other)
	require.NoError(t, err)
	require.NotEqual(t, w.repo.ID(), r.ID())
	require.Equal(t, w.repo.CommonDir(), r.CommonDir())
	require.NotEqual(t, r.CommonDir(), r.GitDir())
	require.NoError(t, os.WriteFile(filepath.Join(other, "f"), []byte("2\n"), 0o666))
	require.Empty(t, w.uncommitted())
	out, err := r.Revert(t.Context(), uncommittedTrees, all)
	require.NoError(t, err)
	_, err = w.repo.Undo(t.Context(), "")
	require.ErrorIs(t, err, ErrNothing)
	_, err = w.repo.Undo(t.Context(), out.Undo)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = r.Undo(t.Context(), "")
	require.NoError(t, err)

	w.write("inner/x", "1\n", "empty/x", "1\n", "z", "1\n")
	gitAt(t, filepath.Join(w.dir, "inner"), "init", "-q")
	gitAt(t, filepath.Join(w.dir, "empty"), "init", "-q")
	gitAt(t, filepath.Join(w.dir, "inner"), "add", "x")
	gitAt(t, filepath.Join(w.dir, "inner"), "commit", "-qm", "inner")
	require.Equal(t, []string{"submodule empty", "submodule inner", "untracked z +1 -0"}, brief(w.uncommitted()))
	tree, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/1", "turn")
	require.NoError(t, err)
	require.Equal(t, "f\ninner\nz\n", w.git("ls-tree", "--name-only", tree))
	out, err = w.repo.Revert(t.Context(), uncommittedTrees, all)
	require.NoError(t, err)
	require.Equal(t, []string{"z"}, out.Paths)
	require.Len(t, out.Skipped, 2)
	require.True(t, w.exists("inner/x"))
	in, err := Open(t.Context(), filepath.Join(w.dir, "inner"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(w.dir, "inner"), in.Root())
}

// What can be undone belongs to the work tree, wherever it is moved.
func TestUndoAfterMove(t *testing.T) {
	w := newTree(t, "f", "1\n")
	other := filepath.Join(t.TempDir(), "other")
	w.git("worktree", "add", "-q", other)
	linked, err := Open(t.Context(), other)
	require.NoError(t, err)
	require.NotEqual(t, w.repo.Name(), linked.Name())
	for _, r := range []*Repo{w.repo, linked} {
		require.NoError(t, os.WriteFile(filepath.Join(r.Root(), "f"), []byte(r.Name()), 0o666))
		_, err := r.Revert(t.Context(), uncommittedTrees, all)
		require.NoError(t, err)
	}
	w.git("worktree", "move", other, other+"-2")
	require.NoError(t, os.Rename(w.dir, w.dir+"-2"))
	w.dir += "-2"
	w.git("worktree", "repair", other+"-2")
	for _, dir := range []string{w.dir, other + "-2"} {
		r, err := Open(t.Context(), dir)
		require.NoError(t, err)
		list, err := r.UndoList(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 1)
		_, err = r.Undo(t.Context(), "")
		require.NoError(t, err)
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.Equal(t, r.Name(), string(data))
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(t.Context(), dir)
	require.ErrorIs(t, err, ErrNotRepository)
	gitAt(t, dir, "init", "-q", "--bare")
	_, err = Open(t.Context(), dir)
	require.ErrorIs(t, err, ErrBare)
	w := newTree(t, "a/b/c", "1\n")
	r, err := Open(t.Context(), filepath.Join(w.dir, "a/b"))
	require.NoError(t, err)
	require.Equal(t, w.dir, r.Root())
	require.Equal(t, w.repo.ID(), r.ID())
	_, err = Open(t.Context(), filepath.Join(w.dir, ".git"))
	require.ErrorIs(t, err, ErrBare)
}
