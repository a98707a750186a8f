package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// step is one thing that happens in the model test.
type step struct {
	Kind string
	ID   string // of an annotation
	N    int
}

var stepKinds = []string{
	"host set", "host entry", "host resolve", "host remove",
	"set", "set", "entry", "resolve", "remove", "review",
	"rest", "rest", "pause", "drop", "reconnect", "mute", "unmute", "reject", "accept",
	"forget", "replay", "snapshots", "per channel", "select", "unselect", "turn", "files",
}

func (s step) action() ahp.Action {
	switch s.Kind {
	case "host set", "set":
		return must(ahp.SetAnnotation(annotation(s.ID, fmt.Sprint(s.Kind, s.N))))
	case "host entry", "entry":
		return must(ahp.SetEntry(s.ID, ahp.Entry{ID: fmt.Sprint(s.Kind, s.N), Text: ahp.Plain("x")}))
	case "host resolve", "resolve":
		return must(ahp.ResolveAnnotation(s.ID, s.N%2 == 0))
	}
	return must(ahp.RemoveAnnotation(s.ID))
}

// Whatever happens in whatever order: when the connection is back and nothing is
// under way, what was told adds up to what the host has, nothing is pending, and
// each change said truly what was shown before.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				Kind: rapid.SampledFrom(stepKinds).Draw(rt, "kind"),
				ID:   rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "id"),
				N:    rapid.IntRange(0, 9).Draw(rt, "n"),
			}
		}), 1, 60).Draw(rt, "steps")
		var err error
		synctest.Test(t, func(t *testing.T) { err = runModel(t, steps) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

func runModel(t *testing.T, steps []step) error {
	h := ahptest.New(ahptest.Options{ReplayLimit: 5})
	defer h.Close()
	const root, review = "file:///", cs + "branch"
	h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Changesets: []ahp.CatalogueEntry{{Kind: "branch", Review: true}, {Kind: "turn"}}})
	h.SetAnnotations(one, annotation("a", "first"))
	h.SetChangeset(review, ready("a", "b", "c"))
	told := newTold()
	c := New(Config{
		Hosts: func() []Host { return []Host{{URL: ahptest.MemoryURL}} }, Dial: h.Dial,
		Roots: []string{root}, Log: &logRecorder{}, OnChange: told.take,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	defer running.Wait()
	defer cancel()
	synctest.Wait()
	for _, s := range steps {
		switch s.Kind {
		case "host set", "host entry", "host resolve", "host remove":
			h.Do(notes, s.action())
		case "set", "entry", "resolve", "remove":
			_ = c.Dispatch(notes, s.action()) // not followed at the moment: refused
		case "review":
			_ = c.Dispatch(review, must(ahp.ReviewFiles("0.9.0", []string{s.ID}, s.N%2 == 0)))
		case "files":
			h.Do(review, map[string]any{"type": ahp.TypeChangesetContentChanged, "files": json.RawMessage(`[` + file(s.ID) + `]`)})
		case "turn":
			h.RunTurn(one, fmt.Sprint("t", s.N), "x")
		case "rest":
			synctest.Wait()
		case "pause":
			time.Sleep(time.Duration(s.N) * 3 * time.Second)
		case "drop":
			h.DropConnections()
		case "reconnect":
			c.Reconnect()
		case "mute", "unmute":
			h.Mute(s.Kind == "mute")
		case "reject":
			h.Reject(func(string, ahp.Action) string { return "no" })
		case "accept":
			h.Reject(nil)
		case "forget":
			h.ForgetClients()
		case "replay", "snapshots", "per channel":
			h.SetRecovery(map[string]ahptest.Recovery{"replay": ahptest.Replay, "snapshots": ahptest.Snapshots, "per channel": ahptest.PerChannel}[s.Kind])
		case "select":
			c.SetRoots([]string{root})
		case "unselect":
			c.SetRoots(nil)
		}
	}
	h.Mute(false)
	c.SetRoots([]string{root})
	// What a dead host swallowed on a connection that is still up is resent on
	// the next one.
	time.Sleep(3 * time.Minute)
	c.Reconnect()
	time.Sleep(3 * time.Minute)
	synctest.Wait()
	return told.compare(h, c, review)
}

// told adds up what a Client tells.
type told struct {
	mu          sync.Mutex
	annotations map[string]*ahp.Annotation
	changesets  map[string]*ahp.Changeset
	err         error
}

func newTold() *told {
	return &told{annotations: map[string]*ahp.Annotation{}, changesets: map[string]*ahp.Changeset{}}
}

func (m *told) take(ch Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch ch := ch.(type) {
	case AnnotationsChanged:
		for _, a := range ch.Changed {
			of := a.New
			if of == nil {
				of = a.Old
			}
			if m.annotations[of.ID] != a.Old {
				m.err = fmt.Errorf("the old value of %s is not what was shown", of.ID)
			}
			if m.annotations[of.ID] = a.New; a.New == nil {
				delete(m.annotations, of.ID)
			}
		}
	case ChangesetChanged:
		if ch.View == nil {
			delete(m.changesets, ch.Channel)
			return
		}
		old, touched := m.changesets[ch.Channel], map[*ahp.ChangesetFile]bool{}
		for _, f := range ch.Touched {
			touched[f] = true
		}
		for _, f := range ch.View.State.Files() {
			if !touched[f] && (old == nil || old.File(f.ID) != f) {
				m.err = fmt.Errorf("%s: %s changed and was not said to be touched", ch.Channel, f.ID)
			}
		}
		m.changesets[ch.Channel] = ch.View.State
	}
}

func (m *told) compare(h *ahptest.Host, c *Client, review string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	if got := c.Connection(); got.State != Connected {
		return fmt.Errorf("%s: %w", got.State, got.Err)
	}
	for _, id := range []string{"a", "b", "c"} {
		got, want := text(m.annotations[id]), text(h.Annotation(one, id))
		if got != want {
			return fmt.Errorf("%s is shown as\n%s\nthe host has\n%s", id, got, want)
		}
	}
	if got, want := text(m.changesets[review]), text(h.Changeset(review)); got != want {
		return fmt.Errorf("the changeset is shown as\n%s\nthe host has\n%s", got, want)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.followed[one]; len(f.annotations.queue) > 0 || len(f.annotations.shadow) > 0 || len(f.changesets[review].queue) > 0 {
		return fmt.Errorf("still pending: %v", f.annotations.queue)
	}
	for uri := range c.channels {
		if n := h.Subscribers(uri); n != 1 {
			return fmt.Errorf("%d subscriptions of %s", n, uri)
		}
	}
	return nil
}

func text(v any) string { return string(must(json.Marshal(v))) }
