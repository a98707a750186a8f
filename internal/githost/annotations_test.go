package githost

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

func TestRefusedActions(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host(brief)
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	c.subscribe(h.names.Session)
	c.mirror(h.names.Session + "/changeset/uncommitted").ready()
	branch := c.mirror(h.names.Session + "/changeset/branch")
	branch.ready()
	at := func(sl, sc, el, ec int) any {
		return map[string]any{"start": map[string]int{"line": sl, "character": sc}, "end": map[string]int{"line": el, "character": ec}}
	}
	seq := 0
	refusal := func(channel string, a map[string]any) string {
		t.Helper()
		seq++
		c.dispatch(channel, seq, a)
		kind, _ := a["type"].(string)
		e := c.action(channel, kind)
		require.Equal(t, &ahp.ActionOrigin{ClientID: "raw-" + t.Name(), ClientSeq: int64(seq)}, e.Origin)
		return e.RejectionReason
	}
	entry := func(e any) map[string]any {
		return map[string]any{"type": "annotations/entrySet", "annotationId": "known", "entry": e}
	}
	updated := func(key string, value any) map[string]any {
		return map[string]any{"type": "annotations/updated", "annotationId": "known", key: value}
	}
	require.Empty(t, refusal(h.names.Annotations, set(note("known", "range", at(0, 0, 0, 1)))))
	for _, tc := range []struct {
		channel string
		action  map[string]any
		why     string
	}{
		{h.names.Annotations, map[string]any{"type": "annotations/set"}, "has no annotation"},
		{h.names.Annotations, set(note("")), "has no id"},
		{h.names.Annotations, set(note("x", "resource", "")), "resource is missing"},
		{h.names.Annotations, set(note("x", "entries", []any{})), "no entries"},
		{h.names.Annotations, set(note("x", "entries", nil)), "no entries"},
		{h.names.Annotations, set(note("x", "entries", []any{map[string]any{"text": "t"}})), "the entry has no id"},
		{h.names.Annotations, set(note("x", "entries", []any{map[string]any{"id": "e"}})), "no text"},
		{h.names.Annotations, set(note("x", "entries", []any{map[string]any{"id": "e", "text": "a"}, map[string]any{"id": "e", "text": "b"}})), `two entries have the id "e"`},
		{h.names.Annotations, set(note("x", "resolved", "yes")), "cannot be read in full"},
		{h.names.Annotations, set(note("x", "range", at(-1, 0, 0, 0))), "negative"},
		{h.names.Annotations, set(note("x", "range", at(2, 0, 1, 5))), "ends (1:5) before it starts (2:0)"},
		{h.names.Annotations, set(note("x", "range", at(2, 3, 2, 2))), "before it starts"},
		{h.names.Annotations, set(note("x", "range", map[string]any{"start": map[string]int{"line": 1, "character": 1}})), "no end"},
		{h.names.Annotations, set(note("x", "range", map[string]any{"end": map[string]int{"line": 1, "character": 1}})), "no start"},
		{h.names.Annotations, set(note("x", "range", "here")), "cannot be read"},
		{h.names.Annotations, updated("range", at(0, 5, 0, 2)), "before it starts"},
		{h.names.Annotations, updated("resource", ""), "names no file"},
		{h.names.Annotations, updated("resolved", 1), "neither true nor false"},
		{h.names.Annotations, map[string]any{"type": "annotations/updated", "resolved": true}, "annotationId is missing"},
		{h.names.Annotations, map[string]any{"type": "annotations/removed"}, "annotationId is missing"},
		{h.names.Annotations, map[string]any{"type": "annotations/entrySet", "annotationId": "ghost", "entry": map[string]any{"id": "e", "text": "t"}}, `"ghost" does not exist`},
		{h.names.Annotations, entry(nil), "no entry"},
		{h.names.Annotations, entry(map[string]any{"id": "e", "text": 7}), "no text"},
		{h.names.Annotations, map[string]any{"type": "annotations/entryRemoved", "annotationId": "known"}, "entryId is missing"},
		{h.names.Annotations, map[string]any{"type": "annotations/banana"}, "no action of an annotations channel"},
		{h.names.Annotations, map[string]any{"type": "changeset/cleared"}, "no action of an annotations channel"},
		{h.names.Session, set(note("x")), "annotations go to " + h.names.Annotations},
		{h.names.Session, map[string]any{"type": "session/titleChanged", "title": "mine"}, "cannot dispatch anything"},
		{"ahp-session:/gone/annotations", set(note("x")), "no channel ahp-session:/gone/annotations"},
		{h.names.Session + "/changeset/uncommitted", map[string]any{"type": "changeset/filesReviewChanged", "files": []string{w.uri("a.txt")}, "reviewed": true}, "no reviewed flags"},
		{h.names.Session + "/changeset/branch", map[string]any{"type": "changeset/cleared"}, "only the reviewed flags"},
		{h.names.Session + "/changeset/branch", map[string]any{"type": "changeset/filesReviewChanged", "files": []string{"file:///nope"}, "reviewed": true}, "none of the files"},
		{h.names.Session + "/changeset/branch", map[string]any{"type": "changeset/filesReviewChanged", "files": []string{w.uri("a.txt")}}, "neither which files"},
	} {
		require.Contains(t, refusal(tc.channel, tc.action), tc.why, "%v", tc.action)
	}
	// What a client sends again because it has no echo is taken.
	require.Empty(t, refusal(h.names.Annotations, map[string]any{"type": "annotations/removed", "annotationId": "ghost"}))
	require.Empty(t, refusal(h.names.Annotations, map[string]any{"type": "annotations/entryRemoved", "annotationId": "known", "entryId": "ghost"}))
	state, err := ahp.DecodeAnnotations(c.subscribe(h.names.Annotations))
	require.NoError(t, err)
	require.Equal(t, 1, state.Len(), "nothing refused is kept")
	require.Len(t, state.Get("known").Entries, 1)
}

