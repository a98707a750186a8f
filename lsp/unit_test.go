package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

func TestSettingsOver(t *testing.T) {
	yes, no := ptr(true), ptr(false)
	low := Settings{Host: "env", Token: "env", Diagnostics: yes, Severity: map[string]string{"open": "hint", "awaiting": "error"}, Changesets: []string{"branch"}}
	got := low.Over(Settings{Host: "high", Diagnostics: no, Severity: map[string]string{"open": "warning"}})
	require.Equal(t, Settings{
		Host: "high", Token: "env", Diagnostics: no, Changesets: []string{"branch"},
		Severity: map[string]string{"open": "warning", "awaiting": "error"},
	}, got)
	require.Equal(t, "hint", low.Severity["open"], "the sources are not changed")
	require.Equal(t, low, low.Over(Settings{}))
	require.Equal(t, low, Settings{}.Over(low))
}

func TestTokenFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	require.Equal(t, "secret", Settings{Host: "ws://h", TokenFile: write("good", " secret\n", 0o600)}.Hosts(nil, nil)()[0].Token)
	for path, want := range map[string]string{
		write("open", "secret", 0o644): "can be read by other users (mode 0644): run chmod 600",
		write("empty", "\n", 0o600):    "is empty",
		filepath.Join(dir, "none"):     "no such file",
	} {
		hosts := Settings{Host: "ws://h", TokenFile: path}.Hosts(nil, nil)()
		require.Len(t, hosts, 1)
		require.ErrorContains(t, hosts[0].Err, want, "told when it is tried")
	}
	require.Equal(t, []bridge.Host{{URL: "ws://h", Token: "given"}}, Settings{Host: "ws://h", Token: "given", TokenFile: "/none"}.Hosts(nil, nil)())
	require.Empty(t, Settings{Host: "auto"}.Hosts(nil, nil)())
}

func TestSessionsOf(t *testing.T) {
	s := New(Config{})
	s.host = bridge.New(bridge.Config{OnChange: func(bridge.Change) {}})
	add := func(uri string, dirs ...string) {
		raw, _ := json.Marshal(map[string]any{"workingDirectories": dirs})
		state, err := ahp.DecodeSession(raw)
		require.NoError(t, err)
		s.sessions[uri] = &session{view: &bridge.SessionView{URI: uri, State: state, Chat: &ahp.Chat{}}}
	}
	add("s:/root", "file:///w")
	add("s:/slash", "file:///w/")
	add("s:/sub", "file:///w/sub", "file:///other")
	add("s:/none")
	add("s:/plain", "/w/sub")
	s.sessions["s:/new"] = &session{}
	s.listed = []bridge.SessionInfo{{URI: "s:/sub"}, {URI: "s:/root"}, {URI: "s:/slash"}, {URI: "s:/plain"}}
	require.Equal(t, []string{"s:/sub", "s:/root", "s:/slash", "s:/plain"}, s.sessionsOf("file:///w/sub/a.go"))
	require.Equal(t, []string{"s:/root", "s:/slash"}, s.sessionsOf("file:///w/subway/a.go"))
	require.Equal(t, []string{"s:/sub"}, s.sessionsOf("file:///other"))
	require.Empty(t, s.sessionsOf("file:///w2/a.go"))
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	missing := readFile(path, disk{})
	require.True(t, missing.known && missing.text == nil)
	require.Equal(t, "the file does not exist", missing.why)
	require.NoError(t, os.WriteFile(path, []byte("\uFEFFone\r\n"), 0o644))
	first := readFile(path, missing)
	require.Equal(t, "one\r\n", first.text.String(), "no byte order mark")
	require.Same(t, first.text, readFile(path, first).text, "equal texts are one")

	// Within the resolution of file times an equal stamp proves nothing.
	stamp, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("\uFEFFtwo\r\n"), 0o644))
	require.NoError(t, os.Chtimes(path, stamp.ModTime(), stamp.ModTime()))
	require.Equal(t, "two\r\n", readFile(path, first).text.String())
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, old, old))
	second := readFile(path, first)
	require.NoError(t, os.WriteFile(path, []byte("\uFEFFsix\r\n"), 0o644))
	require.NoError(t, os.Chtimes(path, old, old))
	require.Same(t, second.text, readFile(path, second).text, "not read again")

	require.NoError(t, os.WriteFile(path, []byte("a\x00b"), 0o644))
	require.Equal(t, "it is binary, or not UTF-8", readFile(path, second).why)
	require.NoError(t, os.WriteFile(path, []byte("caf\xe9"), 0o644))
	require.Equal(t, "it is binary, or not UTF-8", readFile(path, second).why)
	require.NoError(t, os.Truncate(path, maxDiskFile+1))
	require.Equal(t, "the file is too large", readFile(path, second).why)
	require.Equal(t, "it is not a regular file", readFile(dir, disk{}).why)
}

