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
	require.Equal(t, h.session, list.Items[0].Resource)
	for _, uri := range []string{ahp.RootURI, h.session, h.chatURI, h.annotationsURI} {
		c.subscribe(uri)
	}
	c.everyAnnotationAction(w, h)

	work := c.mirror(h.session + "/changeset/uncommitted")
	staged, branch := c.mirror(h.session+"/changeset/staged"), c.mirror(h.session+"/changeset/branch")
	work.files(w)
	w.write("a.txt", strings.Replace(nineLines, "5", "five", 1))
	work.files(w, "a.txt")
	invoke(work, opStage, onLines(w.uri("a.txt"), "after", 4, 5))
	invoke(staged, opUnstage, nil)
	said := invoke(work, opRevert, onFile(w.uri("a.txt")))
	work.files(w)
	ref := strings.TrimSuffix(said[strings.Index(said, "refs/ahp/undo/"):], ").")
	work.invoke(opUndoRef+ref, nil)
	work.files(w, "a.txt")
	invoke(work, opRevert, nil)
	invoke(work, opUndo, nil)
	work.files(w, "a.txt")
	c.commit(work, "second")
	invoked[opCommit] = true
	work.files(w)

	c.everyTurnOperation(w, h, invoke)
	c.everyProposalOperation(w, h, invoke)

	// Another branch, more files than are told one by one, a flag, a failure.
	w.git("switch", "-q", "-c", "topic")
	for i := range 2 * fewChanges {
		w.write(fmt.Sprintf("many/%d.txt", i), "x\n")
	}
	branch.until("many files", func(s *ahp.Changeset) bool { return len(s.Files()) >= 2*fewChanges })
	c.dispatch(branch.uri, 100, map[string]any{"type": "changeset/filesReviewChanged", "files": []string{w.uri("many/1.txt")}, "reviewed": true})
	branch.until("the flag", func(s *ahp.Changeset) bool { return s.File(w.uri("many/1.txt")).Reviewed })
	w.write(".git/index.lock", "")
	work.until("many files", func(s *ahp.Changeset) bool { return len(s.Files()) >= 2*fewChanges })
	require.Contains(t, work.fails(opStage, nil).Message, "index.lock")
	work.until("the failure", func(*ahp.Changeset) bool { return work.operation(opStage).Status == ahp.OperationError })

	for _, kind := range []string{kindUncommitted, kindStaged, kindBranch, kindSession, kindTurn, kindCompare, kindPatchset} {
		for _, o := range offered(kind) {
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
		c.dispatch(h.annotationsURI, i+1, a)
		require.Empty(c.t, c.action(h.annotationsURI, a["type"].(string)).RejectionReason)
	}
}

// commit goes the two steps of it: the message is asked for, then given.
func (c *client) commit(m *changesetMirror, message string) {
	c.t.Helper()
	m.offers(opCommit, true)
	var r ahp.InvokeResult
	params := map[string]any{"channel": m.uri, "operationId": opCommit}
	c.result("invokeChangesetOperation", params, &r)
	require.NotNil(c.t, r.FollowUp)
	params["_meta"] = map[string]any{"ahp-lsp.commitMessage": message}
	c.result("invokeChangesetOperation", params, nil)
}

func (c *client) everyTurnOperation(w *tree, h *Host, invoke func(*changesetMirror, string, map[string]any) string) {
	t, ctx := c.t, context.Background()
	t.Helper()
	whole := c.mirror(h.session + "/changeset/session")
	var ids []string
	for _, text := range []string{"2\n", "3\n"} {
		turn, err := StartTurn(ctx, h.repo, "Turn", "agent")
		require.NoError(t, err)
		c.action(h.chatURI, "chat/turnStarted")
		w.write("b.txt", text)
		_, err = EndTurn(ctx, h.repo)
		require.NoError(t, err)
		c.action(h.chatURI, "chat/turnComplete")
		ids = append(ids, turn.ID)
	}
	between := c.mirror(h.session + "/changeset/compare/" + ids[0] + "/" + ids[1])
	between.files(w, "b.txt")
	turn := c.mirror(h.session + "/changeset/turn/" + ids[1])
	turn.files(w, "b.txt")
	invoke(turn, opStashTurn, nil)
	require.Equal(t, "2\n", w.read("b.txt"))
	invoke(turn, opUnstashTurn, nil)
	require.Equal(t, "3\n", w.read("b.txt"))
	invoke(turn, opRevertTurn, nil)
	require.Equal(t, "2\n", w.read("b.txt"))
	whole.files(w, "b.txt")
	invoke(whole, opRevert, nil)
	whole.files(w)
}

func (c *client) everyProposalOperation(w *tree, h *Host, invoke func(*changesetMirror, string, map[string]any) string) {
	t := c.t
	t.Helper()
	for _, op := range []string{opReject, opApply} {
		// What follows a diff makes it another file, and no other change.
		p, err := ImportPatchSet(context.Background(), h.repo, w.file(op+".patch", proposedDiff+"\n"+op), "why")
		require.NoError(t, err)
		c.action(h.session, "session/changesetsChanged")
		m := c.mirror(h.session + "/changeset/patchset/" + p.ID)
		f := m.files(w, "a.txt", "new.txt").File(w.uri("a.txt"))
		require.Contains(t, c.content(f.After.Content.URI), "NINE")
		invoke(m, op, nil)
		c.action(h.session, "session/changesetsChanged")
	}
	require.FileExists(t, w.path("new.txt"))
}
