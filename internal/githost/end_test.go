//go:build unix

package githost

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/store"
)

// The last comment before an editor quits is kept, though nobody waits for its
// echo.
func TestLastWords(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	for i := range 8 {
		h, stop := w.startHost(brief)
		c := connect(t, h)
		id := fmt.Sprint("last", i)
		c.dispatch(h.names.Annotations, 1, set(note(id)))
		c.ws.CloseNow()
		stop()
		h, stop = w.startHost(brief)
		require.NotNil(t, h.state.Kept().Annotation(id))
		stop()
	}
}

// An operation that runs when the host ends is not cut off in the middle.
func TestEndInTheMiddleOfAnOperation(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	w.write("a.txt", "2\n")
	gate := filepath.Join(w.root, ".git", "gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	hook := filepath.Join(w.root, ".git", "hooks", "pre-commit")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\ncat .git/gate\n"), 0o755))
	h, stop := w.startHost(brief)
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	c.send(map[string]any{"id": 77, "method": "invokeChangesetOperation", "params": map[string]any{
		"channel": m.uri, "operationId": "commit", "_meta": map[string]any{"ahp-lsp.commitMessage": "slow"},
	}})
	require.Contains(t, string(c.action(m.uri, "changeset/operationStatusChanged").Action.Raw), "running")
	e := c.refused("invokeChangesetOperation", map[string]any{"channel": m.uri, "operationId": "commit"})
	require.Contains(t, e.Message, "is running")
	// The hook has begun when somebody reads there.
	f, err := os.OpenFile(gate, os.O_WRONLY, 0)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() { defer close(ended); stop() }()
	<-h.ctx.Done()
	require.NoError(t, f.Close())
	await(t, ended)
	require.Equal(t, "slow", w.git("log", "-1", "--format=%s"))
}

func TestChangesetThatCannotBeComputed(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	w.write("a.txt", "another size\n") // an index that is put back looks newer than the file
	h := w.host()
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	index, err := os.ReadFile(w.path(".git/index"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.path(".git/index"), []byte("rubbish that is no index at all"), 0o644))
	s := m.until("an error", func(s *ahp.Changeset) bool { return s.Status == ahp.ChangesetError })
	require.NotEmpty(t, s.Error.Message)
	require.Len(t, s.Files(), 1, "what was known stays")
	require.NoError(t, os.WriteFile(w.path(".git/index"), index, 0o644))
	m.files(w, "a.txt")
}

func TestUnreadableProposalIsTold(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	dir := store.PatchsetDir(h.repo)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.json"), []byte("{"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600))
	store.Poke(h.repo, store.PokePatchsets)
	require.Contains(t, string(c.action(h.names.Session, "session/metaChanged").Action.Raw), "bad.json cannot be read")
	require.Contains(t, string(c.action(h.names.Session, "session/metaChanged").Action.Raw), "pipe.json is a named pipe")
}

// A client that does not read is cut off, and costs no more than so much.
func TestClientThatDoesNotRead(t *testing.T) {
	h := newTree(t).host(brief, func(o *Options) { o.Log = commonlog.MOCK_LOGGER })
	ctx, cut := context.WithCancel(context.Background())
	p := &peer{h: h, ctx: ctx, cut: cut, out: newOutgoing()}
	for range maxQueued/(1<<20) + 1 {
		p.send(frame{data: make([]byte, 1<<20)})
	}
	require.Error(t, ctx.Err())
	require.LessOrEqual(t, len(p.out.frames), maxQueued>>20)
}

// Own waits for the owner to go.
func TestOwn(t *testing.T) {
	w, dir := newTree(t), socketDir(t)
	first, second := w.serve(dir), w.serve(dir)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	owned := make(chan error, 1)
	go func() { owned <- second.Own(ctx) }()
	require.NoError(t, first.Close())
	require.NoError(t, <-owned)
	require.NotNil(t, second.Owner())
	ctx2, cancel2 := context.WithCancel(context.Background())
	cancel2()
	third := w.serve(dir)
	require.ErrorIs(t, third.Own(ctx2), context.Canceled)
}
