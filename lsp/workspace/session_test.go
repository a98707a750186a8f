package workspace

import (
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionsOf(t *testing.T) {
	w := New(false, nil)
	add := func(uri string, dirs ...string) {
		raw, _ := json.Marshal(map[string]any{"workingDirectories": dirs})
		state, err := ahp.DecodeSession(raw)
		require.NoError(t, err)
		w.Apply(HostChanged{remote.SessionChanged{Session: uri, View: &remote.SessionView{URI: uri, State: state, Chat: &ahp.Chat{}}}})
	}
	add("s:/root", "file:///w")
	add("s:/slash", "file:///w/")
	add("s:/sub", "file:///w/sub", "file:///other")
	add("s:/none")
	add("s:/plain", "/w/sub")
	w.session("s:/new")
	w.Apply(HostChanged{remote.SessionsChanged{Sessions: []remote.SessionInfo{{URI: "s:/sub"}, {URI: "s:/root"}, {URI: "s:/slash"}, {URI: "s:/plain"}}}})
	require.Equal(t, []string{"s:/sub", "s:/root", "s:/slash", "s:/plain"}, w.SessionsOf("file:///w/sub/a.go"))
	require.Equal(t, []string{"s:/root", "s:/slash"}, w.SessionsOf("file:///w/subway/a.go"))
	require.Equal(t, []string{"s:/sub"}, w.SessionsOf("file:///other"))
	require.Empty(t, w.SessionsOf("file:///w2/a.go"))
}

func TestInsideURI(t *testing.T) {
	require.True(t, InsideURI("file:///w/a", "file:///w"))
	require.True(t, InsideURI("file:///w", "file:///w/"))
	require.True(t, InsideURI("file:///w", "file:///w"))
	require.True(t, InsideURI("file:///a", "file:///"))
	require.False(t, InsideURI("file:///wide", "file:///w"))
}

// What we quote of a long selection is found again as what it was.
func TestLongQuoteProves(t *testing.T) {
	text := strings.Repeat("a line of code\n", 400)
	f := &File{disk: disked("package x\n" + text)}
	span := mapping.Span{Start: 10, End: 10 + len(text)}
	r := HostRange(f.disk.Text, span)
	a := &ahp.Annotation{ID: "a", Range: &r, Meta: ahp.NewFeedback("s:/1", text[:2048])}
	anchor := makeAnchor(a, f, nil)
	require.NotNil(t, anchor.Base, "proved by its quote, not looked for")
	require.Equal(t, span, anchor.Span)
}
