package ahp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChatActions(t *testing.T) {
	turns := func(c *Chat) (out []string) {
		for _, turn := range c.Turns {
			out = append(out, turn.ID+":"+turn.State)
		}
		return out
	}
	before := []string{"a:complete", "b:"}
	for _, c := range []struct {
		name, action string
		changed      bool
		turns        []string
		active       string
	}{
		{"started", `Started","turnId":"d","startedAt":"2026-11-21T11:39:51.990Z","message":{"text":"hello"}`, true, before, "d"},
		// What ended stays ended: the host would never end it a second time.
		{"started again", `Started","turnId":"b","message":{"text":"hello"}`, false, before, "c"},
		{"the active one started again", `Started","turnId":"c","startedAt":"2026-11-21T11:39:51.990Z","message":{"text":"hello"}`, true, before, "c"},
		{"started without an id", `Started","message":{"text":"hello"}`, false, before, "c"},
		{"complete", `Complete","turnId":"c"`, true, []string{"a:complete", "b:", "c:complete"}, ""},
		{"cancelled", `Cancelled","turnId":"c"`, true, []string{"a:complete", "b:", "c:cancelled"}, ""},
		{"complete of another", `Complete","turnId":"a"`, false, before, "c"},
		{"complete of none", `Complete"`, false, before, "c"},
		{"loaded", `sLoaded","turns":[{"id":"y"},{"id":"a"},{"id":"y"},{"id":"z"},{}]`, true, []string{"y:", "z:", "a:complete", "b:"}, "c"},
		{"loaded nothing new", `sLoaded","turns":[{"id":"a"}]`, false, before, "c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DecodeChat([]byte(baseChat))
			require.NoError(t, err)
			changed, _ := s.Apply(action(t, `{"type":"chat/turn`+c.action+`}`))
			require.Equal(t, c.changed, changed)
			require.Equal(t, c.turns, turns(s))
			if c.active == "" {
				require.Nil(t, s.Active)
			} else {
				require.Equal(t, c.active, s.Active.ID)
			}
		})
	}
	for _, c := range []struct {
		name, action string
		changed      bool
		turns        []string
	}{
		{"error", `error","turnId":"c","part":{"kind":"error"}`, true, []string{"a:complete", "b:", "c:error"}},
		{"truncated", `truncated","turnId":"a"`, true, []string{"a:complete"}},
		{"truncated to the last", `truncated","turnId":"b"`, true, before},
		{"truncated to nothing", `truncated"`, true, nil},
		{"truncated to nothing, null", `truncated","turnId":null`, true, nil},
		// An id we do not have must not take everything away.
		{"truncated to an unknown one", `truncated","turnId":"z"`, false, before},
		{"truncated to the active one", `truncated","turnId":"c"`, false, before},
		{"truncated to what is no id", `truncated","turnId":5`, false, before},
		{"noise", `toolCallDelta","turnId":"c"`, false, before},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DecodeChat([]byte(baseChat))
			require.NoError(t, err)
			changed, _ := s.Apply(action(t, `{"type":"chat/`+c.action+`}`))
			require.Equal(t, c.changed, changed)
			require.Equal(t, c.turns, turns(s))
		})
	}
}

func TestTurns(t *testing.T) {
	c, err := DecodeChat([]byte(baseChat))
	require.NoError(t, err)
	turn, n := c.Turn("a")
	require.Equal(t, 1, n)
	require.Equal(t, Turn{ID: "a", Text: "x", State: "complete"}, turn)
	turn, n = c.Turn("c")
	require.Equal(t, 3, n, "the active one comes after those that ended")
	require.Equal(t, "y", turn.Text)
	_, n = c.Turn("z")
	require.Zero(t, n)
	require.Equal(t, "b", c.Latest())
	require.Empty(t, (&Chat{}).Latest())
	require.Empty(t, c.Clone().Changesets)

	changed, err := c.Apply(action(t, `{"type":"chat/changesetsChanged","changesets":[{"label":"l","uriTemplate":"u","changeKind":"turn"}]}`))
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, "u", c.Changesets[0].Template)
}

func TestFaultyChats(t *testing.T) {
	c, err := DecodeChat([]byte(`{"turns":[{"message":{"text":"x"}},5,{"id":"a","message":"hi","startedAt":7}],"activeTurn":{}}`))
	require.EqualError(t, err, `chat state.turns[0].id: missing; chat state.turns[1]: want an object, got a number; `+
		`chat state.turns[2] "a".message: want an object, got a string; chat state.turns[2] "a".startedAt: want a string, got a number; chat state.activeTurn.id: missing`)
	require.Equal(t, []Turn{{ID: "a"}}, c.Turns)
	require.Nil(t, c.Active)
}

func TestPartialChat(t *testing.T) {
	c, err := DecodeChat([]byte(`{"turns":[{"id":"b"}],"turnsNextCursor":"x"}`))
	require.NoError(t, err)
	require.True(t, c.Partial)
	changed, err := c.Apply(action(t, `{"type":"chat/turnsLoaded","turns":[{"id":"a"}],"turnsNextCursor":"y"}`))
	require.NoError(t, err)
	require.True(t, changed && c.Partial)
	changed, err = c.Apply(action(t, `{"type":"chat/turnsLoaded","turns":[]}`))
	require.NoError(t, err)
	require.True(t, changed)
	require.False(t, c.Partial)
}

// Only turnsLoaded, and a truncation to nothing, say whether older turns exist.
func TestChatPartial(t *testing.T) {
	for _, c := range []struct {
		name, action     string
		changed, partial bool
	}{
		{"truncated to nothing", `truncated"`, true, false},
		{"truncated to nothing, null", `truncated","turnId":null`, true, false},
		{"truncated to a turn", `truncated","turnId":"a"`, true, true},
		{"truncated to an unknown one", `truncated","turnId":"z"`, false, true},
		{"loaded with more", `turnsLoaded","turns":[{"id":"z"}],"turnsNextCursor":"2"`, true, true},
		{"loaded to the first", `turnsLoaded","turns":[{"id":"z"}]`, true, false},
		{"loaded nothing", `turnsLoaded","turns":[]`, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DecodeChat([]byte(`{"turns":[{"id":"a"},{"id":"b"}],"turnsNextCursor":"1"}`))
			require.NoError(t, err)
			require.True(t, s.Partial)
			changed, err := s.Apply(action(t, `{"type":"chat/`+c.action+`}`))
			require.NoError(t, err)
			require.Equal(t, c.changed, changed)
			require.Equal(t, c.partial, s.Partial)
		})
	}
	empty, err := DecodeChat([]byte(`{"turns":[],"turnsNextCursor":"1"}`))
	require.NoError(t, err)
	changed, err := empty.Apply(action(t, `{"type":"chat/truncated"}`))
	require.NoError(t, err)
	require.True(t, changed)
	require.False(t, empty.Partial)
}
