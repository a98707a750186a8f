package githost

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

func TestBeforeTheHandshake(t *testing.T) {
	h := newTree(t).host(brief)
	c := raw(t, h)
	m := c.call("ping", map[string]any{"channel": ahp.RootURI})
	require.Nil(t, m.Error)
	require.Equal(t, "null", string(m.Result))
	for _, method := range []string{"subscribe", "listSessions", "resourceRead", "invokeChangesetOperation", "noSuchMethod"} {
		e := c.refused(method, map[string]any{"channel": ahp.RootURI})
		require.Equal(t, ahp.CodeMethodNotFound, e.Code, method)
		require.Equal(t, "Method not found: "+method, e.Message)
	}
	e := c.refused("reconnect", map[string]any{"channel": ahp.RootURI, "clientId": "never-seen", "lastSeenServerSeq": 0, "subscriptions": []string{ahp.RootURI}})
	require.Equal(t, ahp.CodeNotFound, e.Code)
	c.handshake("0.9.0", "a") // on the same connection, after a reconnect that failed
	require.Equal(t, ahp.CodeMethodNotFound, c.refused("initialize", map[string]any{"channel": ahp.RootURI, "protocolVersions": []string{"0.9.0"}, "clientId": "a"}).Code)
	require.Equal(t, ahp.CodeMethodNotFound, c.refused("reconnect", map[string]any{"channel": ahp.RootURI, "clientId": "a"}).Code)
	require.Equal(t, ahp.CodeMethodNotFound, c.refused("createSession", map[string]any{"channel": ahp.RootURI}).Code)
	require.Nil(t, c.call("ping", map[string]any{"channel": ahp.RootURI}).Error)
}

