package ahp

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWorkingDirectories(t *testing.T) {
	for _, c := range []struct {
		name, members string
		want          []string
	}{
		{"none", ``, nil},
		{"0.6", `"workingDirectory":"file:///a"`, []string{"file:///a"}},
		{"0.7", `"workingDirectories":["file:///a","file:///b"]`, []string{"file:///a", "file:///b"}},
		{"both", `"workingDirectory":"file:///a","workingDirectories":["file:///b"]`, []string{"file:///b"}},
		{"both, the new one empty", `"workingDirectory":"file:///a","workingDirectories":[]`, []string{"file:///a"}},
		{"with records", `"workingDirectories":["file:///a",{"uri":"file:///b","repo":{}},{},7,""]`, []string{"file:///a", "file:///b"}},
		{"wrong types", `"workingDirectory":5,"workingDirectories":"file:///a"`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := DecodeSession([]byte("{" + c.members + "}"))
			require.Equal(t, c.want, s.Directories())
			members := c.members
			if members != "" {
				members = "," + members
			}
			sum, _ := DecodeSessionSummary([]byte(`{"resource":"s"` + members + "}"))
			require.Equal(t, c.want, sum.Directories())
		})
	}
}

func TestWorkingDirectoryActions(t *testing.T) {
	const one, many = `{"workingDirectory":"A"}`, `{"workingDirectories":["A","B","C"]}`
	for _, c := range []struct {
		name, state, action string
		want                []string
	}{
		{"set appends", many, `Set","directory":"D"`, []string{"A", "B", "C", "D"}},
		{"set of a known one", many, `Set","directory":"B"`, []string{"A", "B", "C"}},
		{"set joins the one of 0.6", one, `Set","directory":"B"`, []string{"A", "B"}},
		{"set of the one of 0.6", one, `Set","directory":"A"`, []string{"A"}},
		{"set to the first", `{}`, `Set","directory":"A"`, []string{"A"}},
		{"set of a record", many, `Set","directory":{"uri":"D"}`, []string{"A", "B", "C", "D"}},
		{"set of nothing", many, `Set","directory":null`, []string{"A", "B", "C"}},
		{"removed", many, `Removed","directory":"B"`, []string{"A", "C"}},
		{"removed the one of 0.6", one, `Removed","directory":"A"`, nil},
		{"removed an unknown one", many, `Removed","directory":"Z"`, []string{"A", "B", "C"}},
		{"replaced", many, `Replaced","directory":"B","replacement":"D"`, []string{"A", "D", "C"}},
		{"replaced the one of 0.6", one, `Replaced","directory":"A","replacement":"D"`, []string{"D"}},
		{"replaced by an earlier one", many, `Replaced","directory":"C","replacement":"A"`, []string{"A", "B"}},
		{"replaced by a later one", many, `Replaced","directory":"B","replacement":"C"`, []string{"A", "C"}},
		{"replaced by itself", many, `Replaced","directory":"B","replacement":"B"`, []string{"A", "B", "C"}},
		{"replaced an unknown one", many, `Replaced","directory":"Z","replacement":"D"`, []string{"A", "B", "C"}},
		{"replaced by nothing", many, `Replaced","directory":"B"`, []string{"A", "B", "C"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DecodeSession([]byte(c.state))
			require.NoError(t, err)
			_, _ = s.Apply(action(t, `{"type":"session/workingDirectory`+c.action+`}`))
			require.Equal(t, c.want, s.Directories())
			again, err := DecodeSession([]byte(mustJSON(t, s)))
			require.NoError(t, err)
			require.Equal(t, c.want, again.Directories())
		})
	}
}

func TestLifecycle(t *testing.T) {
	s, err := DecodeSession([]byte(`{"lifecycle":"failed","creationError":{"message":"no agent"}}`))
	require.NoError(t, err)
	require.Equal(t, LifecycleCreationFailed, s.Lifecycle)
	require.Equal(t, "no agent", s.CreationError.Message)

	s, _ = DecodeSession([]byte(baseSession))
	changed, err := s.Apply(action(t, `{"type":"session/creationFailed","error":{"errorType":"x","message":"m"}}`))
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, LifecycleCreationFailed, s.Lifecycle)
	require.Equal(t, &ErrorInfo{"x", "m"}, s.CreationError)
}

