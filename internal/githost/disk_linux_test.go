package githost

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// ownMounts runs a test again in a process with file systems of its own, where
// even an ordinary user may mount one. In that process it returns a function
// that does; in the first one it returns nil when the other has passed.
func ownMounts(t *testing.T) func(options string) string {
	t.Helper()
	const marker = "GITHOST_OWN_MOUNTS"
	if os.Getenv(marker) == t.Name() {
		return func(options string) string {
			t.Helper()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
				notHere(t, "a file system cannot be mounted here: %v", err)
			}
			t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
			return dir
		}
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), marker+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		notHere(t, "a process with file systems of its own cannot be started here: %v", err)
	}
	require.NoError(t, err, "%s", out)
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
	t.Logf("%s", out)
	return nil
}

// notHere leaves a test out, loudly; where every test is required it fails.
func notHere(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("AHP_E2E") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// treeAt is a repository with one commit on another file system.
func treeAt(t *testing.T, dir string) *tree {
	t.Helper()
	w := &tree{t, filepath.Join(dir, "demo")}
	require.NoError(t, os.Mkdir(w.root, 0o755))
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "Ada")
	w.git("config", "user.email", "ada@example.org")
	w.git("config", "gc.auto", "0")
	w.write("a.txt", nineLines)
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	return w
}

// longNote is an annotation that needs room of its own on the disk.
func longNote(id string, w *tree) map[string]any {
	a := note(id, "resource", w.uri("a.txt"))
	a["entries"] = []any{map[string]any{"id": "e", "text": strings.Repeat("a long comment ", 10_000)}}
	return set(a)
}

// On a disk without room everything is shown, what cannot be kept is refused and
// says why, and no file is left half written. With room it all works again.
func TestFullDisk(t *testing.T) {
	mount := ownMounts(t)
	if mount == nil {
		return
	}
	dir := mount("size=6m")
	w := treeAt(t, dir)
	changed := strings.Replace(nineLines, "5", "five", 1)
	w.write("a.txt", changed)
	h, stop := w.startHost(brief)
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	c.dispatch(h.names.Annotations, 1, set(note("kept", "resource", w.uri("a.txt"))))
	require.Empty(t, c.action(h.names.Annotations, "annotations/set").RejectionReason)

	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	before := filesBelow(t, dir)
	c.dispatch(h.names.Annotations, 2, longNote("lost", w))
	require.Contains(t, c.action(h.names.Annotations, "annotations/set").RejectionReason, "no space left on device")
	index, err := os.ReadFile(w.path(".git/index"))
	require.NoError(t, err)
	for _, op := range []string{"revert", "stage"} {
		e := c.refused("invokeChangesetOperation", map[string]any{"channel": m.uri, "operationId": op})
		require.Contains(t, e.Message, "free some disk space or quota and try again", op)
		require.Equal(t, changed, w.read("a.txt"), op)
	}
	_, err = StartTurn(t.Context(), h.repo, "Turn", "")
	require.ErrorIs(t, err, gitrepo.ErrNoSpace)
	now, err := os.ReadFile(w.path(".git/index"))
	require.NoError(t, err)
	require.Equal(t, index, now)
	require.Subset(t, before, withoutObjects(filesBelow(t, dir)), "nothing is left behind")
	require.Empty(t, w.refs("refs/ahp/"))
	m.files(w, "a.txt")

	require.NoError(t, os.Remove(filler))
	c.dispatch(h.names.Annotations, 3, longNote("late", w))
	require.Empty(t, c.action(h.names.Annotations, "annotations/set").RejectionReason)
	m.invoke("revert", nil)
	require.Equal(t, nineLines, w.read("a.txt"))
	m.invoke("undo", nil)
	require.Equal(t, changed, w.read("a.txt"))
	stop()
	h = w.host(brief)
	s, err := ahp.DecodeAnnotations(connect(t, h).subscribe(h.names.Annotations))
	require.NoError(t, err)
	require.NotNil(t, s.Get("kept"))
	require.NotNil(t, s.Get("late"))
	require.Equal(t, 2, s.Len())
}

// fill leaves no room on the disk that a file is on.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	require.NoError(t, err)
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Close())
}

// filesBelow are the names of all files below a folder.
func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	}))
	return names
}

// withoutObjects leaves out what git's garbage collection takes care of.
func withoutObjects(names []string) (rest []string) {
	for _, n := range names {
		if !strings.Contains(n, "/.git/objects/") {
			rest = append(rest, n)
		}
	}
	return rest
}

// A repository on a disk that cannot be written is shown with its comments, and
// what would write is refused and says why.
func TestReadOnlyFileSystem(t *testing.T) {
	mount := ownMounts(t)
	if mount == nil {
		return
	}
	dir := mount("size=6m")
	w := treeAt(t, dir)
	w.write("a.txt", "changed\n")
	h, stop := w.startHost(brief)
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	c.dispatch(h.names.Annotations, 1, set(note("kept", "resource", w.uri("a.txt"))))
	require.Empty(t, c.action(h.names.Annotations, "annotations/set").RejectionReason)
	stop()
	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))

	s, err := Serve(context.Background(), w.repo(), Options{Dir: socketDir(t), Log: testLog(t)})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	c = attach(t, s)
	h = s.Owner()
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	list, err := ahp.DecodeAnnotations(c.subscribe(h.names.Annotations))
	require.NoError(t, err)
	require.NotNil(t, list.Get("kept"))
	c.dispatch(h.names.Annotations, 2, set(note("lost", "resource", w.uri("a.txt"))))
	require.Contains(t, c.action(h.names.Annotations, "annotations/set").RejectionReason, "read-only file system")
	for _, op := range []string{"revert", "stage", "commit"} {
		e := c.refused("invokeChangesetOperation", map[string]any{"channel": m.uri, "operationId": op, "_meta": map[string]any{"ahp-lsp.commitMessage": "m"}})
		require.Contains(t, strings.ToLower(e.Message), "read-only", op)
	}
	require.Equal(t, "changed\n", w.read("a.txt"))
}
