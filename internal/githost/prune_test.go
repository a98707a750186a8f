package githost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/journal"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// refs are the names of our refs, without their prefix.
func (w *tree) refs(prefix string) []string {
	w.t.Helper()
	var names []string
	refs, err := w.repo().Refs(w.t.Context(), prefix)
	require.NoError(w.t, err)
	for _, ref := range refs {
		names = append(names, strings.TrimPrefix(ref.Name, prefix))
	}
	return names
}

// imports makes commits at refs, with messages and times, in one go.
func (w *tree) imports(commits func(commit func(ref, message string, at time.Time))) {
	w.t.Helper()
	var in strings.Builder
	commits(func(ref, message string, at time.Time) {
		fmt.Fprintf(&in, "commit %s\ncommitter x <x@localhost> %d +0000\ndata %d\n%s\n", ref, at.Unix(), len(message), message)
	})
	cmd := exec.Command("git", "-C", w.root, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "%s", out)
}

// A host that starts lets go of the oldest turns and operations, but of none
// that something still refers to.
func TestOldRefsGo(t *testing.T) {
	w := newTree(t, "a.txt", "0\n")
	repo := w.repo()
	const more = 5
	now := time.Now()
	start := now.Add(-2 * gitrepo.UndoAge)
	id := func(i int) string { return store.NewTurnID(start.Add(time.Duration(i) * time.Minute))[:18] + "-aaaaaa" }
	undo := func(i int) string {
		return "refs/ahp/undo/" + start.Add(time.Duration(i)*time.Minute).UTC().Format("20060102T150405") + "000-1"
	}
	w.imports(func(commit func(ref, message string, at time.Time)) {
		for i := range store.KeptTurns + more {
			at := start.Add(time.Duration(i) * time.Minute)
			commit(store.TurnRef(repo, id(i), "start"), store.TurnMessage(Turn{Title: "Turn", Started: at}), at)
			commit(store.TurnRef(repo, id(i), "end"), store.TurnMessage(Turn{Title: "Turn", Started: at}), at)
		}
		// Left behind by a host that was killed.
		commit(store.TurnRef(repo, store.NewTurnID(now), "start"), store.TurnMessage(Turn{Title: "Before the next turn", Guessed: true}), now)
		for i := range gitrepo.UndoCount + more {
			commit(undo(i), "reverted\n\nAhp-Operation: revert\nAhp-Worktree: "+repo.ID()+"\n", start.Add(time.Duration(i)*time.Minute))
		}
	})
	j, _, _, err := journal.Open[session.Record](store.File(repo, "annotations", ".jsonl"), now)
	require.NoError(t, err)
	require.NoError(t, j.Append([]session.Record{{Stash: &session.Stash{Turn: id(2), Undo: undo(3)}}}, func(func(session.Record) bool) {}, 0))
	require.NoError(t, j.Close())

	h, stop := w.startHost(brief)
	turns := w.refs(store.TurnPrefix(repo))
	require.Len(t, turns, 2*(store.KeptTurns+1))
	require.Equal(t, []string{id(2) + "/end", id(2) + "/start", id(more) + "/end", id(more) + "/start"}, turns[:4])
	undos := w.refs("refs/ahp/undo/")
	require.Len(t, undos, gitrepo.UndoCount+1)
	require.Equal(t, []string{strings.TrimPrefix(undo(3), "refs/ahp/undo/"), strings.TrimPrefix(undo(more), "refs/ahp/undo/")}, undos[:2])
	require.NotNil(t, connect(t, h).mirror(h.names.Session+"/changeset/turn/"+id(2)).ready())
	stop()

	// Who cannot read what refers to them lets none go.
	w.imports(func(commit func(ref, message string, at time.Time)) {
		commit(undo(0), "reverted\n\nAhp-Operation: revert\nAhp-Worktree: "+repo.ID()+"\n", start)
	})
	name := filepath.Join(w.root, ".git", "ahp", "annotations.jsonl")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, []byte("damaged\n"+string(data)), 0o600))
	_, stop = w.startHost(brief)
	require.Len(t, w.refs("refs/ahp/undo/"), gitrepo.UndoCount+2)
	stop()
}
