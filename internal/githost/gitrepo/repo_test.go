package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain keeps the tests away from the user's git configuration.
func TestMain(m *testing.M) {
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, k := range []string{"AUTHOR", "COMMITTER"} {
		os.Setenv("GIT_"+k+"_NAME", "A U Thor")
		os.Setenv("GIT_"+k+"_EMAIL", "author@example.com")
	}
	os.Exit(m.Run())
}

// tree is a work tree under test.
type tree struct {
	t    testing.TB
	dir  string
	repo *Repo
}

// newTree makes a repository with the files committed: path, content pairs.
func newTree(t testing.TB, files ...string) *tree {
	t.Helper()
	w := emptyTree(t)
	w.write(files...)
	w.git("add", "-A")
	w.git("commit", "-qm", "first", "--allow-empty")
	return w
}

func emptyTree(t testing.TB) *tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &tree{t: t, dir: dir}
	w.git("init", "-q", "-b", "main")
	w.git("config", "gc.auto", "0") // it would go on behind the test's back
	w.open()
	return w
}

func (w *tree) open() *Repo {
	r, err := Open(w.t.Context(), w.dir, Trust(func(string, string) bool { return true }))
	require.NoError(w.t, err)
	w.repo = r
	w.t.Cleanup(func() { r.Close() })
	return r
}

func (w *tree) git(args ...string) string {
	w.t.Helper()
	return gitAt(w.t, w.dir, args...)
}

// recordsGit runs git in our own repository inside the git directory.
func (w *tree) recordsGit(args ...string) string {
	w.t.Helper()
	return gitAt(w.t, w.dir, append([]string{"--git-dir=" + w.repo.records.Dir()}, args...)...)
}

func gitAt(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}

func (w *tree) write(files ...string) {
	w.t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(w.dir, files[i])
		require.NoError(w.t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(w.t, os.WriteFile(name, []byte(files[i+1]), 0o666))
	}
}

func (w *tree) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, path))
	require.NoError(w.t, err)
	return string(data)
}

func (w *tree) remove(paths ...string) {
	w.t.Helper()
	for _, p := range paths {
		require.NoError(w.t, os.Remove(filepath.Join(w.dir, p)))
	}
}

func (w *tree) exists(path string) bool {
	_, err := os.Lstat(filepath.Join(w.dir, path))
	return err == nil
}

// staged is the content of the index at path.
func (w *tree) staged(path string) string { return w.git("show", ":"+path) }

func (w *tree) uncommitted() []FileDiff {
	w.t.Helper()
	files, err := w.repo.Uncommitted(w.t.Context())
	require.NoError(w.t, err)
	return files
}

// brief is a change in one line: kind old → new +added -removed.
func brief(files []FileDiff) []string {
	out := []string{}
	for _, f := range files {
		s := string(f.Kind) + " "
		if f.Before != nil && f.After != nil && f.Before.Path != f.After.Path {
			s += f.Before.Path + " → "
		}
		s += f.Path()
		if f.Binary {
			s += " binary"
		}
		if f.Added+f.Removed > 0 {
			s += " +" + itoa(f.Added) + " -" + itoa(f.Removed)
		}
		if f.Conflict {
			s += " conflict"
		}
		out = append(out, s)
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }

func one(path string) []Target { return []Target{{Path: path}} }

func span(path, side string, start, end int) []Target {
	return []Target{{Path: path, Range: &Range{Side: side, Start: start, End: end}}}
}

var all = []Target{{}}

var uncommittedTrees = Trees{Before: HEAD, After: WorkTree}

func gitFails(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	return string(out)
}
