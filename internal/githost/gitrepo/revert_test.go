package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ahp-lsp/internal/githost/gitrepo/gitfile"

	"github.com/stretchr/testify/require"
)

func (w *tree) revert(targets []Target) Outcome {
	w.t.Helper()
	out, err := w.repo.Revert(w.t.Context(), uncommittedTrees, targets)
	require.NoError(w.t, err)
	return out
}

func (w *tree) undo(ref string) Outcome {
	w.t.Helper()
	out, err := w.repo.Undo(w.t.Context(), ref)
	require.NoError(w.t, err)
	return out
}

// snapshotFiles is every file of the work tree with its mode and content.
func (w *tree) snapshotFiles() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.dir, p)
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.Type()&os.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			out[rel] = "link " + target
			return err
		}
		data, err := os.ReadFile(p)
		out[rel] = info.Mode().String() + " " + string(data)
		return err
	})
	require.NoError(w.t, err)
	return out
}

func TestRevertEverything(t *testing.T) {
	body := strings.Repeat("some line of text\nanother one\n", 20)
	w := newTree(t, "mod", "a\nb\n", "gone/deep/f", "x\ny\n", "old", body, "exec", "#!\n", "crlf", "a\r\nb\r\n",
		"bin", "\x00\x01", "typ", "t\n", "link", "t\n", "dir/f", "1\n", "file", "1\n", "-dash", "1\n", "sp ace\nnl", "1\n", "latin", "\xe9\n")
	require.NoError(t, os.Remove(filepath.Join(w.dir, "link")))
	require.NoError(t, os.Symlink("mod", filepath.Join(w.dir, "link")))
	w.git("add", "-A")
	w.git("commit", "-qm", "link")
	committed := w.snapshotFiles()

	w.write("mod", "a\nB", "new/er", "n\n", "bin", "\x00\x02", "crlf", "a\r\nX\r\n", "-dash", "2\n", "sp ace\nnl", "2\n", "latin", "\xe8\n", "link2", "")
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "gone")))
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "dir")))
	w.write("dir", "now a file\n")
	w.remove("file", "typ", "link")
	w.write("file/is/dir", "now a folder\n", "link", "now a file\n")
	require.NoError(t, os.Symlink("../outside", filepath.Join(w.dir, "typ")))
	require.NoError(t, os.Rename(filepath.Join(w.dir, "old"), filepath.Join(w.dir, "moved")))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "exec"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "new/er"), 0o600))
	changed := w.snapshotFiles()
	index := w.git("ls-files", "-s")

	out := w.revert(all)
	require.Equal(t, committed, w.snapshotFiles())
	require.Equal(t, index, w.git("ls-files", "-s"))
	require.Empty(t, w.uncommitted())
	require.False(t, w.exists("new"))
	require.Contains(t, w.recordsGit("show", out.Undo+":before/new/er"), "n\n")

	redo := w.undo("")
	require.Equal(t, changed, w.snapshotFiles())
	list, err := w.repo.UndoList(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
	w.undo(redo.Undo)
	require.Equal(t, committed, w.snapshotFiles())
	list, err = w.repo.UndoList(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	w.undo("")
	require.Equal(t, changed, w.snapshotFiles())
	require.Equal(t, "refs/heads/main\n", strings.TrimPrefix(w.git("symbolic-ref", "HEAD"), ""))
	require.Empty(t, w.git("stash", "list"))
	w.git("fsck", "--strict")
}

func TestRevertOneFile(t *testing.T) {
	w := newTree(t, "a", "1\n2\n3\n", "b", "1\n")
	w.write("a", "1\nx\n3\n", "b", "2\n", "c", "new\n")
	out := w.revert(one("c"))
	require.Equal(t, "deleted c", out.Message)
	out = w.revert(span("a", AfterSide, 1, 2))
	require.Equal(t, "reverted line 2 of a", out.Message)
	require.Equal(t, []string{"a"}, out.Paths)
	require.Equal(t, []string{"modified b +1 -1"}, brief(w.uncommitted()))
	for _, target := range [][]Target{one("a"), one("nowhere"), span("b", AfterSide, 5, 9)} {
		_, err := w.repo.Revert(t.Context(), uncommittedTrees, target)
		require.ErrorIs(t, err, ErrNothing)
	}
	// All lines of an untracked file are the file; some are not.
	w.write("c", "1\n2\n")
	w.revert(span("c", AfterSide, 0, 1))
	require.Equal(t, "2\n", w.read("c"))
	w.revert(span("c", AfterSide, 0, 1))
	require.False(t, w.exists("c"))
	// A deleted file comes back line by line.
	w.remove("a")
	w.revert(span("a", BeforeSide, 1, 2))
	require.Equal(t, "2\n", w.read("a"))
	w.undo("")
	require.False(t, w.exists("a"))
}

func TestRevertRenamedRange(t *testing.T) {
	body := strings.Repeat("some line of text\nanother one\n", 20)
	w := newTree(t, "old", body)
	w.remove("old")
	w.write("new", "first\n"+body+"last\n")
	require.Equal(t, []string{"renamed old → new +2 -0"}, brief(w.uncommitted()))
	w.revert(span("new", AfterSide, 0, 1))
	require.Equal(t, body+"last\n", w.read("new"))
	w.revert(one("old"))
	require.False(t, w.exists("new"))
	require.Equal(t, body, w.read("old"))
}

func TestUndoAfterChange(t *testing.T) {
	base := "1\n2\n3\n4\n5\n6\n7\n8\n"
	w := newTree(t, "a", base, "b", base)
	w.write("a", strings.Replace(base, "2\n", "two\n", 1), "b", "other\n")
	out := w.revert(all)
	w.write("a", strings.Replace(base, "7\n", "seven\n", 1))
	w.undo(out.Undo)
	require.Equal(t, "1\ntwo\n3\n4\n5\n6\nseven\n8\n", w.read("a"))
	require.Equal(t, "other\n", w.read("b"))

	out = w.revert(one("a"))
	w.write("a", strings.Replace(base, "2\n", "zwei\n", 1))
	_, err := w.repo.Undo(t.Context(), out.Undo)
	require.ErrorIs(t, err, ErrConflict)
	require.Contains(t, err.Error(), " show "+out.Undo+":before/a")
	require.Equal(t, strings.Replace(base, "2\n", "zwei\n", 1), w.read("a"))
	require.Contains(t, w.recordsGit("show", out.Undo+":before/a"), "two\n")

	// A deleted untracked file whose name was taken since.
	w.write("new", "precious\n")
	out = w.revert(one("new"))
	w.write("new", "another\n")
	_, err = w.repo.Undo(t.Context(), "")
	require.ErrorIs(t, err, ErrConflict)
	require.Equal(t, "another\n", w.read("new"))
	w.remove("new")
	w.undo(out.Undo)
	require.Equal(t, "precious\n", w.read("new"))
}

func TestRevertTurn(t *testing.T) {
	base := "1\n2\n3\n4\n5\n6\n7\n8\n"
	w := newTree(t, "a", base, "b", base, ".gitignore", "ign\n")
	ctx := t.Context()
	w.write("pre", "untracked before\n", "ign", "1\n")
	_, start, err := w.repo.Checkpoint(ctx, "refs/ahp/turn/1/start", "start")
	require.NoError(t, err)
	w.write("a", strings.Replace(base, "2\n", "two\n", 1), "new", "made\n", "pre", "untracked after\n")
	w.remove("b")
	_, end, err := w.repo.Checkpoint(ctx, "refs/ahp/turn/1/end", "end")
	require.NoError(t, err)
	files, err := w.repo.Compare(ctx, start, end)
	require.NoError(t, err)
	require.Equal(t, []string{"modified a +1 -1", "deleted b +0 -8", "added new +1 -0", "modified pre +1 -1"}, brief(files))
	require.Empty(t, w.git("diff", "--cached", "--name-only"))

	// Later changes elsewhere in the files stay.
	w.write("a", strings.Replace(w.read("a"), "7\n", "seven\n", 1))
	turn := Trees{start, end}
	_, err = w.repo.Revert(ctx, turn, span("a", AfterSide, 1, 2))
	require.NoError(t, err)
	require.Equal(t, strings.Replace(base, "7\n", "seven\n", 1), w.read("a"))
	w.undo("")
	w.write("new", "changed since\n")
	out, err := w.repo.Revert(ctx, turn, all)
	require.NoError(t, err)
	require.Len(t, out.Skipped, 1)
	require.Contains(t, out.Skipped[0], "new")
	require.Equal(t, []string{"a", "b", "pre"}, out.Paths)
	require.Equal(t, strings.Replace(base, "7\n", "seven\n", 1), w.read("a"))
	require.Equal(t, base, w.read("b"))
	require.Equal(t, "untracked before\n", w.read("pre"))
	require.Equal(t, "changed since\n", w.read("new"))
	w.write("a", strings.Replace(base, "2\n", "zwei\n", 1))
	_, err = w.repo.Revert(ctx, turn, one("a"))
	require.ErrorIs(t, err, ErrConflict)

	// Against the work tree: what a turn that still runs has done.
	files, err = w.repo.Compare(ctx, start, WorkTree)
	require.NoError(t, err)
	require.Equal(t, []string{"modified a +1 -1", "untracked new +1 -0"}, brief(files))
	refs, err := w.repo.Refs(ctx, "refs/ahp/turn/")
	require.NoError(t, err)
	require.Len(t, refs, 2)
	require.Equal(t, end, refs[0].Commit)
	require.Equal(t, "end", refs[0].Message)
	require.NoError(t, w.repo.DeleteRef(ctx, refs[0].Name))
}

func TestUnsafePaths(t *testing.T) {
	w := newTree(t, "dir/f", "1\n", "f", "1\n")
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "f"), []byte("outside\n"), 0o666))
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "dir")))
	require.NoError(t, os.Symlink(outside, filepath.Join(w.dir, "dir")))
	out, err := w.repo.Revert(t.Context(), uncommittedTrees, one("dir/f"))
	require.ErrorIs(t, err, ErrUnsafePath)
	require.Empty(t, out.Undo)
	data, err := os.ReadFile(filepath.Join(outside, "f"))
	require.NoError(t, err)
	require.Equal(t, "outside\n", string(data))
	// Everything at once takes the link away first.
	w.revert(all)
	require.Equal(t, "1\n", w.read("dir/f"))

	// A link in a file's own place is replaced, not followed.
	w.remove("f")
	require.NoError(t, os.Symlink(filepath.Join(outside, "f"), filepath.Join(w.dir, "f")))
	w.revert(one("f"))
	require.Equal(t, "1\n", w.read("f"))
	data, err = os.ReadFile(filepath.Join(outside, "f"))
	require.NoError(t, err)
	require.Equal(t, "outside\n", string(data))
	for _, p := range []string{"/etc/passwd", "../x", "a/../../x", ".git/config", "a/.GIT/x", "a//b", "", "a/./b", "git~1/x", ".git /x", "C:/x", "a\x00b"} {
		require.ErrorIs(t, gitfile.CheckPath(p), ErrUnsafePath, p)
	}
	require.NoError(t, gitfile.CheckPath("..a/.gitignore/-x/\n"))
}

