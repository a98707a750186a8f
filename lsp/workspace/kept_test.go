package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is kept is written in differences, one write at a time, and what is read
// does not undo what was kept or given up meanwhile.
func TestKeptHunks(t *testing.T) {
	w, c := changeOf(t, "one\ntwo\nthree\n", "one\nTWO\nthree\nfour\n", "one\nTWO\nthree\nfour\n", "one\nTWO\nthree\nfour\n")
	w.editor.remember = true
	uri := c.entry.URI()
	first := wanted[WriteKept](t, w.Apply(HunksKept{Change: c, Hunks: []int{0}, Keep: true}))
	require.Equal(t, KeptScopes{"": {uri: {c.content.Keys[0]: true}}}, first.Changes)
	require.Empty(t, w.Apply(HunksKept{Change: c, Hunks: []int{0}, Keep: false}), "while the first is written")
	w.Apply(KeptRead{Scope: "", Files: map[string][]string{uri: {c.content.Keys[0], c.content.Keys[1]}}})
	require.False(t, w.Kept(c, 0), "given up since")
	require.True(t, w.Kept(c, 1), "kept before")
	next := wanted[WriteKept](t, w.Apply(KeptWritten{}))
	require.Equal(t, KeptScopes{"": {uri: {c.content.Keys[0]: false}}}, next.Changes)
	require.Empty(t, w.Apply(KeptWritten{}))
	kept, all := w.KeptCount(c)
	require.Equal(t, []int{1, 2}, []int{kept, all})
}
