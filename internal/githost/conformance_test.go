package githost

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
)

// editor is our own client on a work tree's host, and what it has been told.
type editor struct {
	t      *testing.T
	c      *bridge.Client
	mu     sync.Mutex
	told   []bridge.Change
	signal chan struct{}
}

// edit runs a bridge.Client as a language server does, on a Service.
func edit(t *testing.T, s *Service, root string) *editor {
	e := &editor{t: t, signal: make(chan struct{}, 1)}
	e.c = bridge.New(bridge.Config{
		Hosts: func() []bridge.Host {
			a, err := s.Address(context.Background())
			return []bridge.Host{{URL: a.URL, Token: a.Token, Err: err}}
		},
		Dial: s.Dial, Roots: []string{ahp.FileURI(root)}, Log: testLog(t),
		OnChange: func(ch bridge.Change) {
			e.mu.Lock()
			e.told = append(e.told, ch)
			e.mu.Unlock()
			select {
			case e.signal <- struct{}{}:
			default:
			}
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.c.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return e
}

// until waits until something the client was told, from the first on, fits.
func (e *editor) until(what string, fits func(bridge.Change) bool) {
	e.t.Helper()
	for i := 0; ; i++ {
		e.mu.Lock()
		for i == len(e.told) {
			e.mu.Unlock()
			e.wait(what)
			e.mu.Lock()
		}
		ch := e.told[i]
		e.mu.Unlock()
		if fits(ch) {
			return
		}
	}
}

func (e *editor) wait(what string) {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case <-e.signal:
	case <-ctx.Done():
		require.FailNow(e.t, "waited in vain for "+what)
	}
}

// changeset waits for a state of a kind of changeset.
func (e *editor) changeset(kind, what string, fits func(*bridge.ChangesetView) bool) (v *bridge.ChangesetView) {
	e.t.Helper()
	e.until(what, func(ch bridge.Change) bool {
		cs, ok := ch.(bridge.ChangesetChanged)
		if ok && cs.View != nil && cs.View.Entry.Kind == kind && fits(cs.View) {
			v = cs.View
		}
		return v != nil
	})
	return v
}

// Our own client drives the host as an editor does, and a second one sees it;
// the host is taken over in the middle.
func TestOurOwnClient(t *testing.T) {
	w, dir := newTree(t, "a.txt", "1\n2\n3\n"), socketDir(t)
	w.write("a.txt", "1\nTWO\n3\n")
	start := func() *Service {
		s, err := Serve(context.Background(), w.repo(), Options{Dir: dir, Log: testLog(t)})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return s
	}
	first, second := start(), start()
	one, two := edit(t, first, w.root), edit(t, second, w.root)
	session := first.Owner().names.Session

	v := one.changeset("uncommitted", "the hunk", func(v *bridge.ChangesetView) bool { return v.Primary && len(v.State.Files()) == 1 })
	require.Equal(t, session, v.Session)
	f := v.State.Files()[0]
	before, err := one.c.Read(t.Context(), f.Before.Content)
	require.NoError(t, err)
	require.Equal(t, "1\n2\n3\n", string(before))

	// A comment, seen by the other one.
	a := &ahp.Annotation{ID: "c1", Resource: w.uri("a.txt"), Range: &ahp.Range{Start: ahp.Position{Line: 1}, End: ahp.Position{Line: 1, Character: 3}},
		Entries: []ahp.Entry{{ID: "e1", Text: ahp.Plain("why?")}}, Meta: ahp.NewFeedback(session, "TWO")}
	act, err := ahp.SetAnnotation(a)
	require.NoError(t, err)
	one.until("the session", func(ch bridge.Change) bool { _, ok := ch.(bridge.SessionChanged); return ok })
	require.NoError(t, one.c.Dispatch(session+"/annotations", act))
	shown := func(id string) func(bridge.Change) bool {
		return func(ch bridge.Change) bool {
			c, ok := ch.(bridge.AnnotationsChanged)
			return ok && c.Changed[0].New != nil && c.Changed[0].New.ID == id
		}
	}
	two.until("the comment", shown("c1"))

	// A hunk reverted through the second process, and undone.
	r, err := two.c.Invoke(t.Context(), v.Channel, "revert", &ahp.OperationTarget{Kind: ahp.ScopeRange, Resource: w.uri("a.txt"), Side: "after", Range: &ahp.Range{Start: ahp.Position{Line: 1}, End: ahp.Position{Line: 2}}})
	require.NoError(t, err)
	require.Contains(t, r.Message.Value, "refs/ahp/undo/")
	require.Equal(t, "1\n2\n3\n", w.read("a.txt"))
	one.changeset("uncommitted", "nothing left", func(v *bridge.ChangesetView) bool {
		return v.State.Status == ahp.ChangesetReady && len(v.State.Files()) == 0
	})
	_, err = two.c.Invoke(t.Context(), v.Channel, "undo", nil)
	require.NoError(t, err)
	require.Equal(t, "1\nTWO\n3\n", w.read("a.txt"))

	// A reviewed flag.
	w.git("switch", "-q", "-c", "feature")
	w.write("a.txt", "1\nTWO\nthree\n")
	branch := two.changeset("branch", "both lines", func(v *bridge.ChangesetView) bool {
		f := v.State.File(w.uri("a.txt"))
		return f != nil && f.Added == 2
	})
	require.True(t, branch.Entry.Review)
	flag, err := ahp.ReviewFiles(two.c.Version(), []string{w.uri("a.txt")}, true)
	require.NoError(t, err)
	require.NoError(t, two.c.Dispatch(branch.Channel, flag))
	one.changeset("branch", "the flag", func(v *bridge.ChangesetView) bool { f := v.State.File(w.uri("a.txt")); return f != nil && f.Reviewed })

	// The owner goes. What the second one dispatches meanwhile is not lost.
	require.NoError(t, first.Close())
	for i := range 5 {
		id := fmt.Sprintf("late%d", i)
		act, err := ahp.SetAnnotation(&ahp.Annotation{ID: id, Resource: w.uri("a.txt"), Entries: []ahp.Entry{{ID: "e", Text: ahp.Plain("late")}}})
		require.NoError(t, err)
		require.NoError(t, two.c.Dispatch(session+"/annotations", act))
	}
	require.Eventually(t, func() bool {
		h := second.Owner()
		if h == nil {
			return false
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.state.Kept().AnnotationCount() == 6
	}, patience, patience/1000)
	two.mu.Lock()
	defer two.mu.Unlock()
	for _, ch := range two.told {
		_, rejected := ch.(bridge.Rejected)
		require.False(t, rejected, "%v", ch)
		if n, ok := ch.(bridge.Notice); ok {
			t.Log(n.Text)
		}
	}
}