func TestCutQuote(t *testing.T) {
	require.Equal(t, "short", cutQuote("short"))
	long := strings.Repeat("é", maxQuote)
	cut := cutQuote("x" + long)
	require.True(t, len(cut) <= maxQuote && strings.HasPrefix("x"+long, cut), "the beginning, on a character border")
	require.Len(t, cut, maxQuote-1)
}

// What we quote of a long selection is found again as what it was.
func TestLongQuoteProves(t *testing.T) {
	text := strings.Repeat("a line of code\n", 400)
	f := &file{disk: disked("package x\n" + text)}
	span := mapping.Span{Start: 10, End: 10 + len(text)}
	r := hostRange(f.disk.text, span)
	a := &ahp.Annotation{ID: "a", Range: &r, Meta: ahp.NewFeedback("s:/1", cutQuote(text))}
	anchor := makeAnchor(a, f, nil)
	require.NotNil(t, anchor.Base, "proved by its quote, not looked for")
	require.Equal(t, span, anchor.Span)
}

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		only []string
		want []bool // thread, change, commit
	}{
		{nil, []bool{true, true, true}},
		{[]string{""}, []bool{true, true, true}},
		{[]string{"quickfix"}, []bool{true, false, false}},
		{[]string{"refactor"}, []bool{false, true, false}},
		{[]string{"refactor.rewrite"}, []bool{false, true, false}},
		{[]string{"refactor.extract"}, []bool{false, false, false}},
		{[]string{"source"}, []bool{false, false, true}},
		{[]string{"source.ahp"}, []bool{false, false, true}},
		{[]string{"source.ahp.commit"}, []bool{false, false, true}},
		{[]string{"source.ahp.com"}, []bool{false, false, false}},
		{[]string{"source.fixAll", "quickfix"}, []bool{true, false, false}},
	} {
		for i, kind := range []string{kindThread, kindChange, kindSource + ".commit"} {
			require.Equal(t, c.want[i], wanted(c.only, kind), "%q %s", c.only, kind)
		}
	}
	require.Equal(t, "create-pr--2", kindWord("create pr: 2"))
}

func TestInsideURI(t *testing.T) {
	require.True(t, insideURI("file:///w/a", "file:///w"))
	require.True(t, insideURI("file:///w", "file:///w/"))
	require.True(t, insideURI("file:///w", "file:///w"))
	require.True(t, insideURI("file:///a", "file:///"))
	require.False(t, insideURI("file:///wide", "file:///w"))
}

// Actions on a selection name it as those on a hunk do.
func TestLinesLabel(t *testing.T) {
	require.Equal(t, "line 6", linesLabel(mapping.LineRange{Start: 5, End: 6}))
	require.Equal(t, "lines 6–7", linesLabel(mapping.LineRange{Start: 5, End: 7}))
}

// A question names the lines that are at stake; a whole line ends where the next
// one begins.
func TestLineNumbers(t *testing.T) {
	at := func(line, character uint32) protocol.Position {
		return protocol.Position{Line: line, Character: character}
	}
	require.Equal(t, "6", lineNumbers(protocol.Range{Start: at(5, 0), End: at(6, 0)}))
	require.Equal(t, "6–8", lineNumbers(protocol.Range{Start: at(5, 0), End: at(8, 0)}))
	require.Equal(t, "6–8", lineNumbers(protocol.Range{Start: at(5, 2), End: at(7, 1)}))
	require.Equal(t, "6", lineNumbers(protocol.Range{Start: at(5, 0), End: at(5, 0)}), "where lines were removed")
}