// What the specification's reducers leave alone is accepted, and changes nothing.
// They would take an annotation's last entry, but the protocol forbids annotations
// without: everyone gets it back.
func TestActionsThatChangeNothing(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host(brief)
	c := connect(t, h)
	mirror, err := ahp.DecodeAnnotations(c.subscribe(h.names.Annotations))
	require.NoError(t, err)
	seq := 0
	accepted := func(a map[string]any, echo string) {
		t.Helper()
		seq++
		c.dispatch(h.names.Annotations, seq, a)
		e := c.action(h.names.Annotations, echo)
		require.Empty(t, e.RejectionReason)
		require.EqualValues(t, seq, e.Origin.ClientSeq)
		_, err := mirror.Apply(e.Action)
		require.NoError(t, err)
	}
	accepted(set(note("known", "resource", w.uri("a.txt"))), "annotations/set")
	before := string(c.subscribe(h.names.Annotations))
	accepted(map[string]any{"type": "annotations/updated", "annotationId": "ghost", "resolved": true}, "annotations/updated")
	accepted(map[string]any{"type": "annotations/entryRemoved", "annotationId": "ghost", "entryId": "e"}, "annotations/entryRemoved")
	accepted(map[string]any{"type": "annotations/entryRemoved", "annotationId": "known", "entryId": "ghost"}, "annotations/entryRemoved")
	accepted(map[string]any{"type": "annotations/entryRemoved", "annotationId": "known", "entryId": "known.1"}, "annotations/set")
	require.JSONEq(t, before, string(c.subscribe(h.names.Annotations)))
	require.Equal(t, []string{"known.1"}, []string{mirror.Get("known").Entries[0].ID})
}

