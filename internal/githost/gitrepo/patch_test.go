package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, patch string) []PatchFile {
	t.Helper()
	files, err := ParsePatch([]byte(patch))
	require.NoError(t, err)
	return files
}

func (w *tree) patchAfter(patch string) []PatchResult {
	w.t.Helper()
	res, err := w.repo.PatchAfter(w.t.Context(), parse(w.t, patch))
	require.NoError(w.t, err)
	return res
}

func (w *tree) apply(patch string, targets []Target) Outcome {
	w.t.Helper()
	out, err := w.repo.ApplyPatch(w.t.Context(), parse(w.t, patch), targets)
	require.NoError(w.t, err)
	return out
}

// TestPatchAnyDiff applies what git diff prints for all kinds of change, in all
// its forms, and takes it back.
func TestPatchAnyDiff(t *testing.T) {
	body := strings.Repeat("some line of text\nanother one\n", 20)
	w := newTree(t, "mod", "a\nb\nc\n", "gone", "x\ny\n", "old name", body, "exec", "#!\n", "bin", "\x00\x01\x02\x03", "open", "no end",
		"crlf", "a\r\nb\r\n", "typ", "file\n", "renmod", body+"z\n", "latin", "\xe9\nx\n", "emptied", "1\n", "binrm", "\x00rm", "b/a", "1\n")
	before := w.snapshotFiles()
	w.write("mod", "0\na\nB\nc", "new/er", "n\n", "empty", "", "bin", "\x00\x01\x02\x04", "open", "no end\nnow two\n", "binnew", "\x00new",
		"crlf", "a\r\nx\nb\r\n", "tab\tname", "t\n", "é \"q\"", "u\n", "latin", "\xe8\nx\n", "renmod2", "0\n"+body, "emptied", "", "b/a", "2\n")
	w.remove("gone", "typ", "renmod", "binrm")
	require.NoError(t, os.Symlink("mod", filepath.Join(w.dir, "typ")))
	require.NoError(t, os.Rename(filepath.Join(w.dir, "old name"), filepath.Join(w.dir, "new name")))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "exec"), 0o755))
	after := w.snapshotFiles()
	w.git("add", "-A")
	for _, args := range [][]string{
		{"-M", "--binary"}, {"--no-renames", "--binary"}, {"-M", "-C", "--find-copies-harder", "--binary"}, {"-U0", "--binary"},
		{"--no-prefix", "--binary"}, {"-M", "--binary", "--full-index", "-U10"}, {"--binary", "--src-prefix=i/", "--dst-prefix=w/"},
	} {
		patch := w.git(append([]string{"diff", "--cached"}, args...)...)
		w.git("stash", "-q")
		require.Equal(t, before, w.snapshotFiles())
		for _, r := range w.patchAfter(patch) {
			require.Equal(t, PatchExact, r.State, "%v %s %v", args, r.File.Path(), r.Problems)
			require.Empty(t, r.Problems)
		}
		w.apply(patch, all)
		require.Equal(t, after, w.snapshotFiles(), args)
		for _, r := range w.patchAfter(patch) {
			require.Equal(t, PatchApplied, r.State, "%v %s %v", args, r.File.Path(), r.Problems)
		}
		w.undo("")
		require.Equal(t, before, w.snapshotFiles(), args)
		w.git("stash", "pop", "-q", "--index")
	}
}

func TestPatchRanges(t *testing.T) {
	base := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"
	w := newTree(t, "f", base)
	w.write("f", "1\nTWO\n3\n4\n5\n6\n7\n8\n10\n11\nNEW\n12\n")
	want := w.read("f")
	patch := w.git("diff")
	w.revert(all)
	res := w.patchAfter(patch)[0]
	require.Equal(t, base, string(res.BeforeData))
	require.Equal(t, want, string(res.AfterData))
	require.Equal(t, 2, res.Diff.Added)
	require.Equal(t, 2, res.Diff.Removed)

	// On the before side, as a proposal is shown, hunk by hunk.
	out := w.apply(patch, span("f", BeforeSide, 11, 11))
	require.Equal(t, strings.Replace(base, "12\n", "NEW\n12\n", 1), w.read("f"))
	require.Equal(t, want, string(w.patchAfter(patch)[0].AfterData))
	w.apply(patch, span("f", BeforeSide, 8, 9))
	w.apply(patch, span("f", AfterSide, 1, 2))
	require.Equal(t, want, w.read("f"))
	require.Equal(t, PatchApplied, w.patchAfter(patch)[0].State)
	_, err := w.repo.ApplyPatch(t.Context(), parse(t, patch), all)
	require.ErrorIs(t, err, ErrNothing)
	w.undo(out.Undo)
	require.Equal(t, strings.Replace(want, "NEW\n", "", 1), w.read("f"))
}