func TestSessionActions(t *testing.T) {
	for _, c := range []struct {
		name, action string
		changed      bool
		check        func(t *testing.T, s *Session)
	}{
		{"archived", `{"type":"session/isArchivedChanged","isArchived":true}`, true, func(t *testing.T, s *Session) { require.Equal(t, StatusIdle|StatusArchived, s.Status) }},
		{"archived or not", `{"type":"session/isArchivedChanged"}`, false, nil},
		{"not read, as before", `{"type":"session/isReadChanged","isRead":false}`, false, nil},
		{"a chat without a URI", `{"type":"session/chatAdded","summary":{"title":"x"}}`, false, nil},
		{"a chat replaced", `{"type":"session/chatAdded","summary":{"resource":"c:2","title":"x"}}`, true, func(t *testing.T, s *Session) {
			require.Equal(t, "x", s.Chats[1].Title)
			require.NotContains(t, mustJSON(t, s), `"x":1`)
		}},
		{"a chat's members merged", `{"type":"session/chatUpdated","chat":"c:2","changes":{"resource":"no","status":16,"x":null}}`, true, func(t *testing.T, s *Session) {
			require.Equal(t, StatusInputNeeded, s.Chats[1].Status)
			require.Equal(t, "c:2", s.Chats[1].Resource)
			require.NotContains(t, mustJSON(t, s), `"x":1`)
		}},
		{"an unknown chat", `{"type":"session/chatUpdated","chat":"c:9","changes":{"status":16}}`, false, nil},
		{"changes that are none", `{"type":"session/chatUpdated","chat":"c:2","changes":[]}`, false, nil},
		{"the default chat removed", `{"type":"session/chatRemoved","chat":"c:1"}`, true, func(t *testing.T, s *Session) { require.Empty(t, s.DefaultChat) }},
		{"no changesets", `{"type":"session/changesetsChanged"}`, true, func(t *testing.T, s *Session) { require.Nil(t, s.Changesets) }},
		{"unreadable changesets", `{"type":"session/changesetsChanged","changesets":"x"}`, false, func(t *testing.T, s *Session) { require.Len(t, s.Changesets, 1) }},
		{"no metadata", `{"type":"session/metaChanged","_meta":null}`, true, func(t *testing.T, s *Session) { require.Nil(t, s.Meta) }},
		{"not mirrored", `{"type":"session/customizationsChanged","customizations":[]}`, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DecodeSession([]byte(baseSession))
			require.NoError(t, err)
			changed, _ := s.Apply(action(t, c.action))
			require.Equal(t, c.changed, changed)
			if c.check != nil {
				c.check(t, s)
			}
			checkSession(t, s)
		})
	}
}

func TestCatalogue(t *testing.T) {
	s, err := DecodeSession([]byte(`{"changesets":[
		{"label":"B","uriTemplate":"changeset/branch","changeKind":"branch","capabilities":{"review":{}},"description":"d","additions":1},
		{"label":"T","uriTemplate":"s:/changeset/turn/{turnId}","changeKind":"turn","capabilities":{"review":false}},
		{"label":"U","uriTemplate":"u","changeKind":"anything","capabilities":{"review":null}},
		{"label":"no template"},
		{"label":5,"uriTemplate":"v","capabilities":[]}]}`))
	require.ErrorContains(t, err, `session state.changesets[3].uriTemplate: missing`)
	require.ErrorContains(t, err, `session state.changesets[4].label: want a string, got a number`)
	require.ErrorContains(t, err, `session state.changesets[4].capabilities: want an object, got an array`)
	require.Len(t, s.Changesets, 4)
	first := s.Changesets[0]
	first.raw = nil
	require.Equal(t, CatalogueEntry{Label: "B", Description: "d", Template: "changeset/branch", Kind: "branch", Review: true}, first)
	for _, c := range s.Changesets[1:] {
		require.False(t, c.Review, c.Label)
	}
}

func TestSessionSummaries(t *testing.T) {
	at := time.Date(2026, 11, 21, 11, 39, 52, 101e6, time.UTC)
	for _, c := range []struct {
		name, wire string
		want       time.Time
		problem    bool
	}{
		{"RFC 3339", `"2026-11-21T11:39:52.101Z"`, at, false},
		{"with a zone", `"2026-11-21T12:39:52.101+01:00"`, at, false},
		{"milliseconds, as before", `1795261192101`, at, false},
		{"absent", `null`, time.Time{}, false},
		{"a date", `"2026-11-21"`, time.Time{}, true},
		{"negative", `-5`, time.Time{}, true},
		{"absurd", `1e300`, time.Time{}, true},
		{"an object", `{}`, time.Time{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DecodeSessionSummary([]byte(`{"resource":"s","modifiedAt":` + c.wire + `}`))
			require.Equal(t, c.problem, err != nil, "%v", err)
			require.True(t, c.want.Equal(s.ModifiedAt), s.ModifiedAt)
		})
	}

	s, err := DecodeSessionSummary([]byte(`{"resource":"s","provider":"p","title":"t","status":1,"project":{"uri":"file:///w","displayName":"w"},"workingDirectory":"file:///w","x":1}`))
	require.NoError(t, err)
	require.Equal(t, "file:///w", s.Project)
	m, err := s.Merge([]byte(`{"resource":"other","status":8,"title":null,"workingDirectories":["file:///v"]}`))
	require.NoError(t, err)
	require.Equal(t, "s", m.Resource)
	require.Equal(t, StatusInProgress, m.Status)
	require.Empty(t, m.Title)
	require.Equal(t, []string{"file:///v"}, m.Directories())
	require.Equal(t, json.RawMessage("1"), m.raw["x"])
	require.Equal(t, "t", s.Title, "the old summary stays as it was")
	require.Equal(t, []string{"file:///w"}, s.Directories())

	same, err := s.Merge([]byte(`[]`))
	require.Error(t, err)
	require.Equal(t, s, same)
}
