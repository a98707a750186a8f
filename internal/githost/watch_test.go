package githost

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/disk"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
	"ahp-lsp/internal/githost/wire"
)

func TestChangesOnDisk(t *testing.T) {
	w := newTree(t, "a.txt", "1\n", "dir/b.txt", "1\n", ".gitignore", "*.log\nout/\n")
	h := w.host()
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w)
	w.write("a.txt", "2\n")
	m.files(w, "a.txt")
	w.write("new.txt", "new\n")
	m.files(w, "a.txt", "new.txt")
	// A directory that did not exist, and one below it, before they are watched.
	w.write("deep/er/still/c.txt", "c\n")
	m.files(w, "a.txt", "new.txt", "deep/er/still/c.txt")
	w.write("deep/er/still/d.txt", "d\n")
	m.files(w, "a.txt", "new.txt", "deep/er/still/c.txt", "deep/er/still/d.txt")
	require.NoError(t, os.RemoveAll(w.path("deep")))
	m.files(w, "a.txt", "new.txt")
	w.write("deep/er/e.txt", "e\n") // it came back
	m.files(w, "a.txt", "new.txt", "deep/er/e.txt")
	w.write("deep/er/e.txt", "e2\n")
	f := m.state.File(w.uri("deep/er/e.txt")).After.Content.Nonce
	m.until("the second version", func(s *ahp.Changeset) bool { return s.File(w.uri("deep/er/e.txt")).After.Content.Nonce != f })
	require.NoError(t, os.Rename(w.path("dir/b.txt"), w.path("dir/moved.txt")))
	m.until("a rename", func(s *ahp.Changeset) bool {
		f := s.File(w.uri("dir/moved.txt"))
		return f != nil && f.Before != nil && f.Before.URI == w.uri("dir/b.txt")
	})
	require.NoError(t, os.Chmod(w.path("a.txt"), 0o755))
	m.until("a mode", func(s *ahp.Changeset) bool {
		raw, _ := ahp.Marshal(s.File(w.uri("a.txt")))
		return wire.Parse(wire.Parse(wire.Parse(raw)["_meta"])[session.MetaKey])["mode"] != nil
	})
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "two")
	m.files(w)
	// A rule that takes back what it said.
	w.write("x.log", "x\n")
	w.write("out/y.txt", "y\n")
	w.write(".gitignore", "out/\n")
	m.files(w, ".gitignore", "x.log")
	w.write("x.log", "x2\n")
	before := m.state.File(w.uri("x.log")).After.Content.Nonce
	m.until("the log's second version", func(s *ahp.Changeset) bool { return s.File(w.uri("x.log")).After.Content.Nonce != before })
}

// Folders come, go and take each other's names, and what is written in them is
// still seen where it is.
func TestFoldersThatMove(t *testing.T) {
	w := newTree(t, "one/in/a.txt", "1\n", "two/b.txt", "1\n")
	h := w.host()
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w)
	content := func(name, want string) {
		t.Helper()
		w.write(name, want)
		m.until(name, func(s *ahp.Changeset) bool {
			f := s.File(w.uri(name))
			return f != nil && f.After != nil && f.After.Content.Nonce == disk.Hash([]byte(want))
		})
	}
	move := func(from, to string) {
		t.Helper()
		require.NoError(t, os.Rename(w.path(from), w.path(to)))
	}
	content("one/in/a.txt", "2\n")
	move("one", "moved")
	m.until("the move", func(s *ahp.Changeset) bool { return s.File(w.uri("moved/in/a.txt")) != nil })
	content("moved/in/a.txt", "3\n")
	content("moved/in/new.txt", "n\n")
	// They change places.
	move("moved", "between")
	move("two", "moved")
	move("between", "two")
	m.files(w, "one/in/a.txt", "moved/b.txt", "two/in/a.txt", "two/in/new.txt")
	content("moved/b.txt", "2\n")
	content("two/in/a.txt", "4\n")
}

// The title, the metadata and the staged changes follow git commands.
func TestGitCommands(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	c.subscribe(ahp.RootURI)
	staged, branch := c.mirror(h.names.Session+"/changeset/staged"), c.mirror(h.names.Session+"/changeset/branch")
	staged.files(w)
	w.write("a.txt", "2\n")
	w.git("add", "a.txt")
	staged.files(w, "a.txt")
	w.git("switch", "-q", "-c", "topic/one")
	require.Contains(t, string(c.action(h.names.Session, "session/titleChanged").Action.Raw), "demo · topic/one")
	w.git("commit", "-q", "-m", "two")
	staged.files(w)
	branch.files(w, "a.txt")
	w.git("checkout", "-q", "--detach", "HEAD")
	require.Contains(t, string(c.action(h.names.Session, "session/titleChanged").Action.Raw), "demo · detached at "+w.git("rev-parse", "HEAD")[:8])
	w.git("switch", "-q", "main")
	require.Contains(t, string(c.action(h.names.Session, "session/titleChanged").Action.Raw), "demo · main")
}

