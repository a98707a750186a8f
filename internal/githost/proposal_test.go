package githost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
)

const proposedDiff = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
-1
+ONE
 2
 3
@@ -7,3 +7,3 @@
 7
 8
-9
+NINE
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
`

const nineLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

func (w *tree) file(name, content string) string {
	w.t.Helper()
	full := filepath.Join(w.t.TempDir(), name)
	require.NoError(w.t, os.WriteFile(full, []byte(content), 0o600))
	return full
}

func TestProposal(t *testing.T) {
	w := newTree(t, "a.txt", nineLines)
	repo, ctx := w.repo(), context.Background()
	h, stop := w.startHost()
	c := connect(t, h)
	c.subscribe(h.names.Session)
	p, err := ImportPatchSet(ctx, repo, w.file("fix.patch", proposedDiff), "because it is better")
	require.NoError(t, err)
	require.Equal(t, "fix", p.Title)
	require.Equal(t, []string{"a.txt", "new.txt"}, p.Files)
	require.Empty(t, p.Problems)
	e := c.action(h.names.Session, "session/changesetsChanged")
	s := &ahp.Session{}
	_, err = s.Apply(e.Action)
	require.NoError(t, err)
	last := s.Changesets[len(s.Changesets)-1]
	require.Equal(t, "patchset", last.Kind)
	require.Equal(t, "because it is better", last.Description)
	require.Equal(t, "Proposal: fix", last.Label)

	m := c.mirror(last.Template)
	cs := m.files(w, "a.txt", "new.txt")
	f := cs.File(w.uri("a.txt"))
	require.Equal(t, nineLines, c.content(f.Before.Content.URI))
	require.Equal(t, w.uri("a.txt"), f.Before.Content.URI)
	require.Equal(t, "ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n", c.content(f.After.Content.URI))
	require.Equal(t, nineLines, w.read("a.txt"), "nothing is on disk yet")
	require.Equal(t, "new\n", c.content(cs.File(w.uri("new.txt")).After.Content.URI))
	require.Nil(t, m.operation("apply").Confirmation)
	require.NotNil(t, m.operation("reject").Confirmation)
	old := f.After.Content.URI

	// Hunk by hunk, file by file; the last one makes it applied.
	m.invoke("apply", onLines(w.uri("a.txt"), "before", 0, 1))
	require.Equal(t, "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n", w.read("a.txt"))
	m.until("one hunk left", func(s *ahp.Changeset) bool { f := s.File(w.uri("a.txt")); return f != nil && f.Added == 1 })
	m.invoke("undo", nil)
	require.Equal(t, nineLines, w.read("a.txt"))
	m.until("both hunks", func(s *ahp.Changeset) bool { return s.File(w.uri("a.txt")).Added == 2 })
	require.Equal(t, old, m.state.File(w.uri("a.txt")).After.Content.URI)
	m.invoke("apply", onFile(w.uri("a.txt")))
	m.files(w, "new.txt")
	require.Equal(t, ahp.CodeNotFound, c.refused("resourceRead", map[string]any{"channel": ahp.RootURI, "uri": old}).Code)
	m.invoke("apply", nil)
	require.Equal(t, "new\n", w.read("new.txt"))
	s = &ahp.Session{}
	_, err = s.Apply(c.action(h.names.Session, "session/changesetsChanged").Action)
	require.NoError(t, err)
	for _, e := range s.Changesets {
		require.NotEqual(t, "patchset", e.Kind, "it has been decided")
	}
	m.files(w)
	stop()

	h = w.host(brief)
	_, verdict := h.state.Proposals().Find(p.ID)
	require.Equal(t, session.VerdictApplied, verdict, "the verdict outlives the host")
	c = connect(t, h)
	e2 := c.refused("invokeChangesetOperation", map[string]any{"channel": h.names.Session + "/changeset/patchset/" + p.ID, "operationId": "reject"})
	require.Equal(t, ahp.CodeInvalidParams, e2.Code)
	require.Contains(t, e2.Message, "has been applied already")
}

func TestRejectedProposal(t *testing.T) {
	w := newTree(t, "a.txt", nineLines)
	p, err := ImportPatchSet(context.Background(), w.repo(), w.file("x.diff", proposedDiff), "")
	require.NoError(t, err)
	h := w.host(brief)
	c := connect(t, h)
	c.subscribe(h.names.Session)
	m := c.mirror(h.names.Session + "/changeset/patchset/" + p.ID)
	m.files(w, "a.txt", "new.txt")
	m.invoke("reject", nil)
	m.files(w)
	c.action(h.names.Session, "session/changesetsChanged")
	require.Equal(t, nineLines, w.read("a.txt"))
	require.Contains(t, m.fails("apply", nil).Message, "Unknown operation")
}

// What does not fit is said, with the line, and the rest is applied.
func TestProposalThatFitsInPart(t *testing.T) {
	w := newTree(t, "a.txt", strings.Replace(nineLines, "2\n", "two\n", 1))
	p, err := ImportPatchSet(context.Background(), w.repo(), w.file("x.diff", proposedDiff), "")
	require.NoError(t, err)
	require.Len(t, p.Problems, 1)
	require.Contains(t, p.Problems[0], "a.txt:")
	h := w.host(brief)
	c := connect(t, h)
	m := c.mirror(h.names.Session + "/changeset/patchset/" + p.ID)
	s := m.files(w, "a.txt", "new.txt")
	raw, err := ahp.Marshal(s.File(w.uri("a.txt")))
	require.NoError(t, err)
	require.Contains(t, string(raw), `"state":"partial"`)
	require.Contains(t, m.operation("apply").Description, "a.txt:")
	said := m.invoke("apply", nil)
	require.Equal(t, "1\ntwo\n3\n4\n5\n6\n7\n8\nNINE\n", w.read("a.txt"))
	require.NotContains(t, w.read("a.txt"), "<<<<")
	require.Contains(t, said, "a.txt")
	_, verdict := h.state.Proposals().Find(p.ID)
	require.Empty(t, verdict, "a part of it is still proposed")
}

func TestPatchSetObjects(t *testing.T) {
	w := newTree(t, "a.txt", nineLines)
	repo, ctx := w.repo(), context.Background()
	dir := t.TempDir()
	object := func(name string, o map[string]any) string {
		raw, err := json.Marshal(o)
		require.NoError(t, err)
		full := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(full, raw, 0o600))
		return full
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "the.diff"), []byte(proposedDiff), 0o600))
	other := strings.ReplaceAll(proposedDiff, "ONE", "UN")
	third := strings.ReplaceAll(proposedDiff, "ONE", "EINS")
	touched := []any{map[string]any{"path": "a.txt", "change_type": "modify", "lines_added": 2, "lines_deleted": 2}}

	one, err := ImportPatchSet(ctx, repo, object("one.json", map[string]any{
		"object_id": "p1", "run": "r", "commit": "abc", "format": "git_diff", "apply_status": "proposed", "sequence": 1,
		"artifact": map[string]any{"store": "s3", "key": "runs/7/the.diff"}, "touched": touched, "rationale": "first try",
	}), "")
	require.NoError(t, err)
	require.Equal(t, "p1", one.ID)
	two, err := ImportPatchSet(ctx, repo, object("two.json", map[string]any{
		"object_id": "p2", "run": map[string]any{"id": "r"}, "sequence": 2, "diff_format": "unified_diff",
		"diff_artifact": map[string]any{"inline": base64.StdEncoding.EncodeToString([]byte(other)), "encoding": "base64"}, "touched_files": touched,
	}), "second try")
	require.NoError(t, err)
	three, err := ImportPatchSet(ctx, repo, object("three.json", map[string]any{"object_id": "../../evil", "diff": third}), "")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(three.ID, "diff-"), "an id that is no file name is not used as one")
	_, err = ImportPatchSet(ctx, repo, filepath.Join(dir, "one.json"), "")
	require.ErrorIs(t, err, ErrExists)

	h := w.host(brief)
	var ids []string
	h.with(func(s *session.State) {
		for _, p := range s.Proposals().Open() {
			ids = append(ids, p.ID)
		}
	})
	require.Equal(t, []string{three.ID, two.ID, one.ID}, ids, "the newest attempt of a run first, the older ones last")

	for why, file := range map[string]string{
		`apply_status is "applied"`:         object("4.json", map[string]any{"object_id": "p4", "diff": third, "apply_status": "applied"}),
		"no diff":                           object("5.json", map[string]any{"object_id": "p5"}),
		"neither a diff nor a PatchSet":     w.file("6.json", "{oops"),
		"no such file":                      object("7.json", map[string]any{"artifact": map[string]any{"key": "../../../etc/passwd-not"}}),
		gitrepo.ErrUnsafePath.Error():       w.file("8.diff", strings.ReplaceAll(proposedDiff, "new.txt", "../new.txt")),
		gitrepo.ErrMalformedPatch.Error():   w.file("9.diff", "hello\n"),
		"no such file or directory":         filepath.Join(dir, "missing"),
		"names no file":                     object("10.json", map[string]any{"artifact": map[string]any{"key": ".."}}),
		"unsafe path":                       w.file("11.diff", strings.ReplaceAll(proposedDiff, "b/new.txt", "b/.git/hooks/x")),
		"artifact cannot be read: json":     object("12.json", map[string]any{"artifact": 7}),
		"malformed patch: it changes no fi": w.file("13.diff", ""),
	} {
		_, err := ImportPatchSet(ctx, repo, file, "")
		require.ErrorContains(t, err, strings.Split(why, ": it changes")[0], file)
	}
}

// What was acted on is told first: whoever acts on it again at once, as with one
// hunk after the other, must not be refused for what only the host knows yet.
func TestWhatWasActedOnIsToldFirst(t *testing.T) {
	w := newTree(t, "a.txt", nineLines)
	h := w.host(brief)
	p, err := ImportPatchSet(context.Background(), h.repo, w.file("fix.patch", proposedDiff), "")
	require.NoError(t, err)
	h.work.loadPatchsets()
	c := connect(t, h)
	work, m := c.mirror(h.names.Session+"/changeset/uncommitted"), c.mirror(h.names.Session+"/changeset/patchset/"+p.ID)
	work.files(w)
	m.files(w, "a.txt", "new.txt")
	m.invoke("apply", onLines(w.uri("a.txt"), "before", 0, 1))
	var order []string
	c.until("both", func() bool {
		order = nil
		for _, f := range c.frames {
			var e ahp.Envelope
			if f.Method == "action" && json.Unmarshal(f.Params, &e) == nil && e.Action.Type == ahp.TypeChangesetFileSet {
				order = append(order, e.Channel)
			}
		}
		return len(order) == 2
	})
	require.Equal(t, []string{m.uri, work.uri}, order)
}