func TestLineEndConversion(t *testing.T) {
	w := newTree(t, ".gitattributes", "*.txt text eol=crlf\n*.auto text=auto\n*.up filter=up\n", "raw", "a\r\nb\n")
	w.git("config", "filter.up.clean", "tr A-Z a-z")
	w.git("config", "filter.up.smudge", "tr a-z A-Z")
	w.write("f.txt", "a\r\nb\r\nc\r\nd\r\n", "g.auto", "a\nb\n", "h.up", "ONE\nTWO\nTHREE\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "attributes")
	require.Equal(t, "a\nb\nc\nd\n", w.staged("f.txt"))
	require.Equal(t, "one\ntwo\nthree\n", w.staged("h.up"))
	require.Empty(t, w.uncommitted())

	w.write("f.txt", "a\r\nB\r\nc\r\nD\r\n", "g.auto", "a\r\nB\r\n", "h.up", "ONE\nZWEI\nDREI\n", "raw", "A\nb\n")
	files := w.uncommitted()
	require.Equal(t, []string{"modified f.txt +2 -2", "modified g.auto +1 -1", "modified h.up +2 -2", "modified raw +1 -1"}, brief(files))
	data, err := w.repo.Content(t.Context(), *files[0].Before)
	require.NoError(t, err)
	require.Equal(t, "a\r\nb\r\nc\r\nd\r\n", string(data))
	w.revert(span("f.txt", AfterSide, 1, 2))
	require.Equal(t, "a\r\nb\r\nc\r\nD\r\n", w.read("f.txt"))
	w.revert(span("g.auto", AfterSide, 1, 2))
	require.Equal(t, "a\r\nb\r\n", w.read("g.auto"), "the line ends on disk are no change to git")
	w.revert(span("h.up", AfterSide, 1, 2))
	require.Equal(t, "ONE\nTWO\nDREI\n", w.read("h.up"))
	w.revert(span("raw", AfterSide, 0, 1))
	require.Equal(t, "a\r\nb\n", w.read("raw"))

	// An editor that saved with other line ends than git would check out.
	w.write("f.txt", "a\nb\nC\nd\n")
	_, err = w.repo.Revert(t.Context(), uncommittedTrees, span("f.txt", AfterSide, 0, 2))
	require.ErrorIs(t, err, ErrNothing)
	w.revert(span("f.txt", AfterSide, 2, 3))
	require.Equal(t, "a\nb\nc\nd\n", w.read("f.txt"))
	w.undo("")

	w.write("f.txt", "a\r\nB\r\nc\r\nD\r\n", "h.up", "ONE\nZWEI\nDREI\n")
	_, err = w.repo.Stage(t.Context(), span("f.txt", AfterSide, 3, 4))
	require.NoError(t, err)
	require.Equal(t, "a\nb\nc\nD\n", w.staged("f.txt"))
	_, err = w.repo.Stage(t.Context(), span("h.up", AfterSide, 2, 3))
	require.ErrorIs(t, err, ErrNoRange, "no line of the stored form is that on disk")
	_, err = w.repo.Stage(t.Context(), one("h.up"))
	require.NoError(t, err)
	require.Equal(t, "one\nzwei\ndrei\n", w.staged("h.up"))
}

func TestLargeFiles(t *testing.T) {
	w := newTree(t, "big", "start\n"+strings.Repeat("x", 2000), "f", "1\n")
	w.repo.files.MaxText, w.repo.cmd.MaxObject, w.repo.log.maxStored = 1000, 1000, 5000
	w.write("big", strings.Repeat("y", 3000), "huge", strings.Repeat("z", 6000))
	before := w.snapshotFiles()
	_, err := w.repo.Revert(t.Context(), uncommittedTrees, span("big", AfterSide, 0, 1))
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = w.repo.Revert(t.Context(), uncommittedTrees, one("huge"))
	require.ErrorIs(t, err, ErrTooLarge)
	require.True(t, w.exists("huge"))
	out := w.revert(all)
	require.Len(t, out.Skipped, 1)
	require.Equal(t, []string{"big"}, out.Paths)
	require.Equal(t, "start\n"+strings.Repeat("x", 2000), w.read("big"))
	redo := w.undo(out.Undo)
	require.Equal(t, before, w.snapshotFiles())
	again := w.undo(redo.Undo)
	require.Equal(t, "start\n"+strings.Repeat("x", 2000), w.read("big"))
	w.undo(again.Undo)
	require.Equal(t, before, w.snapshotFiles())

	tree, commit, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/1", "turn")
	require.NoError(t, err)
	require.Contains(t, w.git("ls-tree", "--name-only", tree), "big")
	require.NotContains(t, w.git("ls-tree", "--name-only", tree), "huge")
	require.Contains(t, w.git("log", "-1", "--format=%B", commit), "huge: it has 5.9 KiB")
}

func TestIndexLocked(t *testing.T) {
	w := newTree(t, "f", "1\n")
	w.write("f", "2\n", ".git/index.lock", "")
	_, err := w.repo.Stage(t.Context(), all)
	require.ErrorIs(t, err, ErrIndexLocked)
	require.Contains(t, err.Error(), "index.lock")
	_, err = w.repo.Commit(t.Context(), "m")
	require.ErrorIs(t, err, ErrIndexLocked)
	// What does not need the index works.
	require.Len(t, w.uncommitted(), 1)
	_, _, err = w.repo.Checkpoint(t.Context(), "refs/ahp/turn/1", "turn")
	require.NoError(t, err)
	w.revert(all)
	w.undo("")
	refs, err := w.repo.Refs(t.Context(), undoPrefix)
	require.NoError(t, err)
	require.Empty(t, refs)
	entries, err := filepath.Glob(filepath.Join(w.dir, ".git/ahp-index-*"))
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestHooks(t *testing.T) {
	w := newTree(t, "f", "1\n2\n3\n")
	for _, h := range []string{"pre-commit", "post-index-change", "reference-transaction", "post-checkout", "post-commit"} {
		w.write(".git/hooks/"+h, "#!/bin/sh\necho "+h+" >> \"$(git rev-parse --show-toplevel)/../ran-"+filepath.Base(w.dir)+"\"\n")
		require.NoError(t, os.Chmod(filepath.Join(w.dir, ".git/hooks", h), 0o755))
	}
	ran := filepath.Join(filepath.Dir(w.dir), "ran-"+filepath.Base(w.dir))
	defer os.Remove(ran)
	w.write("f", "1\nx\n3\ny\n")
	_, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/1", "turn")
	require.NoError(t, err)
	w.revert(span("f", AfterSide, 1, 2))
	_, err = w.repo.Stage(t.Context(), all)
	require.NoError(t, err)
	require.NoFileExists(t, ran)
	out, err := w.repo.Commit(t.Context(), "with hooks")
	require.NoError(t, err)
	require.Contains(t, out.Message, "with hooks")
	data, err := os.ReadFile(ran)
	require.NoError(t, err)
	require.Contains(t, string(data), "pre-commit")
	require.Contains(t, string(data), "post-commit")

	w.write("f", "1\n", ".git/hooks/pre-commit", "#!/bin/sh\necho the linter says no >&2\nexit 1\n")
	_, err = w.repo.Commit(t.Context(), "refused")
	require.ErrorContains(t, err, "the linter says no")
	_, err = w.repo.Commit(t.Context(), " \n")
	require.ErrorIs(t, err, ErrNothing)
}

// A turn made a file executable, which has since become a link: the link's text
// is no content for a file.
func TestRevertModeOfWhatIsNoFile(t *testing.T) {
	w := newTree(t, "f", "hello\n", "target", "x\n")
	start, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/t/1/start", "start")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "f"), 0o755))
	end, _, err := w.repo.Checkpoint(t.Context(), "refs/ahp/turn/t/1/end", "end")
	require.NoError(t, err)
	w.remove("f")
	require.NoError(t, os.Symlink("target", filepath.Join(w.dir, "f")))
	_, err = w.repo.Revert(t.Context(), Trees{start, end}, one("f"))
	require.ErrorIs(t, err, ErrConflict)
	link, err := os.Readlink(filepath.Join(w.dir, "f"))
	require.NoError(t, err)
	require.Equal(t, "target", link)
}

// An operation that has done nothing leaves nothing to undo: "undo" would take
// its record for the newest, and say that it brought something back.
func TestFailedOperationLeavesNoRecord(t *testing.T) {
	w := newTree(t, "a", "hello\n", "b", "1\n", ".gitignore", "*.o\n")
	w.write("b", "2\n")
	_, err := w.repo.Revert(t.Context(), uncommittedTrees, one("b"))
	require.NoError(t, err)
	w.remove("a")
	w.write("a/x.o", "a folder that cannot go")
	out, err := w.repo.Revert(t.Context(), uncommittedTrees, one("a"))
	require.Error(t, err)
	require.Empty(t, out.Undo)
	require.Equal(t, "a folder that cannot go", w.read("a/x.o"))
	out, err = w.repo.Undo(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, out.Paths)
	require.Equal(t, "2\n", w.read("b"))
}
