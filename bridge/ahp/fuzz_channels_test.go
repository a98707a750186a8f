package ahp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	baseChangeset = `{"status":"error","error":{"errorType":"t","message":"m"},"files":[{"id":"a","edit":{"before":{"uri":"file:///a","content":{"uri":"x:1"}}}},{"id":"b","edit":{"after":{"uri":"file:///b","content":"x:2"}},"reviewed":true}],"operations":[{"id":"o","label":"l","scopes":["range"],"status":"idle"}]}`
	baseSession   = `{"provider":"p","title":"t","status":1,"lifecycle":"creating","defaultChat":"c:1","workingDirectories":["file:///a","file:///b"],"chats":[{"resource":"c:1"},{"resource":"c:2","x":1}],"changesets":[{"label":"l","uriTemplate":"changeset/branch","changeKind":"branch"}]}`
	baseChat      = `{"turns":[{"id":"a","message":{"text":"x"},"state":"complete"},{"id":"b"}],"activeTurn":{"id":"c","message":{"text":{"markdown":"y"}},"responseParts":[{"kind":"toolCall","toolCall":` + streamingCall + `}]}}`
)

func FuzzChangesetState(f *testing.F) {
	seedStates(f, "changeset")
	f.Add([]byte(baseChangeset))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeChangeset(data)
		checkProblems(t, err)
		checkChangeset(t, c)
		checkChangeset(t, c.Clone())
		once := mustJSON(t, c)
		again, _ := DecodeChangeset([]byte(once))
		require.JSONEq(t, once, mustJSON(t, again))
	})
}

func FuzzChangesetAction(f *testing.F) {
	seedActions(f, "changeset/")
	f.Add([]byte(`{"type":"changeset/filesReviewedChanged","fileIds":["a","a","z"],"reviewed":false}`))
	f.Add([]byte(`{"type":"changeset/fileSet","file":{"id":"a","edit":{"before":{},"after":{"content":{"sizeHint":1e999}}}}}`))
	f.Add([]byte(`{"type":"changeset/contentChanged","files":null,"operations":[{"id":"o"},{"id":"o"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Action
		if a.UnmarshalJSON(data); a.Type == "" {
			return
		}
		c, err := DecodeChangeset([]byte(baseChangeset))
		require.NoError(t, err)
		files, before := c.Files(), mustJSON(t, c)
		look := lookAll(files)
		clone := c.Clone()
		_, changed, err := c.Apply(a)
		checkProblems(t, err)
		checkChangeset(t, c)
		require.Equal(t, look, lookAll(files))
		require.Equal(t, before, mustJSON(t, clone))
		if !changed {
			require.Equal(t, before, mustJSON(t, c))
		}
	})
}

func FuzzSessionState(f *testing.F) {
	seedStates(f, "session")
	f.Add([]byte(baseSession))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeSession(data)
		checkProblems(t, err)
		checkSession(t, s)
		once := mustJSON(t, s)
		again, _ := DecodeSession([]byte(once))
		require.JSONEq(t, once, mustJSON(t, again))
	})
}

func FuzzSessionAction(f *testing.F) {
	seedActions(f, "session/")
	f.Add([]byte(`{"type":"session/workingDirectoryReplaced","directory":"file:///a","replacement":{"uri":"file:///b"}}`))
	f.Add([]byte(`{"type":"session/chatUpdated","chat":"c:2","changes":{"resource":"c:1","status":"x","title":null}}`))
	f.Add([]byte(`{"type":"session/chatAdded","summary":{"resource":"c:2"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Action
		if a.UnmarshalJSON(data); a.Type == "" {
			return
		}
		s, err := DecodeSession([]byte(baseSession))
		require.NoError(t, err)
		before := mustJSON(t, s)
		clone := s.Clone()
		changed, err := s.Apply(a)
		checkProblems(t, err)
		checkSession(t, s)
		require.Equal(t, before, mustJSON(t, clone))
		if !changed {
			require.Equal(t, before, mustJSON(t, s))
		}
	})
}

func FuzzChatState(f *testing.F) {
	seedStates(f, "chat")
	f.Add([]byte(baseChat))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeChat(data)
		checkProblems(t, err)
		checkChat(t, c)
		c.Latest()
		c.Turn("a")
	})
}

