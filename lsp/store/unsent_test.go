package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnsent(t *testing.T) {
	dir := t.TempDir()
	a, b := New(dir), New(dir)
	require.NoError(t, a.AddUnsent(t.Context(), one, action("1"), action("2")))
	got, err := a.Unsent(t.Context(), one)
	require.NoError(t, err)
	require.NoError(t, b.AddUnsent(t.Context(), one, action("3"), action("1")))
	require.NoError(t, b.AddUnsent(t.Context(), two, action("1")))

	require.NoError(t, a.DropUnsent(t.Context(), one, got))
	require.Equal(t, []string{`{"text":"3"}`, `{"text":"1"}`}, unsent(t, a, one), "added meanwhile")
	require.NoError(t, a.DropUnsent(t.Context(), one, got))
	require.Equal(t, []string{`{"text":"3"}`}, unsent(t, a, one))
	require.NoError(t, a.DropUnsent(t.Context(), one, []json.RawMessage{action("3")}))
	require.Empty(t, unsent(t, b, one))
	require.NoFileExists(t, a.path(unsentFolder, one))
	require.Equal(t, []string{`{"text":"1"}`}, unsent(t, b, two))
}

// An action is what it was whatever its spelling, and no other one.
func TestUnsentContent(t *testing.T) {
	for _, c := range []struct {
		stored, sent string
		same         bool
	}{
		{`{"a":1,"b":"<é>"}`, `{ "b": "\u003c\u00e9>", "a": 1 }`, true},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567890}`, true},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, false},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":1}`, `not JSON`, false},
		{`null`, `null`, true},
	} {
		s := New(t.TempDir())
		require.NoError(t, s.AddUnsent(t.Context(), one, json.RawMessage(c.stored)))
		require.NoError(t, s.DropUnsent(t.Context(), one, []json.RawMessage{json.RawMessage(c.sent)}))
		require.Equal(t, c.same, len(unsent(t, s, one)) == 0, "%s, %s", c.stored, c.sent)
	}
}

// What could not be read again is refused, and what is there stays.
func TestUnsentThatCannotBeStored(t *testing.T) {
	s := New(t.TempDir())
	s.limits.record = 20 << 10
	require.NoError(t, s.AddUnsent(t.Context(), one, action("1")))
	for _, raw := range []string{
		"", "{", `{"a":1}{}`,
		strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999), // as deep as JSON of one's own may be
		`"` + strings.Repeat("long", 5<<10) + `"`,
	} {
		require.Error(t, s.AddUnsent(t.Context(), one, action("2"), json.RawMessage(raw)))
		require.Equal(t, []string{`{"text":"1"}`}, unsent(t, s, one))
	}
	require.ErrorContains(t, s.AddUnsent(t.Context(), "\xff", action("1")), "UTF-8")
}

// The embedded host's session has got another URI; what was stored under the old
// one is found under the new one, and the other way round.
func TestRecordsOfASessionThatWasRenamed(t *testing.T) {
	const before, now = "ahp-session:/0123", "git:/0123"
	s := New(t.TempDir())
	require.NoError(t, s.AddUnsent(t.Context(), before, action("1")))
	require.Equal(t, []string{`{"text":"1"}`}, unsent(t, s, now))
	require.NoError(t, s.AddUnsent(t.Context(), now, action("2")))
	require.Equal(t, []string{`{"text":"1"}`, `{"text":"2"}`}, unsent(t, s, before))
	require.NoError(t, s.Keep(t.Context(), before, map[string]map[string]bool{"file:///a": {"hunk": true}}))
	kept, err := s.Kept(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"file:///a": {"hunk"}}, kept)
	require.Empty(t, unsent(t, s, "git:/4567"))
}
