package githost

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/store"
)

func titleOf(c *client, h *Host) string {
	s, err := ahp.DecodeSession(c.subscribe(h.names.Session))
	require.NoError(c.t, err)
	return s.Title
}

func TestUnbornBranch(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &tree{t, root}
	w.git("init", "-q", "-b", "trunk")
	w.git("config", "user.name", "Ada")
	w.git("config", "user.email", "ada@example.org")
	w.write("a.txt", "1\n")
	h := w.host()
	c := connect(t, h)
	require.Equal(t, filepath.Base(root)+" · trunk (no commits yet)", titleOf(c, h))
	for _, kind := range []string{"uncommitted", "branch"} {
		c.mirror(h.names.Session+"/changeset/"+kind).files(w, "a.txt")
	}
	staged := c.mirror(h.names.Session + "/changeset/staged")
	staged.files(w)
	w.git("add", "a.txt")
	staged.files(w, "a.txt")
	c.subscribe(h.names.Annotations)
	c.dispatch(h.names.Annotations, 1, set(note("a", "resource", w.uri("a.txt"))))
	require.Empty(t, c.action(h.names.Annotations, "annotations/set").RejectionReason)
	w.git("commit", "-q", "-m", "first")
	staged.files(w)
	require.Contains(t, string(c.action(h.names.Session, "session/titleChanged").Action.Raw), "· trunk")
}

func TestMergeInProgress(t *testing.T) {
	w := newTree(t, "a.txt", "0\n")
	w.git("switch", "-q", "-c", "side")
	w.write("a.txt", "side\n")
	w.git("commit", "-q", "-am", "side")
	w.git("switch", "-q", "main")
	w.write("a.txt", "main\n")
	w.git("commit", "-q", "-am", "main")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w)
	merge := exec.Command("git", "-C", w.root, "merge", "-q", "side")
	require.Error(t, merge.Run())
	require.Contains(t, string(c.action(h.names.Session, "session/titleChanged").Action.Raw), "demo · main (merge in progress)")
	s := m.files(w, "a.txt")
	raw, err := ahp.Marshal(s.File(w.uri("a.txt")))
	require.NoError(t, err)
	require.Contains(t, string(raw), `"conflict":true`)
	w.git("merge", "--abort")
	m.files(w)
}

// A rebase that stopped at a conflict: HEAD is detached, and is not where the
// branch is.
func TestRebaseInProgress(t *testing.T) {
	w := newTree(t, "a.txt", "0\n", "b.txt", "0\n")
	w.git("switch", "-q", "-c", "side")
	w.write("a.txt", "side\n")
	w.git("commit", "-q", "-am", "side")
	w.git("switch", "-q", "main")
	w.write("a.txt", "main\n")
	w.git("commit", "-q", "-am", "main")
	w.git("switch", "-q", "side")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w)
	rebase := exec.Command("git", "-C", w.root, "rebase", "-q", "main")
	require.Error(t, rebase.Run())
	onto := w.git("rev-parse", "main")
	c.until("the title", func() bool {
		return strings.Contains(titleNow(h), "demo · detached at "+onto[:8]+" (rebase in progress)")
	})
	s := m.files(w, "a.txt")
	raw, err := ahp.Marshal(s.File(w.uri("a.txt")))
	require.NoError(t, err)
	require.Contains(t, string(raw), `"conflict":true`)
	// Other files are not held up by it, and a conflict is not staged by mistake.
	w.write("b.txt", "mine\n")
	m.files(w, "a.txt", "b.txt")
	e := m.fails("stage", onFile(w.uri("a.txt")))
	require.Contains(t, e.Message, "resolve it")
	m.invoke("stage", onFile(w.uri("b.txt")))
	m.invoke("revert", onFile(w.uri("b.txt")))
	require.Equal(t, "0\n", w.read("b.txt"))
	m.files(w, "a.txt")
	w.git("rebase", "--abort")
	m.files(w)
	c.until("the title", func() bool { return strings.HasSuffix(titleNow(h), "demo · side") })
}