func FuzzChatAction(f *testing.F) {
	seedActions(f, "chat/")
	f.Add([]byte(`{"type":"chat/toolCallReady","turnId":"c","toolCallId":"k","edits":{"items":[{},5,{"after":{}}]},"options":[{},{"id":"o"}],"confirmationTitle":5}`))
	f.Add([]byte(`{"type":"chat/toolCallComplete","turnId":"c","toolCallId":"k","result":{"content":[5,{"type":"fileEdit"},{"type":"fileEdit","after":{}}],"error":5}}`))
	f.Add([]byte(`{"type":"chat/inputRequested","request":{"id":"f","questions":[{"id":"q","min":"x","options":[5]}],"answers":5}}`))
	f.Add([]byte(`{"type":"chat/pendingMessageSet","kind":5,"id":"p","message":{"text":5}}`))
	f.Add([]byte(`{"type":"chat/truncated","turnId":"a"}`))
	f.Add([]byte(`{"type":"chat/turnsLoaded","turns":[{"id":"a"},{"id":"z"},{"id":"z"},5]}`))
	f.Add([]byte(`{"type":"chat/changesetsChanged","changesets":[{"uriTemplate":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Action
		if a.UnmarshalJSON(data); a.Type == "" {
			return
		}
		c, err := DecodeChat([]byte(baseChat))
		require.NoError(t, err)
		before := mustJSON(t, c)
		clone := c.Clone()
		changed, err := c.Apply(a)
		checkProblems(t, err)
		checkChat(t, c)
		require.Equal(t, before, mustJSON(t, clone))
		if !changed {
			require.Equal(t, before, mustJSON(t, c))
		}
	})
}

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"channel":"ahp-root://","action":{"type":"x"},"serverSeq":3,"origin":{"clientId":"c","clientSeq":1},"rejectionReason":"no"}`))
	f.Add([]byte(`{"channel":5,"action":null,"serverSeq":1e99,"origin":[],"rejectionReason":{"a":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeEnvelope(data)
		checkProblems(t, err)
		if !json.Valid(data) {
			require.Empty(t, e)
			return
		}
		checkWritable(t, e)
		var again Envelope
		require.NoError(t, json.Unmarshal([]byte(mustJSON(t, e)), &again))
		require.Equal(t, mustJSON(t, e), mustJSON(t, again))
	})
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error\n at x","data":{"supportedVersions":["^0.9.0"]}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"action","params":{"channel":"x"}}`))
	f.Add([]byte(`{"id":1,"result":{"snapshot":{"resource":"x","state":{"annotations":[]},"fromSeq":7}}}`))
	f.Add([]byte(`{"id":1,"error":"no"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeMessage(data)
		checkProblems(t, err)
		if !json.Valid(data) {
			require.Empty(t, m)
			return
		}
		if m.Error != nil {
			_ = m.Error.Error()
			m.Error.SupportedVersions()
		}
		// Where encoding/json can read it too, it reads the same.
		var want Message
		var exact map[string]json.RawMessage
		if json.Unmarshal(data, &want) == nil && json.Unmarshal(data, &exact) == nil && onlyKnown(exact) {
			require.Equal(t, want.Method, m.Method)
			require.Equal(t, string(want.ID), string(m.ID))
			require.Equal(t, string(want.Params), string(m.Params))
			require.Equal(t, string(want.Result), string(m.Result))
		}
		_, err = DecodeSubscribeResult(m.Result)
		checkProblems(t, err)
		var r InvokeResult
		_ = json.Unmarshal(m.Result, &r)
	})
}

// onlyKnown: encoding/json ignores the case of members, this package does not.
func onlyKnown(o map[string]json.RawMessage) bool {
	for k := range o {
		switch k {
		case "jsonrpc", "id", "method", "params", "result", "error":
		default:
			return false
		}
	}
	return true
}

func FuzzURI(f *testing.F) {
	for _, s := range []string{
		"file:///a%20b/c", "file://localhost/x", "file:///c%3A/x", `C:\x\y`, "file://server/share", `\\server\share\x`, "file:///100%/x%2",
		"FILE:/x", "file:c:/x", "file://C:/x", "untitled:x", "/a/../b//c/.", "file:///é", "file:///e\u0301", "//host", "file://", "file:", "c:", "/c:/",
		"file://a%2Fb/x", "file:///a?b#c", "file:///%00%ff", "file:////x/y",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := CanonicalURI(s)
		require.Equal(t, once, CanonicalURI(once), "not stable")
		p, ok := FilePath(s)
		if !ok {
			require.Equal(t, s, once)
			return
		}
		q, ok := FilePath(FileURI(p))
		require.True(t, ok)
		require.Equal(t, p, q, "a path does not come back from its URI")
	})
}
