package gitcmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/githost/gitrepo/fault"
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

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return string(out)
}

// newRepo is a repository with one commit, and a Runner for it.
func newRepo(t testing.TB) *Runner {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git(t, dir, "init", "-q", "-b", "main")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("1\n"), 0o666))
	git(t, dir, "add", "f")
	git(t, dir, "commit", "-qm", "one")
	r := &Runner{MaxObject: 1 << 20}
	require.NoError(t, r.Locate(t.Context(), dir))
	t.Cleanup(func() { r.Close() })
	return r
}

func TestErrorsAreTold(t *testing.T) {
	for text, kind := range map[string]error{
		"fatal: Unable to create '/x/.git/index.lock': File exists.": fault.ErrIndexLocked,
		"error: write failed: No space left on device":               fault.ErrNoSpace,
		"sha1 file 'x' write error. Out of diskspace":                fault.ErrNoSpace,
		"error: could not open x: Read-only file system":             fault.ErrReadOnly,
		"fatal: not a git repository: '/x/.git'":                     fault.ErrNotRepository,
	} {
		require.ErrorIs(t, &Error{Verb: "x", Stderr: text, Kind: kindOf(text)}, kind)
	}
	for errno, kind := range map[syscall.Errno]error{syscall.ENOSPC: fault.ErrNoSpace, syscall.EDQUOT: fault.ErrNoSpace, syscall.EROFS: fault.ErrReadOnly, syscall.EACCES: fault.ErrReadOnly} {
		err := fault.Classify(fmt.Errorf("write x: %w", errno))
		require.ErrorIs(t, err, kind)
		require.ErrorIs(t, err, errno)
	}
	require.Equal(t, "a; b", tidy("hint: no\nfatal: a\n\nwarning: w\nerror: b\n"))
}

// Someone ends the process that reads objects: the next call starts another.
func TestBlobAfterTheProcessHasGone(t *testing.T) {
	r := newRepo(t)
	id := strings.TrimSpace(git(t, r.Root, "rev-parse", "HEAD:f"))
	for range 2 {
		data, err := r.Blob(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "1\n", string(data))
		r.batch.mu.Lock()
		require.NoError(t, r.batch.cmd.Process.Kill())
		r.batch.mu.Unlock()
	}
}
