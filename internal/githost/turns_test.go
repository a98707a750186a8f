package githost

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/disk"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

func TestAnnouncedTurns(t *testing.T) {
	w := newTree(t, "a.txt", "0\n")
	repo, ctx := w.repo(), context.Background()
	_, err := EndTurn(ctx, repo)
	require.ErrorContains(t, err, "no turn is in progress")
	w.write("a.txt", "user's own\n")
	one, err := StartTurn(ctx, repo, "Add\n  things ", "claude")
	require.NoError(t, err)
	require.Equal(t, "Add things", one.Title)
	w.write("a.txt", "one\n")
	w.write("new.txt", "new\n")
	_, err = EndTurn(ctx, repo)
	require.NoError(t, err)

	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	chat, err := ahp.DecodeChat(c.subscribe(h.names.Chat))
	require.NoError(t, err)
	require.Len(t, chat.Turns, 1)
	require.Equal(t, ahp.Turn{ID: one.ID, Text: "Add things", State: "complete", StartedAt: one.Started.UTC().Format("2006-01-02T15:04:05.000Z"), Usage: &ahp.Usage{}}, chat.Turns[0])
	turn := c.mirror(h.names.Session + "/changeset/turn/" + one.ID)
	s := turn.files(w, "a.txt", "new.txt")
	require.Equal(t, "user's own\n", c.content(s.File(w.uri("a.txt")).Before.Content.URI))
	require.Equal(t, "one\n", c.content(s.File(w.uri("a.txt")).After.Content.URI))
	require.Contains(t, s.File(w.uri("a.txt")).After.Content.URI, "git-blob:")

	// One that begins and ends while the host runs.
	two, err := StartTurn(ctx, repo, "Two", "")
	require.NoError(t, err)
	e := c.action(h.names.Chat, "chat/turnStarted")
	require.Contains(t, string(e.Action.Raw), two.ID)
	require.Contains(t, string(c.action(h.names.Session, "session/chatUpdated").Action.Raw), `"status":8`)
	running := c.mirror(h.names.Session + "/changeset/turn/" + two.ID)
	running.files(w)
	w.write("a.txt", "two\n")
	s = running.files(w, "a.txt")
	require.Equal(t, w.uri("a.txt"), s.File(w.uri("a.txt")).After.Content.URI, "while it runs, it is what is on disk")
	running.offers("revert", true)
	require.Nil(t, running.operation("revert-turn"))
	_, err = EndTurn(ctx, repo)
	require.NoError(t, err)
	c.action(h.names.Chat, "chat/turnComplete")
	running.offers("revert-turn", true)
	running.until("its end", func(s *ahp.Changeset) bool {
		return strings.HasPrefix(s.File(w.uri("a.txt")).After.Content.URI, "git-blob:")
	})
	compare := c.mirror(h.names.Session + "/changeset/compare/" + one.ID + "/" + two.ID)
	s = compare.files(w, "a.txt")
	require.Equal(t, "one\n", c.content(s.File(w.uri("a.txt")).Before.Content.URI))
	all := c.mirror(h.names.Session + "/changeset/session")
	s = all.files(w, "a.txt", "new.txt")
	require.Equal(t, "user's own\n", c.content(s.File(w.uri("a.txt")).Before.Content.URI))

	// A turn that was never ended ends where the next begins.
	_, err = StartTurn(ctx, repo, "Three", "")
	require.NoError(t, err)
	four, err := StartTurn(ctx, repo, "", "")
	require.NoError(t, err)
	turns, err := Turns(ctx, repo)
	require.NoError(t, err)
	require.Len(t, turns, 4)
	require.False(t, turns[2].Ended.IsZero())
	require.True(t, turns[3].Ended.IsZero())
	require.True(t, strings.HasPrefix(four.Title, "Turn at "))
	// Nothing of the user's has been touched.
	require.Equal(t, "M a.txt\n?? new.txt", w.git("status", "--porcelain"))
	require.Empty(t, w.git("stash", "list"))
}