func TestEveryShapeOfAnAnnotation(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host(brief)
	old, now := connect(t, h), raw(t, h)
	now.handshake("1.0.0", "now")
	old.subscribe(h.names.Annotations)
	now.subscribe(h.names.Annotations)

	old.dispatch(h.names.Annotations, 1, set(note("a", "turnId", "t1", "resource", w.uri("a.txt"), "custom", 7)))
	got, err := ahp.DecodeAnnotation(wire.Parse(now.action(h.names.Annotations, "annotations/set").Action.Raw)["annotation"])
	require.NoError(t, err)
	require.Nil(t, got.TurnID)
	require.Equal(t, &ahp.Origin{Session: h.names.Session, Chat: h.names.Chat, TurnID: "t1"}, got.Origin)
	raw := wire.Parse(wire.Parse(old.action(h.names.Annotations, "annotations/set").Action.Raw)["annotation"])
	require.Equal(t, `"t1"`, string(raw["turnId"]))
	require.NotContains(t, raw, "origin")
	require.Equal(t, `7`, string(raw["custom"]), "members this host does not know are kept")

	old.dispatch(h.names.Annotations, 2, map[string]any{"type": "annotations/updated", "annotationId": "a", "turnId": "t2"})
	e := now.action(h.names.Annotations, "annotations/set") // told whole: the origin names the session
	require.Contains(t, string(e.Action.Raw), `"turnId":"t2"`)
	require.Contains(t, string(e.Action.Raw), h.names.Session)

	now.dispatch(h.names.Annotations, 3, map[string]any{"type": "annotations/updated", "annotationId": "a", "resolved": true})
	require.JSONEq(t, `{"type":"annotations/updated","annotationId":"a","resolved":true}`, string(old.action(h.names.Annotations, "annotations/updated").Action.Raw))

	now.dispatch(h.names.Annotations, 4, set(map[string]any{"id": "b", "origin": map[string]any{"session": "ahp-session:/else", "x": 1}, "resource": w.uri("a.txt"), "resolved": false, "entries": []any{map[string]any{"id": "e", "text": map[string]any{"markdown": "**b**"}}}}))
	require.Contains(t, string(now.action(h.names.Annotations, "annotations/set").Action.Raw), `"session":"ahp-session:/else"`)

	// Both find what is there in their own shape.
	for version, member := range map[string]string{"0.4.0": "turnId", "0.8.0": "turnId", "0.9.0": "origin", "1.0.0": "origin"} {
		c := rawVersion(t, h, version)
		var s struct{ Annotations []map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal(c.subscribe(h.names.Annotations), &s))
		require.Len(t, s.Annotations, 2)
		for _, a := range s.Annotations {
			require.Contains(t, a, member, version)
			require.Equal(t, member == "origin", a["turnId"] == nil)
		}
	}
}

func rawVersion(t *testing.T, h *Host, version string) *client {
	c := raw(t, h)
	c.handshake(version, "v"+version)
	return c
}

func TestAnnotationsOutliveTheHost(t *testing.T) {
	w := newTree(t, "src/a.txt", "1\n")
	h, stop := w.startHost(brief)
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	c.dispatch(h.names.Annotations, 1, set(note("a", "resource", w.uri("src/a.txt"))))
	c.dispatch(h.names.Annotations, 2, set(note("b", "resource", "file:///elsewhere/b.txt")))
	c.dispatch(h.names.Annotations, 3, map[string]any{"type": "annotations/entrySet", "annotationId": "a", "entry": map[string]any{"id": "e2", "text": "<&> é\n"}})
	c.dispatch(h.names.Annotations, 4, set(note("gone")))
	c.dispatch(h.names.Annotations, 5, map[string]any{"type": "annotations/removed", "annotationId": "gone"})
	c.action(h.names.Annotations, "annotations/removed")
	before := c.subscribe(h.names.Annotations)
	stop()

	h, stop = w.startHost(brief)
	c = connect(t, h)
	require.JSONEq(t, string(before), string(c.subscribe(h.names.Annotations)))
	stop()

	// The whole repository is moved: so are the comments' files.
	moved := filepath.Join(filepath.Dir(w.root), "elsewhere")
	require.NoError(t, os.Rename(w.root, moved))
	w.root = moved
	h = w.host(brief)
	s, err := ahp.DecodeAnnotations(connect(t, h).subscribe(h.names.Annotations))
	require.NoError(t, err)
	require.Equal(t, w.uri("src/a.txt"), s.Get("a").Resource)
	require.Equal(t, "file:///elsewhere/b.txt", s.Get("b").Resource)
	require.Nil(t, s.Get("gone"))
}

// A burst is one batch or few: each would otherwise wait for the disk alone.
func TestBurst(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host(brief)
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	const n = 1000
	began := time.Now()
	for i := range n {
		c.dispatch(h.names.Annotations, i+1, set(note(fmt.Sprint("a", i), "resource", w.uri("a.txt"))))
	}
	c.until("every echo", func() bool { return len(c.frames) == n })
	t.Logf("%d annotations were kept and echoed in %s", n, time.Since(began))
	for i, f := range c.frames {
		var e ahp.Envelope
		require.NoError(t, json.Unmarshal(f.Params, &e))
		require.EqualValues(t, i+1, e.Origin.ClientSeq, "in order")
		require.EqualValues(t, i+1, e.ServerSeq)
	}
}

