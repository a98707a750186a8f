package bridge

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every reason has a sentence of its own, and names the folder it is about.
func TestReasons(t *testing.T) {
	seen := map[string]ReasonKind{}
	for kind := ReasonUnknown; kind <= ReasonNotFile; kind++ {
		text := Reason{Kind: kind, Folder: "/work"}.String()
		require.NotEmpty(t, text)
		other, twice := seen[text]
		require.False(t, twice, "%d and %d: %s", kind, other, text)
		seen[text] = kind
		if (Reason{Kind: kind}).Elsewhere() {
			require.Contains(t, text, "it works in /work")
		} else {
			require.NotContains(t, text, "/work")
		}
	}
	require.Empty(t, Reason{}.String())
}

// In JSON a reason is its sentence, and no reason is left out.
func TestReasonJSON(t *testing.T) {
	for _, tc := range []struct {
		info SessionInfo
		want any
	}{
		{SessionInfo{Followed: true}, nil},
		{SessionInfo{Reason: Reason{Kind: ReasonElsewhere, Folder: "/a"}}, "it works in /a; open that folder to review it"},
	} {
		data, err := json.Marshal(tc.info)
		require.NoError(t, err)
		var members map[string]any
		require.NoError(t, json.Unmarshal(data, &members))
		require.Equal(t, tc.want, members["reason"])
	}
}
