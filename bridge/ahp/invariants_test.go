package ahp

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
)

// What is true of every state, whatever a host has sent.

func checkAnnotations(t require.TestingT, s *Annotations) {
	live := 0
	for i, a := range s.items {
		if a == nil {
			continue
		}
		live++
		require.NotEmpty(t, a.ID)
		require.Equal(t, i, s.index[a.ID])
		require.Same(t, a, s.Get(a.ID))
	}
	require.Len(t, s.index, live)
	require.Equal(t, live, s.Len())
	require.LessOrEqual(t, len(s.items)-live, max(31, live), "holes")
	checkWritable(t, s)
}

func checkChangeset(t require.TestingT, c *Changeset) {
	require.Equal(t, c.Len(), len(c.Files()))
	at := map[string][]*ChangesetFile{}
	for _, f := range c.Files() {
		require.NotNil(t, f)
		require.NotEmpty(t, f.ID)
		require.Same(t, f, c.File(f.ID))
		for _, uri := range f.uris() {
			if uri != "" {
				at[uri] = append(at[uri], f)
			}
		}
		for _, side := range []*FileSide{f.Before, f.After} {
			require.True(t, side == nil || side.URI != "")
		}
	}
	require.Equal(t, len(at), c.files.byURI.Len())
	for uri, files := range at {
		require.Equal(t, files, c.FilesAt(uri), uri)
	}
	ids := map[string]bool{}
	for _, op := range c.Operations {
		require.NotEmpty(t, op.ID)
		require.False(t, ids[op.ID])
		ids[op.ID] = true
	}
	checkWritable(t, c)
}

func checkSession(t require.TestingT, s *Session) {
	uris := map[string]bool{}
	for _, c := range s.Chats {
		require.NotEmpty(t, c.Resource)
		require.False(t, uris[c.Resource])
		uris[c.Resource] = true
	}
	for _, c := range s.Changesets {
		require.NotEmpty(t, c.Template)
	}
	require.NotContains(t, s.Directories(), "")
	checkWritable(t, s)
}

func checkChat(t require.TestingT, c *Chat) {
	for _, turn := range c.Turns {
		require.NotEmpty(t, turn.ID)
	}
	if c.Active != nil {
		require.NotEmpty(t, c.Active.ID)
	}
}

// checkWritable: a state can be written, as JSON that reads as the same state.
func checkWritable(t require.TestingT, v any) {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.True(t, json.Valid(data))
}

// checkProblems: few, short, and of the documented type.
func checkProblems(t require.TestingT, err error) {
	if err == nil {
		return
	}
	var p Problems
	require.ErrorAs(t, err, &p)
	require.NotEmpty(t, p)
	require.LessOrEqual(t, len(p), maxProblems+1)
	require.Less(t, len(err.Error()), 64<<10)
}