// Turns belong to the work tree, wherever it is moved.
func TestTurnsAfterMove(t *testing.T) {
	w := newTree(t, "a.txt", "0\n")
	_, err := StartTurn(t.Context(), w.repo(), "One", "")
	require.NoError(t, err)
	require.NoError(t, os.Rename(w.root, w.root+"-2"))
	w.root += "-2"
	_, err = EndTurn(t.Context(), w.repo())
	require.NoError(t, err)
	turns, err := Turns(t.Context(), w.repo())
	require.NoError(t, err)
	require.Len(t, turns, 1)
	require.Equal(t, "One", turns[0].Title)
}

func TestRevertAndStashTurn(t *testing.T) {
	w := newTree(t, "a.txt", "0\n", "b.txt", "0\n")
	repo, ctx := w.repo(), context.Background()
	one, err := StartTurn(ctx, repo, "One", "")
	require.NoError(t, err)
	w.write("a.txt", "one\n")
	_, err = EndTurn(ctx, repo)
	require.NoError(t, err)
	w.write("b.txt", "user's own\n")
	h, stop := w.startHost()
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/turn/" + one.ID)
	m.files(w, "a.txt")
	require.Nil(t, m.operation("unstash-turn"))
	m.invoke("stash-turn", nil)
	require.Equal(t, "0\n", w.read("a.txt"))
	require.Equal(t, "user's own\n", w.read("b.txt"))
	m.offers("unstash-turn", true)
	stop()

	h = w.host()
	c = connect(t, h)
	m = c.mirror(h.names.Session + "/changeset/turn/" + one.ID)
	m.files(w, "a.txt")
	require.NotNil(t, m.operation("unstash-turn"), "it outlives the host")
	m.invoke("unstash-turn", nil)
	require.Equal(t, "one\n", w.read("a.txt"))
	m.offers("unstash-turn", false)
	require.Contains(t, m.operation("revert-turn").Confirmation.Value, "{0}")
	m.invoke("revert-turn", nil)
	require.Equal(t, "0\n", w.read("a.txt"))
	m.invoke("undo", nil)
	require.Equal(t, "one\n", w.read("a.txt"))
}

// A burst that nobody announced, end to end. The clock is the real one, and
// the test waits for what is told.
func TestGuessedTurnIsMarked(t *testing.T) {
	w := newTree(t, "a.txt", "0\n", "b.txt", "0\n")
	h, stop := w.startHost()
	c := connect(t, h)
	c.subscribe(h.names.Chat)
	base := h.waitForBase(t, "")
	// What an editor says it has saved is none.
	c.send(map[string]any{"method": "ahp-lsp/saved", "params": map[string]any{"channel": h.names.Session, "resources": []string{w.uri("b.txt")}}})
	w.write("b.txt", "mine\n")
	h.waitForBase(t, base)
	w.write("a.txt", "1\n")
	e := c.action(h.names.Chat, "chat/turnStarted")
	var a struct {
		TurnID  string
		Message struct {
			Text   string
			Origin struct{ Kind string }
			Meta   json.RawMessage `json:"_meta"`
		}
	}
	require.NoError(t, json.Unmarshal(e.Action.Raw, &a))
	require.Equal(t, "Guessed turn: a.txt", a.Message.Text)
	require.Equal(t, "systemNotification", a.Message.Origin.Kind)
	require.JSONEq(t, `{"ahp-lsp":{"guessed":true}}`, string(a.Message.Meta))
	m := c.mirror(h.names.Session + "/changeset/turn/" + a.TurnID)
	s := m.files(w, "a.txt")
	require.Equal(t, "0\n", c.content(s.File(w.uri("a.txt")).Before.Content.URI))
	// It ends when it has been quiet for long enough.
	h.mu.Lock()
	h.state.Guess().Quiet = 0
	h.mu.Unlock()
	h.work.wake()
	c.action(h.names.Chat, "chat/turnComplete")
	h.waitForBase(t, "")
	stop()

	h = w.host(brief)
	chat, err := ahp.DecodeChat(connect(t, h).subscribe(h.names.Chat))
	require.NoError(t, err)
	require.Len(t, chat.Turns, 1, "what was recorded for the next one is gone")
	require.Equal(t, "Guessed turn: a.txt", chat.Turns[0].Text)
	require.Equal(t, a.TurnID, chat.Turns[0].ID)
}