func TestMessagesThatAreNone(t *testing.T) {
	h := newTree(t).host(brief)
	c := raw(t, h)
	for frame, code := range map[string]int{
		`{not json`: ahp.CodeParse, ``: ahp.CodeParse, `{"a":1}}`: ahp.CodeParse,
		`[]`: ahp.CodeInvalidRequest, `7`: ahp.CodeInvalidRequest, `"x"`: ahp.CodeInvalidRequest,
		`{"jsonrpc":"2.0"}`:                           ahp.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:   ahp.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`: ahp.CodeInvalidRequest,
	} {
		c.sendRaw(frame)
		m := c.answer("null")
		require.NotNil(t, m.Error, frame)
		require.Equal(t, code, m.Error.Code, frame)
	}
	c.sendRaw(`{"jsonrpc":"2.0","id":"seven"}`)
	require.Equal(t, ahp.CodeInvalidRequest, c.answer(`"seven"`).Error.Code)
	c.sendRaw(`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`)
	require.Nil(t, c.answer("1.5").Error)
	c.sendRaw(`{"jsonrpc":"2.0","id":3,"result":null}`) // an answer to nothing
	c.sendRaw(`{"jsonrpc":"2.0","method":"unheardOf","params":{}}`)
	c.handshake("1.0.0", "a")
}

func TestVersions(t *testing.T) {
	w := newTree(t)
	h := w.host(brief)
	for _, v := range ahp.Versions() {
		c := raw(t, h)
		var r ahp.InitializeResult
		c.result("initialize", map[string]any{
			"channel": ahp.RootURI, "protocolVersions": []string{"99.0.0", v, "0.4.0"}, "clientId": "v" + v,
			"initialSubscriptions": []string{ahp.RootURI, h.names.Session, "ahp-session:/gone", "foo:/bar"},
		}, &r)
		require.Equal(t, v, r.ProtocolVersion)
		require.Equal(t, "ahp-lsp", r.ServerInfo.Name)
		require.Len(t, r.Snapshots, 2)
		var s map[string]any
		require.NoError(t, json.Unmarshal(r.Snapshots[1].State, &s))
		if ahp.CompareVersions(v, "0.7.0") < 0 {
			require.Equal(t, h.names.Root, s["workingDirectory"])
			require.NotContains(t, s, "workingDirectories")
		} else {
			require.Equal(t, []any{h.names.Root}, s["workingDirectories"])
			require.NotContains(t, s, "workingDirectory")
		}
	}
}

// The highest offer counts that is compatible with a version spoken here,
// whatever the order, and the answer is that offer.
func TestVersionChoice(t *testing.T) {
	h := newTree(t).host(brief)
	for _, c := range []struct {
		offered []string
		want    string
	}{
		{[]string{"1.1.0"}, "1.1.0"},
		{[]string{"0.9.1"}, "0.9.1"},
		{[]string{"1.0.7", "0.9.0"}, "1.0.7"},
		{[]string{"0.9.0", "1.0.7"}, "1.0.7"},
		{[]string{"0.4.0", "0.9.0"}, "0.9.0"},
		{[]string{"2.0.0", "0.10.0", "0.5.9", "0.5.10"}, "0.5.10"},
		{[]string{"0.4.3", "0.4.7", "0.3.0"}, "0.4.7"},
		{[]string{"1.0.0-beta.1", "v1.0.0", "^1.0.0", "1.0", "0.8.0"}, "0.8.0"},
		{[]string{"1.0.0", "1.0.0"}, "1.0.0"},
	} {
		var r ahp.InitializeResult
		raw(t, h).result("initialize", map[string]any{"channel": ahp.RootURI, "protocolVersions": c.offered, "clientId": "x"}, &r)
		require.Equal(t, c.want, r.ProtocolVersion, c.offered)
	}
	for _, offer := range [][]string{{"0.10.0"}, {"0.9"}, {"2.0.0", "^1.0.0"}, {"99999999999999999999.0.0", "0.0.0"}, {"0.3.0"}, {}} {
		c := raw(t, h)
		e := c.refused("initialize", map[string]any{"channel": ahp.RootURI, "protocolVersions": offer, "clientId": "x"})
		require.Equal(t, ahp.CodeVersion, e.Code, offer)
		require.Equal(t, ahp.Versions(), e.SupportedVersions())
		await(t, c.ended) // the specification has the host close the connection
	}
}

func TestSubscribe(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	h := w.host(brief)
	c := connect(t, h)
	for _, uri := range []string{ahp.RootURI, h.names.Session, h.names.Chat, h.names.Annotations, h.names.Session + "/changeset/uncommitted"} {
		c.subscribe(uri)
	}
	for _, uri := range []string{"foo:/bar", "ahp-session:/other", h.names.Session + "/changeset/nope", h.names.Session + "/changeset/turn/nope", h.names.Session + "/changeset/turn/{turnId}", h.names.Session + "/changeset/patchset/x"} {
		require.Equal(t, ahp.CodeNoSession, c.refused("subscribe", map[string]any{"channel": uri}).Code, uri)
	}
	require.Equal(t, ahp.CodeInvalidParams, c.refused("subscribe", map[string]any{}).Code)

	var l ahp.ListSessionsResult
	c.result("listSessions", map[string]any{"channel": ahp.RootURI}, &l)
	require.Len(t, l.Items, 1)
	s, err := ahp.DecodeSessionSummary(l.Items[0])
	require.NoError(t, err)
	require.Equal(t, "demo · main", s.Title)
	require.Equal(t, []string{h.names.Root}, s.Directories())
	require.Equal(t, ahp.StatusIdle, s.Status)

	session, err := ahp.DecodeSession(c.subscribe(h.names.Session))
	require.NoError(t, err)
	require.Equal(t, h.names.Chat, session.DefaultChat)
	var kinds []string
	for _, e := range session.Changesets {
		kinds = append(kinds, e.Kind)
		require.Equal(t, e.Kind == "branch", e.Review)
	}
	require.Equal(t, []string{"uncommitted", "session", "branch", "staged", "turn", "compare-turns"}, kinds)
}

// note is an annotation as raw clients write it.
func note(id string, more ...any) map[string]any {
	a := map[string]any{"id": id, "turnId": "", "resource": "file:///w/a.txt", "resolved": false, "entries": []any{map[string]any{"id": id + ".1", "text": "hello"}}}
	for i := 0; i+1 < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return a
}

func set(a map[string]any) map[string]any {
	return map[string]any{"type": "annotations/set", "annotation": a}
}

func TestReconnect(t *testing.T) {
	h := newTree(t).host(brief)
	a, b := connect(t, h), raw(t, h)
	b.handshake("0.9.0", "b")
	a.subscribe(h.names.Annotations)
	b.subscribe(h.names.Annotations)
	a.dispatch(h.names.Annotations, 1, set(note("one")))
	seen := b.action(h.names.Annotations, "annotations/set").ServerSeq
	b.close()
	a.dispatch(h.names.Annotations, 2, map[string]any{"type": "annotations/entrySet", "annotationId": "one", "entry": map[string]any{"id": "k2", "text": "while b was away"}})
	a.action(h.names.Annotations, "annotations/entrySet")

	resume := func(lastSeen any, subscriptions ...any) (*client, map[string]json.RawMessage) {
		c := raw(t, h)
		var r map[string]json.RawMessage
		c.result("reconnect", map[string]any{"channel": ahp.RootURI, "clientId": "b", "lastSeenServerSeq": lastSeen, "subscriptions": subscriptions}, &r)
		return c, r
	}
	c, r := resume(seen, h.names.Annotations, "ahp-session:/gone", ahp.RootURI, h.names.Annotations)
	require.Equal(t, `"replay"`, string(r["type"]))
	require.Equal(t, `["ahp-session:/gone"]`, string(r["missing"]))
	var missed []ahp.Envelope
	require.NoError(t, json.Unmarshal(r["actions"], &missed))
	require.Len(t, missed, 1)
	require.Equal(t, "annotations/entrySet", missed[0].Action.Type)
	require.Equal(t, &ahp.ActionOrigin{ClientID: "raw-" + t.Name(), ClientSeq: 2}, missed[0].Origin)
	// It goes on from there, and never initializes.
	a.dispatch(h.names.Annotations, 3, map[string]any{"type": "annotations/removed", "annotationId": "one"})
	c.action(h.names.Annotations, "annotations/removed")
	require.Equal(t, ahp.CodeMethodNotFound, c.refused("initialize", map[string]any{}).Code)

	// What the log does not reach, or never was, comes as snapshots.
	for _, lastSeen := range []int64{-5, 1 << 40} {
		_, r = resume(lastSeen, h.names.Annotations, "ahp-session:/gone")
		require.Equal(t, `"snapshot"`, string(r["type"]))
		require.NotContains(t, r, "missing")
		var s []ahp.Snapshot
		require.NoError(t, json.Unmarshal(r["snapshots"], &s))
		require.Len(t, s, 1)
	}
	// So does a changeset that nobody kept up meanwhile.
	c, r = resume(seen+2, h.names.Annotations, h.names.Session+"/changeset/staged")
	require.Equal(t, `"snapshot"`, string(r["type"]))
	now := c.action(h.names.Session+"/changeset/staged", "changeset/statusChanged").ServerSeq
	_, r = resume(now, h.names.Annotations, h.names.Session+"/changeset/staged")
	require.Equal(t, `"replay"`, string(r["type"]), "the connection before has kept it up")

	// The newer form recovers channel by channel.
	entry := func(uri string, seq int64) map[string]any {
		return map[string]any{"channel": uri, "lastSeenServerSeq": seq}
	}
	_, r = resume(seen, entry(h.names.Annotations, seen), entry("ahp-session:/gone", seen), entry(h.names.Session, -3))
	var each []map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(r["channels"], &each))
	got := map[string]string{}
	for _, e := range each {
		got[string(e["channel"])] = string(e["type"])
	}
	require.Equal(t, map[string]string{
		fmt.Sprintf("%q", h.names.Annotations): `"replay"`, `"ahp-session:/gone"`: `"missing"`, fmt.Sprintf("%q", h.names.Session): `"snapshot"`,
	}, got)
}

func TestReplayLogIsBounded(t *testing.T) {
	var l replayLog
	for i := range int64(replayActions + 10) {
		l.add(&published{envelope: ahp.Envelope{ServerSeq: i + 1, Channel: "c", Action: ahp.Action{Raw: json.RawMessage("{}")}}})
	}
	require.Len(t, l.actions, replayActions)
	require.EqualValues(t, 10, l.floor)
	require.True(t, l.reaches(10, replayActions+10))
	require.False(t, l.reaches(9, replayActions+10))
	l.add(&published{envelope: ahp.Envelope{ServerSeq: replayActions + 11, Channel: "c", Action: ahp.Action{Raw: make(json.RawMessage, replayBytes)}}})
	require.LessOrEqual(t, l.bytes, replayBytes)
	require.Len(t, l.since(0, subscriptions{"c": {""}}), len(l.actions))
	// One that is larger than the whole log is sent, and not kept.
	l.add(&published{envelope: ahp.Envelope{ServerSeq: replayActions + 12, Channel: "c", Action: ahp.Action{Raw: make(json.RawMessage, replayBytes+1)}}})
	require.Empty(t, l.actions)
	require.True(t, l.reaches(replayActions+12, replayActions+12))
}

func TestClientTableForgetsTheOldest(t *testing.T) {
	var table clientTable
	for i := range maxClients + 1 {
		table.add(fmt.Sprint(i), "1.0.0")
	}
	_, known := table.version("0")
	require.False(t, known)
	_, known = table.version("1")
	require.True(t, known)
}