// TestPatchPartOfBlock: the rest of a run of lines still applies when a part of
// it was, though nothing around it is unchanged.
func TestPatchPartOfBlock(t *testing.T) {
	base := "1\n2\n3\n4\n5\n"
	w := newTree(t, "f", base)
	w.write("f", "1\nB\nC\nD\nE\n5\n")
	want := w.read("f")
	patch := w.git("diff")
	w.revert(all)
	w.apply(patch, span("f", AfterSide, 2, 3))
	require.Equal(t, "1\n2\nC\n4\n5\n", w.read("f"))
	require.Equal(t, want, string(w.patchAfter(patch)[0].AfterData))
	w.apply(patch, span("f", AfterSide, 3, 5))
	require.Equal(t, "1\n2\nC\nD\nE\n5\n", w.read("f"))
	w.apply(patch, all)
	require.Equal(t, want, w.read("f"))
}

func TestPatchMovedAndMerged(t *testing.T) {
	base := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"
	w := newTree(t, "f", base)
	w.write("f", strings.Replace(strings.Replace(base, "3\n", "three\n", 1), "10\n", "ten\n", 1))
	patch := w.git("diff")
	plain := patch[strings.Index(patch, "---"):]

	w.write("f", "new\nlines\n"+base)
	require.Equal(t, PatchExact, w.patchAfter(plain)[0].State)
	require.Contains(t, string(w.patchAfter(plain)[0].AfterData), "2\nthree\n4\n")

	// Context that changed: the version the patch names is known.
	w.write("f", strings.Replace(base, "1\n", "one\n", 1))
	require.Equal(t, PatchMerged, w.patchAfter(patch)[0].State)
	w.apply(patch, all)
	require.Equal(t, "one\n2\nthree\n4\n5\n6\n7\n8\n9\nten\n11\n12\n", w.read("f"))
	w.undo("")

	// One hunk cannot be merged: the other is applied, and no markers are written.
	w.write("f", strings.Replace(base, "3\n", "drei\n", 1))
	res := w.patchAfter(patch)[0]
	require.Equal(t, PatchPartial, res.State)
	require.Equal(t, []PatchProblem{{Hunk: 0, Line: 2, Reason: `line 3 is "drei", where the patch expects "3"`}}, res.Problems)
	out := w.apply(patch, all)
	require.Equal(t, []string{`f: hunk 1 of 1: line 3 is "drei", where the patch expects "3"`}, out.Skipped)
	require.Equal(t, strings.Replace(strings.Replace(base, "3\n", "drei\n", 1), "10\n", "ten\n", 1), w.read("f"))

	w.write("f", "nothing like it\n")
	require.Equal(t, PatchFailed, w.patchAfter(patch)[0].State)
	_, err := w.repo.ApplyPatch(t.Context(), parse(t, patch), all)
	require.ErrorIs(t, err, ErrConflict)
	require.Equal(t, "nothing like it\n", w.read("f"))
	w.remove("f")
	require.Contains(t, w.patchAfter(patch)[0].Problems[0].Reason, "there is no file f")
}