// An editor's saves are no turn, whether its word comes before the write, between
// the write and the disk's own word, or after that.
func TestSavedByAnEditor(t *testing.T) {
	w := newTree(t, "a.txt", "0\n", "b.txt", "0\n")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Chat)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w)
	saved := func(resources ...string) {
		t.Helper()
		c.send(map[string]any{"method": "ahp-lsp/saved", "params": map[string]any{"channel": h.names.Session, "resources": resources}})
	}
	// By another name of the work tree, and beside something that is not in it.
	other := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(w.root, other))
	elsewhere := "file:///nowhere/x.txt"
	base := h.waitForBase(t, "")
	waitFor := func(d time.Duration) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.state.Guess().Wait = d
	}
	waitFor(patience) // however slow this machine is
	for name, save := range map[string]func(content string){
		"before": func(content string) {
			saved(w.uri("b.txt"), elsewhere)
			h.waitForClaim(t, "b.txt")
			w.write("b.txt", content)
		},
		"between": func(content string) {
			w.write("b.txt", content)
			saved(ahp.FileURI(filepath.ToSlash(filepath.Join(other, "b.txt"))))
		},
		"after": func(content string) {
			w.write("b.txt", content)
			m.until(content, func(s *ahp.Changeset) bool {
				f := s.File(w.uri("b.txt"))
				return f != nil && f.After.Content.Nonce == disk.Hash([]byte(content))
			})
			saved(w.uri("b.txt"))
		},
	} {
		save(name + "\n")
		base = h.waitForBase(t, base)
		require.Equal(t, name, w.recorded("show", store.TurnRef(h.repo, base, "start")+":b.txt"), "it is what the next turn starts from")
	}
	waitFor(session.GuessAfter)
	w.write("a.txt", "an agent's\n")
	e := c.action(h.names.Chat, "chat/turnStarted")
	require.Contains(t, string(e.Action.Raw), "Guessed turn: a.txt", "and the first one")
}

// Some editors keep a copy while they save a file. That is no turn either, and no
// file of one.
func TestFilesThatCameAndWent(t *testing.T) {
	w := newTree(t, "a.txt", "0\n", "b.txt", "0\n", "c.txt", "0\n")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Chat)
	base := h.waitForBase(t, "")
	copies := func(name string) {
		t.Helper()
		h.mu.Lock()
		h.state.Guess().Wait = patience // until it has been noticed
		h.mu.Unlock()
		w.write(name, "0\n")
		require.Eventually(t, func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return !h.state.Guess().Plan().Written[name].IsZero()
		}, patience, 5*time.Millisecond)
		require.NoError(t, os.Remove(filepath.Join(w.root, name)))
	}
	goesOn := func() {
		h.mu.Lock()
		h.state.Guess().Wait = session.GuessAfter
		h.mu.Unlock()
		h.work.wake()
	}
	copies("b.txt.bck")
	c.send(map[string]any{"method": "ahp-lsp/saved", "params": map[string]any{"channel": h.names.Session, "resources": []string{w.uri("b.txt")}}})
	h.waitForClaim(t, "b.txt")
	w.write("b.txt", "mine\n")
	goesOn()
	h.waitForBase(t, base)
	copies("a.txt.tmp")
	w.write("a.txt", "an agent's\n")
	require.NoError(t, os.Remove(filepath.Join(w.root, "c.txt")))
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return !h.state.Guess().Plan().Written["a.txt"].IsZero() && !h.state.Guess().Plan().Written["c.txt"].IsZero()
	}, patience, 5*time.Millisecond)
	goesOn()
	e := c.action(h.names.Chat, "chat/turnStarted")
	require.Contains(t, string(e.Action.Raw), `"Guessed turn: a.txt and c.txt"`)
}

// waitForClaim waits until the word that a file was saved has been taken.
func (h *Host) waitForClaim(t *testing.T, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.state.Guess().HasClaim(name)
	}, patience, 5*time.Millisecond)
}

// waitForBase waits until the work tree is recorded, after another base, as it
// is.
func (h *Host) waitForBase(t *testing.T, old string) (base string) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		base = h.state.Guess().Plan().Base
		return base != old && h.state.Guess().Resting()
	}, patience, 5*time.Millisecond)
	return base
}