func titleNow(h *Host) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state.Summary()["title"].(string)
}

// A file of 2 GB is listed and left alone: it is not read to be compared, not
// destroyed by what could not be taken back, and not recorded.
func TestHugeFileAmongTheChanges(t *testing.T) {
	w := newTree(t, "a.txt", "1\n", "was-small", "1\n")
	w.write("a.txt", "2\n")
	for _, name := range []string{"huge", "was-small"} {
		f, err := os.OpenFile(w.path(name), os.O_CREATE|os.O_WRONLY, 0o644)
		require.NoError(t, err)
		require.NoError(t, f.Truncate(2<<30)) // takes no room
		require.NoError(t, f.Close())
	}
	h := w.host(brief)
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	s := m.files(w, "a.txt", "huge", "was-small")
	for _, name := range []string{"huge", "was-small"} {
		require.Equal(t, "application/octet-stream", s.File(w.uri(name)).After.Content.ContentType)
	}
	said := m.invoke("revert", nil)
	require.Contains(t, said, "huge: ")
	require.Contains(t, said, "2.0 GiB, and at most 256.0 MiB are kept for undo")
	require.Equal(t, "1\n", w.read("a.txt"))
	for _, name := range []string{"huge", "was-small"} {
		info, err := os.Stat(w.path(name))
		require.NoError(t, err)
		require.EqualValues(t, 2<<30, info.Size(), name)
	}
	turn, err := StartTurn(t.Context(), h.repo, "Turn", "")
	require.NoError(t, err)
	commit := store.TurnRef(h.repo, turn.ID, "start")
	require.Contains(t, w.recorded("log", "-1", "--format=%B", commit), "huge: it has 2.0 GiB")
	require.Equal(t, "1", w.recorded("show", commit+":was-small"), "the last that is known")
	// And no turn is guessed from it.
	_, _, err = h.work.scan.Checkpoint(t.Context(), store.TurnRef(h.repo, "guess", "start"), "x", maxGuessed)
	require.ErrorIs(t, err, gitrepo.ErrTooLarge)
}

func TestNoWorkTree(t *testing.T) {
	ctx := context.Background()
	_, err := gitrepo.Open(ctx, t.TempDir())
	require.ErrorIs(t, err, gitrepo.ErrNotRepository)
	bare := t.TempDir()
	require.NoError(t, exec.Command("git", "init", "-q", "--bare", bare).Run())
	_, err = gitrepo.Open(ctx, bare)
	require.ErrorIs(t, err, gitrepo.ErrBare)
}

// Special files are what they are: shown, and never followed.
func TestSpecialFiles(t *testing.T) {
	w := newTree(t, "a.txt", "1\n", "text.txt", "x\n")
	require.NoError(t, os.Symlink("a.txt", w.path("link")))
	w.write("bin", "a\x00b")
	w.write("latin.txt", "caf\xe9\n")
	w.write("crlf.txt", "1\r\n2\r\n")
	w.write("sp ace/ü%.txt", "odd\n")
	h := w.host(brief)
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	s := m.files(w, "link", "bin", "latin.txt", "crlf.txt", "sp ace/ü%.txt")
	require.Equal(t, "a.txt", c.content(s.File(w.uri("link")).After.Content.URI))
	require.Equal(t, "application/octet-stream", s.File(w.uri("bin")).After.Content.ContentType)
	require.Equal(t, "1\r\n2\r\n", c.content(s.File(w.uri("crlf.txt")).After.Content.URI))
	var r ahp.ResourceReadResult
	c.result("resourceRead", map[string]any{"channel": ahp.RootURI, "uri": s.File(w.uri("latin.txt")).After.Content.URI}, &r)
	require.Equal(t, "base64", r.Encoding)
	m.invoke("revert", nil)
	m.files(w)
	require.NoFileExists(t, w.path("link"))
	m.offers("undo", true)
	m.invoke("undo", nil)
	m.files(w, "link", "bin", "latin.txt", "crlf.txt", "sp ace/ü%.txt")
	require.Equal(t, "caf\xe9\n", w.read("latin.txt"))
}
