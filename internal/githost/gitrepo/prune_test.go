package gitrepo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"

	"github.com/stretchr/testify/require"
)

// manyRecords makes n records of operations, a day apart, the last one day
// before now, as the engine does but in one go. It returns their names, oldest
// first.
func manyRecords(w *tree, prefix, worktree string, n int, now time.Time) (names []string) {
	w.t.Helper()
	var in strings.Builder
	for i := range n {
		at := now.Add(-time.Duration(n-i) * 24 * time.Hour)
		name := prefix + at.UTC().Format("20060102T150405") + "000-1"
		names = append(names, name)
		message := record{operation: "revert", message: fmt.Sprint("reverted ", i)}.text(worktree)
		fmt.Fprintf(&in, "commit %s\ncommitter x <x@localhost> %d +0000\ndata %d\n%s\n", name, at.Unix(), len(message), message)
	}
	_, err := w.repo.cmd.Run(w.t.Context(), gitcmd.Command{Args: []string{"fast-import", "--quiet"}, Stdin: strings.NewReader(in.String())})
	require.NoError(w.t, err)
	return names
}

func TestPruneUndo(t *testing.T) {
	w := newTree(t, "a", "1\n")
	now := time.Now()
	names := manyRecords(w, undoPrefix, w.repo.ID(), UndoCount+20, now)
	others := manyRecords(w, undoPrefix+"other-", "another work tree", UndoCount+20, now)
	few := manyRecords(w, undonePrefix, w.repo.ID(), 50, now)
	w.git("update-ref", "refs/ahp/turn/x/start", "HEAD")

	deleted, err := w.repo.PruneUndo(t.Context(), now, map[string]bool{names[3]: true})
	require.NoError(t, err)
	require.ElementsMatch(t, append(names[:3:3], names[4:20]...), deleted)
	left := strings.Fields(w.recordsGit("for-each-ref", "--format=%(refname)", "refs/ahp/"))
	want := append(append(append([]string{names[3]}, names[20:]...), others...), few...)
	require.ElementsMatch(t, append(want, "refs/ahp/turn/x/start"), left)
	list, err := w.repo.UndoList(t.Context())
	require.NoError(t, err)
	require.Len(t, list, UndoCount+1)

	// Again, there is nothing to do.
	deleted, err = w.repo.PruneUndo(t.Context(), now, map[string]bool{names[3]: true})
	require.NoError(t, err)
	require.Empty(t, deleted)
}

// Many records of a busy month stay.
func TestPruneUndoKeepsWhatIsYoung(t *testing.T) {
	w := newTree(t, "a", "1\n")
	now := time.Now().Truncate(time.Second)
	names := manyRecords(w, undoPrefix, w.repo.ID(), UndoCount+20, now)
	oldest := now.Add(-(UndoCount + 20) * 24 * time.Hour)
	deleted, err := w.repo.PruneUndo(t.Context(), oldest.Add(UndoAge), nil)
	require.NoError(t, err)
	require.Empty(t, deleted)
	deleted, err = w.repo.PruneUndo(t.Context(), oldest.Add(UndoAge+5*24*time.Hour), nil)
	require.NoError(t, err)
	require.ElementsMatch(t, names[:5], deleted)
}

// A ref that somebody else is changing keeps all of them for the next time.
func TestDeleteRefsIsAllOrNothing(t *testing.T) {
	w := newTree(t, "a", "1\n")
	names := manyRecords(w, undoPrefix, w.repo.ID(), 3, time.Now())
	refs, err := w.repo.Refs(t.Context(), undoPrefix)
	require.NoError(t, err)
	w.recordsGit("update-ref", names[1], names[0])
	require.ErrorContains(t, w.repo.DeleteRefs(t.Context(), refs), "delete 3 refs below refs/ahp/")
	require.Len(t, strings.Fields(w.recordsGit("for-each-ref", "--format=%(refname)", undoPrefix)), 3)
	require.Error(t, w.repo.DeleteRefs(t.Context(), []Ref{{Name: "refs/heads/main"}}))
	w.git("rev-parse", "refs/heads/main")
}