func TestBranchSwitch(t *testing.T) {
	w := newTree(t, "a.txt", "main\n", "same.txt", "same\n")
	w.git("switch", "-q", "-c", "feature")
	w.write("a.txt", "feature\n")
	w.git("commit", "-q", "-am", "two")
	h := w.host()
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	c.subscribe(h.names.Session)
	for i, name := range []string{"a.txt", "same.txt"} {
		c.dispatch(h.names.Annotations, i+1, set(note(name, "resource", w.uri(name), "_meta", map[string]any{"mine": 1})))
		e := c.action(h.names.Annotations, "annotations/set")
		require.Empty(t, e.RejectionReason)
		require.Contains(t, string(e.Action.Raw), `"branch":"feature"`)
		require.NotContains(t, string(e.Action.Raw), "otherBranch")
	}
	w.git("switch", "-q", "main")
	e := c.action(h.names.Annotations, "annotations/set")
	require.Nil(t, e.Origin)
	require.Contains(t, string(e.Action.Raw), `"id":"a.txt"`)
	require.Contains(t, string(e.Action.Raw), `"otherBranch":true`)
	require.Contains(t, string(e.Action.Raw), `"mine":1`)
	require.Contains(t, string(c.action(h.names.Session, "session/titleChanged").Action.Raw), "demo · main")

	w.git("switch", "-q", "feature")
	e = c.action(h.names.Annotations, "annotations/set")
	require.NotContains(t, string(e.Action.Raw), "otherBranch")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.frames {
		require.NotContains(t, string(f.Params), `"id":"same.txt"`, "the same version on both branches")
	}
}

func TestDamagedJournalIsSetAside(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h, stop := w.startHost(brief)
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	for i := range 3 {
		c.dispatch(h.names.Annotations, i+1, set(note(fmt.Sprint("a", i))))
		c.action(h.names.Annotations, "annotations/set")
	}
	stop()
	name := filepath.Join(w.root, ".git", "ahp", "annotations.jsonl")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	damaged := strings.Replace(string(data), `"a1.1"`, `"a1.X"`, 1)
	require.NoError(t, os.WriteFile(name, []byte(damaged), 0o600))

	h, stop = w.startHost(brief)
	c = connect(t, h)
	s, err := ahp.DecodeAnnotations(c.subscribe(h.names.Annotations))
	require.NoError(t, err)
	require.NotNil(t, s.Get("a0"))
	require.Nil(t, s.Get("a1"), "its record is damaged")
	require.NotNil(t, s.Get("a2"))
	session, err := ahp.DecodeSession(c.subscribe(h.names.Session))
	require.NoError(t, err)
	notice := wire.Text(wire.Parse(session.Meta)["notice"])
	require.Contains(t, notice, "damaged (1 unreadable line)")
	aside, err := filepath.Glob(name + ".damaged-*")
	require.NoError(t, err)
	require.Len(t, aside, 1)
	require.Contains(t, notice, aside[0])
	kept, err := os.ReadFile(aside[0])
	require.NoError(t, err)
	require.Equal(t, damaged, string(kept))
	stop()

	// What could be saved is under the old name again, also without a write.
	h = w.host(brief)
	s, err = ahp.DecodeAnnotations(connect(t, h).subscribe(h.names.Annotations))
	require.NoError(t, err)
	require.Equal(t, 2, s.Len())
	require.Empty(t, h.state.Notices())
}

func TestNothingIsAcknowledgedThatCannotBeKept(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	dir := filepath.Join(w.root, ".git", "ahp")
	h, stop := w.startHost(brief)
	require.NoError(t, os.WriteFile(dir, []byte("in the way"), 0o600))
	c := connect(t, h)
	c.subscribe(h.names.Annotations)
	c.dispatch(h.names.Annotations, 1, set(note("a")))
	require.Contains(t, c.action(h.names.Annotations, "annotations/set").RejectionReason, "it cannot be saved")
	require.JSONEq(t, `{"annotations":[]}`, string(c.subscribe(h.names.Annotations)))
	// It gets well.
	require.NoError(t, os.Remove(dir))
	c.dispatch(h.names.Annotations, 2, set(note("a")))
	require.Empty(t, c.action(h.names.Annotations, "annotations/set").RejectionReason)
	stop()

	// A journal of a newer program is left alone.
	name := filepath.Join(dir, "annotations.jsonl")
	newer := `{"journal":"ahp-lsp review","format":2}` + "\n"
	require.NoError(t, os.WriteFile(name, []byte(newer), 0o600))
	h = w.host(brief)
	c = connect(t, h)
	session, err := ahp.DecodeSession(c.subscribe(h.names.Session))
	require.NoError(t, err)
	require.Contains(t, string(session.Meta), "it has format 2")
	c.subscribe(h.names.Annotations)
	c.dispatch(h.names.Annotations, 1, set(note("a")))
	require.Contains(t, c.action(h.names.Annotations, "annotations/set").RejectionReason, "it has format 2")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, newer, string(data))
}
