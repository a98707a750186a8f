package lsp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// leaves writes a comment, a reply to a1 and one to the new comment while the host
// is away, and quits the editor. It returns the new comment's id.
func (r *rig) leaves() (id string) {
	r.t.Helper()
	goesAway := r.hostCanGo()
	r.commented()
	r.start()
	r.opens("greet.go")
	goesAway()
	out := r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", byeCall), "text": "A long thought."})
	require.Equal(r.t, true, out["ok"])
	id = out["annotation"].(string)
	r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": id, "text": "And more of it."})
	r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": "Another one."})
	r.commands("ahp.annotation.resolve", map[string]any{"session": one, "annotation": "a1"})
	r.end()
	return id
}

// records are the files of a kind in a store.
func records(t *testing.T, dir, kind string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, kind, "*.json"))
	require.NoError(t, err)
	return names
}

func textsOf(a *ahp.Annotation) (texts []string) {
	if a != nil {
		for _, e := range a.Entries {
			texts = append(texts, e.Text.Value)
		}
	}
	return texts
}

// What was written while the host was away, and not sent when the editor was left,
// is sent by the next server: once, and not if the host has it.
func TestUnsentTextIsSentNextTime(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		dir := r.t.TempDir()
		r.cfg.StateDir = dir
		id := r.leaves()
		kept := records(r.t, dir, "unsent")
		require.Len(r.t, kept, 1)
		info, err := os.Stat(kept[0])
		require.NoError(r.t, err)
		require.Zero(r.t, info.Mode().Perm()&0o077, "nobody else's business")
		left, err := os.ReadFile(kept[0])
		require.NoError(r.t, err)

		next := newRig(r.t, "helix", ahptest.Options{})
		next.cfg.StateDir = dir
		next.commented()
		next.start()
		require.Equal(r.t, []string{"A long thought.", "And more of it."}, textsOf(next.host.Annotation(one, id)))
		require.Equal(r.t, []string{"Too short.", "Another one."}, textsOf(next.host.Annotation(one, "a1")))
		require.False(r.t, next.host.Annotation(one, "a1").Resolved, "a state is not kept: it may not be wanted any more")
		require.Empty(r.t, records(r.t, dir, "unsent"))

		// The connection had been lost behind it: the host has it, and an answer to it.
		require.NoError(r.t, os.WriteFile(kept[0], left, 0o600))
		next.does("the agent answers", annotations, entrySet(id, id+":9", "I see.", ""))
		next.end()
		again := newRig(r.t, "neovim", ahptest.Options{})
		again.commented()
		again.host.SetAnnotations(one, next.host.Annotation(one, "a1"), next.host.Annotation(one, id))
		again.cfg.StateDir = dir
		again.start()
		require.Equal(r.t, []string{"A long thought.", "And more of it.", "I see."}, textsOf(again.host.Annotation(one, id)))
		require.Equal(r.t, []string{"Too short.", "Another one."}, textsOf(again.host.Annotation(one, "a1")))
		require.Empty(r.t, records(r.t, dir, "unsent"))
	})
}

// A reply to a comment that is gone when it could be sent is told, with its text.
func TestUnsentReplyToNothing(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		dir := r.t.TempDir()
		r.cfg.StateDir = dir
		r.leaves()
		next := newRig(r.t, "neovim", ahptest.Options{})
		next.cfg.StateDir = dir
		next.commented()
		next.host.SetAnnotations(one)
		next.start()
		require.Nil(r.t, next.host.Annotation(one, "a1"))
		told := next.log.text()
		require.Contains(r.t, told, "the comment is gone")
		require.Contains(r.t, told, "Your text was: Another one.")
	})
}