func TestPatchLineEnds(t *testing.T) {
	w := newTree(t, "dos", "a\r\nb\r\nc\r\n", "unix", "a\nb\nc\n")
	hunk := "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+x\n c\n"
	w.apply("--- a/dos\n+++ b/dos\n"+hunk, all)
	require.Equal(t, "a\r\nB\r\nx\r\nc\r\n", w.read("dos"))
	w.apply(strings.ReplaceAll("--- a/unix\n+++ b/unix\n"+hunk, "\n", "\r\n"), all)
	require.Equal(t, "a\nB\nx\nc\n", w.read("unix"))
	w.undo("")
	// A diff cut off behind its last line, as models write them.
	w.apply("--- a/unix\n+++ b/unix\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c", all)
	require.Equal(t, "a\nB\nc\n", w.read("unix"))
	w.apply("--- a/unix\n+++ b/unix\n@@ -3 +3 @@\n-c\n+c\n\\ No newline at end of file\n", all)
	require.Equal(t, "a\nB\nc", w.read("unix"))
	// New files are checked out as git would.
	w.write(".gitattributes", "*.bat eol=crlf\n")
	w.apply("--- /dev/null\n+++ b/x.bat\n@@ -0,0 +1,2 @@\n+a\n+b\n", all)
	require.Equal(t, "a\r\nb\r\n", w.read("x.bat"))
}

func TestPatchThroughLinks(t *testing.T) {
	hunk := "@@ -1 +1 @@\n-a\n+b\n"
	w := newTree(t, "real/f", "a\n", "x", "a\n")
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(w.dir, "out")))
	require.NoError(t, os.Symlink("real", filepath.Join(w.dir, "in")))
	for _, p := range []string{"--- /dev/null\n+++ b/out/f\n@@ -0,0 +1 @@\n+a\n", "--- a/in/f\n+++ b/in/f\n" + hunk} {
		res := w.patchAfter(p)
		require.Equal(t, PatchFailed, res[0].State)
		require.Contains(t, res[0].Problems[0].Reason, "symbolic link")
		_, err := w.repo.ApplyPatch(t.Context(), parse(t, p), all)
		require.ErrorIs(t, err, ErrConflict)
	}
	require.NoFileExists(t, filepath.Join(outside, "f"))
	res := w.patchAfter("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n")
	require.Contains(t, res[0].Problems[0].Reason, "exists already")
	res = w.patchAfter("diff --git a/x b/x\nindex 123..456 100644\nBinary files a/x and b/x differ\n")
	require.Equal(t, PatchFailed, res[0].State)
}

// Diffs that were not made by git lack its extended headers: a deletion is none
// that leaves an empty file.
func TestPatchWithoutExtendedHeaders(t *testing.T) {
	w := newTree(t, "x", "a\nb\n")
	patch := "diff --git a/x b/x\n--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n" +
		"diff --git a/new b/new\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n" +
		"diff --git a/end  b/end \nnew file mode 100644\n--- /dev/null\n+++ b/end \t\n@@ -0,0 +1 @@\n+e\n"
	_, err := w.repo.ApplyPatch(t.Context(), parse(t, patch), all)
	require.NoError(t, err)
	require.False(t, w.exists("x"))
	require.Equal(t, "n\n", w.read("new"))
	require.Equal(t, "e\n", w.read("end "))
}

// Without lines around it, a place is a number; in a file that was written since
// the patch was made, the number is wrong.
func TestPatchWithoutContext(t *testing.T) {
	const add = "--- a/x\n+++ b/x\n@@ -2,0 +3 @@\n+NEW\n"
	w := newTree(t, "x", "a\nb\nc\nd\n")
	w.write("x", "0\n1\n2\na\nb\nc\nd\n", "y", "1\n2\n3\n")
	_, err := w.repo.ApplyPatch(t.Context(), parse(t, add), all)
	require.NoError(t, err)
	require.Equal(t, "0\n1\n2\na\nb\nNEW\nc\nd\n", w.read("x"), "it fits what is committed")

	res := w.patchAfter(strings.ReplaceAll(add, "x", "y"))
	require.Equal(t, PatchFailed, res[0].State, "what y was is not known")
	require.Contains(t, res[0].Problems[0].Reason, "make the diff with context")
	res = w.patchAfter(strings.Replace(strings.ReplaceAll(add, "x", "y"), "-2,0 +3", "-0,0 +1", 1))
	require.Equal(t, "NEW\n1\n2\n3\n", string(res[0].AfterData), "the first line is no matter of counting")

	// The same line somewhere else is not the change.
	res = w.patchAfter("--- a/y\n+++ b/y\n@@ -1 +1 @@\n-foo\n+3\n")
	require.Equal(t, PatchFailed, res[0].State)
}