// More files than are worth telling one by one.
func TestManyFilesAtOnce(t *testing.T) {
	w := newTree(t)
	h := w.host()
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w)
	m.kinds = nil
	var names []string
	for i := range 3 * manyFiles {
		names = append(names, fmt.Sprintf("f%02d.txt", i))
		w.write(names[i], "x\n")
	}
	m.files(w, names...)
	require.Contains(t, m.kinds, "changeset/contentChanged")
	require.Less(t, len(m.kinds), len(names))
}

// Nothing is told that is not different, and nothing happens that nobody wants.
func TestIdleHostIsSilent(t *testing.T) {
	w := newTree(t, "a.txt", "1\n", ".gitignore", "*.log\n")
	w.write("a.txt", "2\n")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	seq := func() int64 {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.hub.seq
	}
	quiet := seq()
	w.git("status")                                                         // may write the index
	w.write("x.log", "ignored\n")                                           // ignored
	require.NoError(t, os.WriteFile(w.path("a.txt"), []byte("2\n"), 0o644)) // the same again
	w.write("b.txt", "b\n")
	m.files(w, "a.txt", "b.txt")
	require.Equal(t, quiet+1, seq(), "one file is new, and nothing else is told")
}

func TestPollingWhereWatchesRunOut(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host(func(o *Options) { o.Brief, o.PollEvery = true, 20*time.Millisecond })
	pw := newWatcher(h) // without any watches
	pw.startPolling(fmt.Errorf("no space left on device"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-pw.every.C:
				pw.pollOnce()
			case <-h.ctx.Done():
				pw.every.Stop()
				return
			}
		}
	}()
	t.Cleanup(func() { <-done })
	t.Cleanup(func() { h.Close() })
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w)
	w.write("a.txt", "2\n")
	m.files(w, "a.txt")
}

func TestWhatGitsOwnFilesAreAbout(t *testing.T) {
	for rel, want := range map[string]session.Dirty{
		"index": {Index: true}, "HEAD": {Head: true}, "refs/heads/topic/x": {Head: true}, "packed-refs": {Head: true},
		"ahp/poke-turns": {Turns: true}, "ahp/poke-patchsets": {Patchsets: true}, "info/exclude": {WorkTree: true}, "info/attributes": {WorkTree: true}, "logs/HEAD": {Head: true},
		"index.lock": {}, "refs/heads/x.lock": {}, "objects/ab": {}, "refs/ahp/turn": {}, "COMMIT_EDITMSG": {}, "ahp/annotations.jsonl": {}, "": {},
	} {
		require.Equal(t, want, gitPart(rel), rel)
	}
}

func TestLinkedWorkTree(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	linked := &tree{t, filepath.Join(filepath.Dir(w.root), "linked")}
	w.git("worktree", "add", "-q", "-b", "side", linked.root)
	h := linked.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	c.subscribe(h.names.Annotations)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(linked)
	linked.write("a.txt", "2\n")
	m.files(linked, "a.txt")
	linked.git("commit", "-q", "-am", "two")
	m.files(linked)
	c.dispatch(h.names.Annotations, 1, set(note("a", "resource", linked.uri("a.txt"))))
	c.action(h.names.Annotations, "annotations/set")
	require.FileExists(t, filepath.Join(w.root, ".git", "ahp", "annotations-linked.jsonl"))
	linked.git("switch", "-q", "-c", "other")
	require.Contains(t, string(c.action(h.names.Session, "session/titleChanged").Action.Raw), "linked · other")
}

// What a command has left before its folder was watched is found when everything
// is: nothing says that it was missed.
func TestWhatCameBeforeTheWatch(t *testing.T) {
	other := newTree(t, "a.txt", nineLines)
	_, err := ImportPatchSet(t.Context(), other.repo(), other.file("fix.patch", proposedDiff), "")
	require.NoError(t, err)

	w := newTree(t, "a.txt", nineLines)
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	// Behind the watch's back: it is told of the folder, not of what is in it.
	require.NoError(t, os.CopyFS(store.PatchsetDir(h.repo), os.DirFS(store.PatchsetDir(other.repo()))))
	h.watch.catchUp()
	e := c.action(h.names.Session, "session/changesetsChanged")
	require.Contains(t, string(e.Action.Raw), "Proposal: fix")
}
