package githost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/session"
)

// invoke runs an operation and checks what the wire has of it: running, then
// idle, then the answer.
func (m *changesetMirror) invoke(op string, target map[string]any) string {
	m.c.t.Helper()
	params := map[string]any{"channel": m.uri, "operationId": op}
	if target != nil {
		params["target"] = target
	}
	var r ahp.InvokeResult
	m.c.result("invokeChangesetOperation", params, &r)
	require.NotNil(m.c.t, r.Message)
	return r.Message.Value
}

func (m *changesetMirror) fails(op string, target map[string]any) *ahp.Error {
	m.c.t.Helper()
	params := map[string]any{"channel": m.uri, "operationId": op}
	if target != nil {
		params["target"] = target
	}
	return m.c.refused("invokeChangesetOperation", params)
}

func (m *changesetMirror) operation(id string) *ahp.Operation {
	for _, o := range m.state.Operations {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// offers waits until an operation is offered, or is not.
func (m *changesetMirror) offers(id string, yes bool) {
	m.c.t.Helper()
	m.until(id, func(*ahp.Changeset) bool { return (m.operation(id) != nil) == yes })
}

func onFile(uri string) map[string]any { return map[string]any{"kind": "resource", "resource": uri} }

func onLines(uri, side string, from, to int) map[string]any {
	t := onFile(uri)
	t["kind"] = "range"
	t["range"] = map[string]any{"start": map[string]int{"line": from, "character": 0}, "end": map[string]int{"line": to, "character": 0}}
	if side != "" {
		t["side"] = side
	}
	return t
}

func TestRevertAndUndo(t *testing.T) {
	w := newTree(t, "a.txt", "1\n2\n3\n4\n5\n", "b.txt", "b\n")
	w.write("a.txt", "1\nTWO\n3\n4\nFIVE\n")
	w.write("new.txt", "new\n")
	h := w.host()
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	s := m.files(w, "a.txt", "new.txt")
	f := s.File(w.uri("a.txt"))
	require.Equal(t, 2, f.Added)
	require.Equal(t, 2, f.Removed)
	require.Equal(t, w.uri("a.txt"), f.After.Content.URI)
	require.NotEmpty(t, f.Before.Content.Nonce)
	require.Equal(t, "1\n2\n3\n4\n5\n", c.content(f.Before.Content.URI))
	require.Equal(t, "1\nTWO\n3\n4\nFIVE\n", c.content(f.After.Content.URI))
	require.Nil(t, s.File(w.uri("new.txt")).Before)
	require.Equal(t, "Revert the changes in '{0}'? A copy is kept; \"undo\" restores it. Untracked files are deleted.", m.operation("revert").Confirmation.Value)
	require.Nil(t, m.operation("undo"), "there is nothing to undo yet")

	// One hunk.
	said := m.invoke("revert", onLines(w.uri("a.txt"), "after", 1, 2))
	require.Contains(t, said, "refs/ahp/undo/")
	require.Equal(t, "1\n2\n3\n4\nFIVE\n", w.read("a.txt"))
	m.until("one changed line", func(s *ahp.Changeset) bool { f := s.File(w.uri("a.txt")); return f != nil && f.Added == 1 })
	m.offers("undo", true)
	require.Contains(t, m.operation("undo").Label, "Undo: ")

	// The rest of the file, then everything: the untracked file too.
	m.invoke("revert", onFile(w.uri("a.txt")))
	m.files(w, "new.txt")
	m.invoke("revert", nil)
	m.files(w)
	require.NoFileExists(t, w.path("new.txt"))
	m.offers("revert", false)

	// And back again, in reverse.
	m.invoke("undo", nil)
	m.files(w, "new.txt")
	require.Equal(t, "new\n", w.read("new.txt"))
	m.invoke("undo", nil)
	m.files(w, "a.txt", "new.txt")
	require.Equal(t, "1\n2\n3\n4\nFIVE\n", w.read("a.txt"))

	// What an undo says redoes it.
	back := m.invoke("undo:"+strings.TrimSuffix(said[strings.Index(said, "refs/ahp/undo/"):], ")."), nil)
	require.Equal(t, "1\nTWO\n3\n4\nFIVE\n", w.read("a.txt"))
	require.NotContains(t, back, "\"undo\"")
	_, again, _ := strings.Cut(back, "\"ahp-lsp undo ")
	again, _, _ = strings.Cut(again, "\"")
	said = m.invoke("undo:"+again, nil)
	require.Equal(t, "1\n2\n3\n4\nFIVE\n", w.read("a.txt"))

	// One that is named, out of order.
	ref := said[strings.Index(said, "refs/ahp/undo/"):]
	ref = strings.TrimSuffix(ref, ").")
	m.invoke("undo:"+ref, nil)
	require.Equal(t, "1\nTWO\n3\n4\nFIVE\n", w.read("a.txt"))
}

func (c *client) content(uri string) string {
	c.t.Helper()
	var r ahp.ResourceReadResult
	c.result("resourceRead", map[string]any{"channel": ahp.RootURI, "uri": uri}, &r)
	require.Equal(c.t, "utf-8", r.Encoding)
	return r.Data
}

func TestStageUnstageCommit(t *testing.T) {
	w := newTree(t, "a.txt", "1\n2\n3\n")
	w.write("a.txt", "ONE\n2\nTHREE\n")
	h := w.host()
	c := connect(t, h)
	all, staged := c.mirror(h.names.Session+"/changeset/uncommitted"), c.mirror(h.names.Session+"/changeset/staged")
	all.files(w, "a.txt")
	staged.files(w)

	all.invoke("stage", onLines(w.uri("a.txt"), "after", 0, 1))
	s := staged.files(w, "a.txt")
	require.Equal(t, "ONE\n2\n3\n", c.content(s.File(w.uri("a.txt")).After.Content.URI))
	require.Equal(t, "ONE\n2\n3", w.git("show", ":a.txt"))
	staged.invoke("unstage", onFile(w.uri("a.txt")))
	staged.files(w)
	require.Equal(t, "ONE\n2\nTHREE\n", w.read("a.txt"))
	all.invoke("stage", nil)
	staged.files(w, "a.txt")

	// A commit asks for its message first.
	var r ahp.InvokeResult
	c.result("invokeChangesetOperation", map[string]any{"channel": staged.uri, "operationId": "commit"}, &r)
	require.Contains(t, r.Message.Value, "Nothing has been committed yet")
	require.NotNil(t, r.FollowUp)
	require.Contains(t, c.content(r.FollowUp.Content.URI), "# Write the message")
	name, _ := ahp.FilePath(r.FollowUp.Content.URI)
	require.Contains(t, staged.invoke("commit", nil), "Nothing has been committed yet")
	// What was written there stays, even if it is no message.
	require.NoError(t, os.WriteFile(name, []byte("#12: say hello\n"), 0o600))
	require.Contains(t, staged.invoke("commit", nil), "begin with #")
	require.Equal(t, "#12: say hello\n", w.read(".git/ahp/COMMIT_MESSAGE"))
	require.NoError(t, os.WriteFile(name, []byte("\nSay hello\n\nMore of it.  \n# not this\n"), 0o600))
	staged.invoke("commit", nil)
	all.files(w)
	staged.files(w)
	require.Equal(t, "Say hello\n\nMore of it.", w.git("log", "-1", "--format=%B"))
	require.NoFileExists(t, name)

	// Or is given it.
	w.write("a.txt", "4\n")
	all.files(w, "a.txt")
	c.result("invokeChangesetOperation", map[string]any{"channel": all.uri, "operationId": "commit", "_meta": map[string]any{"ahp-lsp.commitMessage": "Another"}}, nil)
	all.files(w)
	require.Equal(t, "Another", w.git("log", "-1", "--format=%B"))
}

func TestRefusedInvocations(t *testing.T) {
	w := newTree(t, "a.txt", "1\n2\n3\n", "b.txt", "b\n")
	w.write("a.txt", "ONE\n2\n3\n")
	h := w.host(brief)
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	for _, tc := range []struct {
		op     string
		target map[string]any
		code   int
		why    string
	}{
		{"no-such-op", nil, ahp.CodeInvalidParams, "Unknown operation 'no-such-op'"},
		{"unstage", nil, ahp.CodeInvalidParams, "Unknown operation"},
		{"undo", nil, ahp.CodeInvalidParams, "Unknown operation"},
		{"commit", onFile(w.uri("a.txt")), ahp.CodeInvalidParams, "does not support scope 'resource' (allowed: changeset)"},
		{"revert", map[string]any{"kind": "banana", "resource": w.uri("a.txt")}, ahp.CodeInvalidParams, "kind is resource or range"},
		{"revert", map[string]any{"kind": "resource"}, ahp.CodeInvalidParams, "is not a file of"},
		{"revert", onFile("file:///etc/hostname"), ahp.CodeInvalidParams, "is not a file of"},
		{"revert", onFile(h.names.Root + "/../../etc/hostname"), ahp.CodeInvalidParams, "is not a file of"},
		{"revert", onFile(w.uri("b.txt")), ahp.CodeInvalidParams, "b.txt is not in this changeset"},
		{"revert", map[string]any{"kind": "range", "resource": w.uri("a.txt")}, ahp.CodeInvalidParams, "needs a range"},
		{"revert", onLines(w.uri("a.txt"), "sideways", 0, 1), ahp.CodeInvalidParams, "before or after"},
		{"revert", onLines(w.uri("a.txt"), "after", 2, 1), ahp.CodeInvalidParams, "before it starts"},
		{"revert", onLines(w.uri("a.txt"), "after", 1, 2), ahp.CodeInvalidParams, ""}, // nothing to do
		{"undo:refs/heads/main", nil, ahp.CodeInvalidParams, ""},
		{"undo:refs/ahp/undo/nope", nil, ahp.CodeInvalidParams, ""},
	} {
		e := m.fails(tc.op, tc.target)
		require.Equal(t, tc.code, e.Code, "%s %v: %s", tc.op, tc.target, e.Message)
		require.Contains(t, e.Message, tc.why)
	}
	e := c.refused("invokeChangesetOperation", map[string]any{"channel": h.names.Session + "/changeset/nope", "operationId": "revert"})
	require.Equal(t, ahp.CodeNoSession, e.Code)
	require.Contains(t, e.Message, "Changeset not found")
	require.Equal(t, ahp.CodeNoSession, c.refused("invokeChangesetOperation", map[string]any{"channel": h.names.Session, "operationId": "revert"}).Code)
	require.Equal(t, ahp.CodeNoSession, c.refused("invokeChangesetOperation", map[string]any{}).Code)
	// Some documents call the channel changeset.
	c.result("invokeChangesetOperation", map[string]any{"changeset": m.uri, "operationId": "revert", "target": onFile(w.uri("a.txt"))}, nil)
	m.files(w)
}

// What "undo" undoes is what it says, also when a command has undone that already.
func TestUndoElsewhere(t *testing.T) {
	w := newTree(t, "a.txt", "1\n", "b.txt", "1\n")
	for _, adjust := range []func(*Options){brief, func(*Options) {}} {
		w.write("a.txt", "2\n")
		w.write("b.txt", "2\n")
		h, stop := w.startHost(adjust)
		m := connect(t, h).mirror(h.names.Session + "/changeset/uncommitted")
		m.files(w, "a.txt", "b.txt")
		m.invoke("revert", onFile(w.uri("b.txt")))
		m.invoke("revert", onFile(w.uri("a.txt")))
		m.until("what can be undone", func(*ahp.Changeset) bool {
			o := m.operation("undo")
			return o != nil && o.Label == "Undo: reverted a.txt"
		})
		out, err := Undo(t.Context(), w.repo(), "")
		require.NoError(t, err)
		require.Equal(t, []string{"a.txt"}, out.Paths)
		if h.opts.Brief { // which does not see that
			m.fails("undo", nil)
			require.Equal(t, "1\n", w.read("b.txt"))
		}
		m.until("what can be undone now", func(*ahp.Changeset) bool {
			o := m.operation("undo")
			return o != nil && o.Label == "Undo: reverted b.txt"
		})
		m.invoke("undo", nil)
		require.Equal(t, "2\n", w.read("b.txt"))
		stop()
	}
}

// A failure stays on the operation; the answer and the status say the same.
func TestFailedOperation(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	w.write("a.txt", "2\n")
	h := w.host(brief)
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	require.NoError(t, os.WriteFile(w.path(".git/index.lock"), nil, 0o600))
	e := m.fails("stage", nil)
	require.Equal(t, ahp.CodeInternal, e.Code)
	running, failed := c.action(m.uri, "changeset/operationStatusChanged"), c.action(m.uri, "changeset/operationStatusChanged")
	require.JSONEq(t, `{"type":"changeset/operationStatusChanged","operationId":"stage","status":"running"}`, string(running.Action.Raw))
	var a struct {
		Status string
		Error  ahp.ErrorInfo
	}
	require.NoError(t, json.Unmarshal(failed.Action.Raw, &struct {
		Status *string
		Error  *struct{ Message *string }
	}{&a.Status, &struct{ Message *string }{&a.Error.Message}}))
	require.Equal(t, "error", a.Status)
	require.Equal(t, e.Message, a.Error.Message)
	require.NoError(t, os.Remove(w.path(".git/index.lock")))
	m.invoke("stage", nil)
	require.Contains(t, string(c.action(m.uri, "changeset/operationStatusChanged").Action.Raw), "running")
	require.Contains(t, string(c.action(m.uri, "changeset/operationStatusChanged").Action.Raw), "idle")
}

// Lines that are not those a client has been shown are not touched.
func TestStaleTargetIsRefused(t *testing.T) {
	w := newTree(t, "a.txt", "1\n2\n3\n")
	w.write("a.txt", "1\n2\nTHREE\n")
	h := w.host(brief) // which does not see what follows
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/uncommitted")
	m.files(w, "a.txt")
	w.write("a.txt", "0\n1\nTWO\nTHREE\n")
	e := m.fails("revert", onLines(w.uri("a.txt"), "after", 2, 3))
	require.Equal(t, ahp.CodeConflict, e.Code)
	require.Contains(t, e.Message, "a.txt has changed since it was shown")
	require.Equal(t, "0\n1\nTWO\nTHREE\n", w.read("a.txt"))
	m.until("the new version", func(s *ahp.Changeset) bool { return s.File(w.uri("a.txt")).Added == 3 })
	m.invoke("revert", onLines(w.uri("a.txt"), "after", 0, 1))
	require.Equal(t, "1\nTWO\nTHREE\n", w.read("a.txt"))
}

// Nor are lines of a version that git had and has not any more, or of a file that
// is written when the operation has begun.
func TestStaleTargetIsRefusedLate(t *testing.T) {
	w := newTree(t, "a.txt", "1\n2\n3\n4\n", "other.txt", "1\n")
	h := w.host(brief)
	c := connect(t, h)
	refused := func(m *changesetMirror, op string, target map[string]any) {
		t.Helper()
		e := m.fails(op, target)
		require.Equal(t, ahp.CodeConflict, e.Code, e.Message)
		require.Contains(t, e.Message, "a.txt has changed since it was shown")
	}

	// The index.
	w.write("a.txt", "ONE\n2\n3\n4\n")
	w.git("add", "a.txt")
	staged := c.mirror(h.names.Session + "/changeset/staged")
	staged.files(w, "a.txt")
	w.write("a.txt", "0\nONE\n2\n3\n4\n")
	w.git("add", "a.txt")
	refused(staged, "unstage", onLines(w.uri("a.txt"), "after", 0, 1))
	require.Equal(t, "0\nONE\n2\n3\n4", w.git("show", ":a.txt"))

	// HEAD.
	w.git("reset", "-q", "--hard")
	w.write("a.txt", "1\n3\n4\n")
	all := c.mirror(h.names.Session + "/changeset/uncommitted")
	all.files(w, "a.txt")
	w.write("a.txt", "1\nX\n2\n3\n4\n")
	w.git("commit", "-qam", "second")
	w.write("a.txt", "1\n3\n4\n")
	refused(all, "revert", onLines(w.uri("a.txt"), "before", 1, 2))
	require.Equal(t, "1\n3\n4\n", w.read("a.txt"))

	// The file, while git looks at another one.
	flag := filepath.Join(t.TempDir(), "flag")
	w.write(".git/info/attributes", "other.txt filter=writes\n")
	w.git("config", "filter.writes.clean", "if test -e '"+flag+"'; then rm '"+flag+"'; printf '0\\n1\\n3\\n4\\n' >a.txt; fi; cat")
	w.write("other.txt", "2\n")
	for _, op := range []string{"revert", "stage"} {
		w.write("a.txt", "1\nTHREE\n4\n")
		h.work.changed(session.Dirty{WorkTree: true, Index: true, Head: true})
		all.until("both files", func(s *ahp.Changeset) bool {
			f := s.File(w.uri("a.txt"))
			return f != nil && s.File(w.uri("other.txt")) != nil && f.After.Content.Nonce == h.tree.Version("a.txt")
		})
		require.NoError(t, os.WriteFile(flag, nil, 0o600))
		refused(all, op, onLines(w.uri("a.txt"), "after", 0, 2))
		require.NoFileExists(t, flag)
		require.Equal(t, "0\n1\n3\n4\n", w.read("a.txt"))
		require.Equal(t, "1\nX\n2\n3\n4", w.git("show", ":a.txt"))
	}
}

func TestReviewedFlags(t *testing.T) {
	w := newTree(t, "a.txt", "1\n", "b.txt", "1\n")
	w.git("switch", "-q", "-c", "feature")
	w.write("a.txt", "2\n")
	w.write("b.txt", "2\n")
	h, stop := w.startHost()
	c := connect(t, h)
	old := rawVersion(t, h, "0.5.2")
	branch := h.names.Session + "/changeset/branch"
	m, o := c.mirror(branch), old.mirror(branch)
	m.files(w, "a.txt", "b.txt")
	o.files(w, "a.txt", "b.txt")
	c.dispatch(branch, 1, map[string]any{"type": "changeset/filesReviewChanged", "files": []string{w.uri("a.txt"), "file:///ghost"}, "reviewed": true})
	require.Contains(t, string(old.action(branch, "changeset/filesReviewedChanged").Action.Raw), `"fileIds":["`)
	old.dispatch(branch, 1, map[string]any{"type": "changeset/filesReviewedChanged", "fileIds": []string{w.uri("b.txt")}, "reviewed": true})
	m.until("both flags", func(s *ahp.Changeset) bool { return s.File(w.uri("a.txt")).Reviewed && s.File(w.uri("b.txt")).Reviewed })
	c.dispatch(branch, 2, map[string]any{"type": "changeset/filesReviewChanged", "files": []string{w.uri("b.txt")}, "reviewed": false})
	m.until("one flag", func(s *ahp.Changeset) bool { return !s.File(w.uri("b.txt")).Reviewed })
	stop()

	h = w.host()
	c = connect(t, h)
	m = c.mirror(branch)
	s := m.files(w, "a.txt", "b.txt")
	require.True(t, s.File(w.uri("a.txt")).Reviewed, "it outlives the host")
	require.False(t, s.File(w.uri("b.txt")).Reviewed)
	w.write("a.txt", "3\n")
	m.until("the flag reset", func(s *ahp.Changeset) bool { return !s.File(w.uri("a.txt")).Reviewed })
	w.write("a.txt", "2\n")
	m.until("the flag back", func(s *ahp.Changeset) bool { return s.File(w.uri("a.txt")).Reviewed })
}
