package githost

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/session"
)

// TestEveryFrameFits has a host do everything it can, once: each operation it
// offers is invoked, and each kind of action and notification it sends comes. The
// client holds every frame against the published schemas.
func TestEveryFrameFits(t *testing.T) {
	w := newTree(t, "a.txt", nineLines, "b.txt", "1\n")
	h := w.host()
	c := connect(t, h)
	invoked := map[string]bool{}
	invoke := func(m *changesetMirror, op string, target map[string]any) string {
		t.Helper()
		m.offers(op, true)
		invoked[op] = true
		return m.invoke(op, target)
	}
	var list struct{ Items []struct{ Resource string } }
	c.result("listSessions", map[string]any{"channel": ahp.RootURI}, &list)
	require.Equal(t, h.names.Session, list.Items[0].Resource)
	for _, uri := range []string{ahp.RootURI, h.names.Session, h.names.Chat, h.names.Annotations} {
		c.subscribe(uri)
	}
	c.everyAnnotationAction(w, h)

	work := c.mirror(h.names.Session + "/changeset/uncommitted")
	staged, branch := c.mirror(h.names.Session+"/changeset/staged"), c.mirror(h.names.Session+"/changeset/branch")
	work.files(w)
	w.write("a.txt", strings.Replace(nineLines, "5", "five", 1))
	work.files(w, "a.txt")
	invoke(work, session.OpStage, onLines(w.uri("a.txt"), "after", 4, 5))
	invoke(staged, session.OpUnstage, nil)
	said := invoke(work, session.OpRevert, onFile(w.uri("a.txt")))
	work.files(w)
	ref := strings.TrimSuffix(said[strings.Index(said, "refs/ahp/undo/"):], ").")
	work.invoke(session.OpUndoRef+ref, nil)
	work.files(w, "a.txt")
	invoke(work, session.OpRevert, nil)
	invoke(work, session.OpUndo, nil)
	work.files(w, "a.txt")
	c.commit(work, "second")
	invoked[session.OpCommit] = true
	work.files(w)

	c.everyTurnOperation(w, h, invoke)
	c.everyProposalOperation(w, h, invoke)

	// Another branch, more files than are told one by one, a flag, a failure.
	w.git("switch", "-q", "-c", "topic")
	for i := range manyFiles {
		w.write(fmt.Sprintf("many/%d.txt", i), "x\n")
	}
	branch.until("many files", func(s *ahp.Changeset) bool { return len(s.Files()) >= manyFiles })
	c.dispatch(branch.uri, 100, map[string]any{"type": "changeset/filesReviewChanged", "files": []string{w.uri("many/1.txt")}, "reviewed": true})
	branch.until("the flag", func(s *ahp.Changeset) bool { return s.File(w.uri("many/1.txt")).Reviewed })
	w.write(".git/index.lock", "")
	work.until("many files", func(s *ahp.Changeset) bool { return len(s.Files()) >= manyFiles })
	require.Contains(t, work.fails(session.OpStage, nil).Message, "index.lock")
	work.until("the failure", func(*ahp.Changeset) bool { return work.operation(session.OpStage).Status == ahp.OperationError })

	for _, kind := range []string{session.KindUncommitted, session.KindStaged, session.KindBranch, session.KindSession, session.KindTurn, session.KindCompare, session.KindPatchset} {
		for _, o := range session.Offered(kind) {
			require.True(t, invoked[o.ID], "%s of %s has not been tried", o.ID, kind)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := maps.Clone(c.kinds)
	for name := range schemas() {
		area, name, _ := strings.Cut(name, "/")
		if action, ok := strings.CutSuffix(name, "Action"); area == "actions" && ok {
			for _, channel := range []string{"Changeset", "Annotations", "Session", "Chat"} {
				if verb, ok := strings.CutPrefix(action, channel); ok {
					kind := strings.ToLower(channel) + "/" + strings.ToLower(verb[:1]) + verb[1:]
					require.True(t, c.kinds[kind], "no %s has come", kind)
					delete(missing, kind)
				}
			}
		}
	}
	require.Equal(t, []string{ahp.NoteSessionSummaryChanged}, slices.Collect(maps.Keys(missing)), "without an action's schema")
}

// everyAnnotationAction sends each of them and waits for its echo.
func (c *client) everyAnnotationAction(w *tree, h *Host) {
	c.t.Helper()
	entry := map[string]any{"id": "n.2", "text": "more"}
	for i, a := range []map[string]any{
		set(note("n", "resource", w.uri("a.txt"))),
		{"type": "annotations/updated", "annotationId": "n", "resolved": true},
		{"type": "annotations/entrySet", "annotationId": "n", "entry": entry},
		{"type": "annotations/entryRemoved", "annotationId": "n", "entryId": "n.2"},
		{"type": "annotations/removed", "annotationId": "n"},
	} {
		c.dispatch(h.names.Annotations, i+1, a)
		require.Empty(c.t, c.action(h.names.Annotations, a["type"].(string)).RejectionReason)
	}
}

// commit goes the two steps of it: the message is asked for, then given.
func (c *client) commit(m *changesetMirror, message string) {
	c.t.Helper()
	m.offers(session.OpCommit, true)
	var r ahp.InvokeResult
	params := map[string]any{"channel": m.uri, "operationId": session.OpCommit}
	c.result("invokeChangesetOperation", params, &r)
	require.NotNil(c.t, r.FollowUp)
	params["_meta"] = map[string]any{"ahp-lsp.commitMessage": message}
	c.result("invokeChangesetOperation", params, nil)
}

func (c *client) everyTurnOperation(w *tree, h *Host, invoke func(*changesetMirror, string, map[string]any) string) {
	t, ctx := c.t, context.Background()
	t.Helper()
	whole := c.mirror(h.names.Session + "/changeset/session")
	var ids []string
	for _, text := range []string{"2\n", "3\n"} {
		turn, err := StartTurn(ctx, h.repo, "Turn", "agent")
		require.NoError(t, err)
		c.action(h.names.Chat, "chat/turnStarted")
		w.write("b.txt", text)
		_, err = EndTurn(ctx, h.repo)
		require.NoError(t, err)
		c.action(h.names.Chat, "chat/turnComplete")
		ids = append(ids, turn.ID)
	}
	between := c.mirror(h.names.Session + "/changeset/compare/" + ids[0] + "/" + ids[1])
	between.files(w, "b.txt")
	turn := c.mirror(h.names.Session + "/changeset/turn/" + ids[1])
	turn.files(w, "b.txt")
	invoke(turn, session.OpStashTurn, nil)
	require.Equal(t, "2\n", w.read("b.txt"))
	invoke(turn, session.OpUnstashTurn, nil)
	require.Equal(t, "3\n", w.read("b.txt"))
	invoke(turn, session.OpRevertTurn, nil)
	require.Equal(t, "2\n", w.read("b.txt"))
	whole.files(w, "b.txt")
	invoke(whole, session.OpRevert, nil)
	whole.files(w)
}

func (c *client) everyProposalOperation(w *tree, h *Host, invoke func(*changesetMirror, string, map[string]any) string) {
	t := c.t
	t.Helper()
	for _, op := range []string{session.OpReject, session.OpApply} {
		// What follows a diff makes it another file, and no other change.
		p, err := ImportPatchSet(context.Background(), h.repo, w.file(op+".patch", proposedDiff+"\n"+op), "why")
		require.NoError(t, err)
		c.action(h.names.Session, "session/changesetsChanged")
		m := c.mirror(h.names.Session + "/changeset/patchset/" + p.ID)
		f := m.files(w, "a.txt", "new.txt").File(w.uri("a.txt"))
		require.Contains(t, c.content(f.After.Content.URI), "NINE")
		invoke(m, op, nil)
		c.action(h.names.Session, "session/changesetsChanged")
	}
	require.FileExists(t, w.path("new.txt"))
}

// manyFiles is more than are told one by one.
const manyFiles = 32
