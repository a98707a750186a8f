package githost

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/journal"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// spellings are what clients call a session of ours: with the scheme of earlier
// versions, and with the provider's name, as VS Code makes it up.
func spellings(w *tree) []string {
	id := w.repo().ID()
	return []string{"ahp-session:/" + id, "git:/" + id}
}

// A client may spell a session's channels in any way that is known, and sees them
// under its own spelling.
func TestSpellings(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	w.write("a.txt", "2\n")
	h := w.host(brief)
	plain := connect(t, h)
	plain.subscribe(h.names.Annotations)
	for i, uri := range spellings(w) {
		c := connect(t, h)
		c.subscribe(uri)
		annotations := uri + "/annotations"
		c.subscribe(annotations)
		work := c.mirror(uri + "/changeset/uncommitted")
		work.files(w, "a.txt")
		for _, chat := range []string{
			"ahp-chat:/" + w.repo().ID(),
			"ahp-chat://x/" + base64.RawURLEncoding.EncodeToString([]byte(uri)),
			"ahp-chat://default/" + base64.URLEncoding.EncodeToString([]byte(uri)),
		} {
			c.subscribe(chat)
		}
		id := string(rune('a' + i))
		c.dispatch(annotations, 1, set(note(id, "resource", w.uri("a.txt"), "origin", map[string]any{"session": uri}, "turnId", nil)))
		mine := c.action(annotations, "annotations/set")
		require.Empty(t, mine.RejectionReason)
		other := plain.action(h.names.Annotations, "annotations/set")
		require.Equal(t, mine.ServerSeq, other.ServerSeq)
		var a struct {
			Annotation struct{ Origin ahp.Origin }
		}
		require.NoError(t, json.Unmarshal(mustNewest(t, h, id), &a.Annotation))
		require.Equal(t, h.names.Session, a.Annotation.Origin.Session)

		c.dispatch(uri, 2, map[string]any{"type": "session/titleChanged", "title": "mine"})
		require.Contains(t, c.action(uri, "session/titleChanged").RejectionReason, "cannot dispatch")
		require.Contains(t, work.invoke("stage", nil), "staged")
		w.git("reset", "-q")

		// Back again, it gets what it missed under its spelling.
		c.close()
		plain.dispatch(h.names.Annotations, 10+i, map[string]any{"type": "annotations/updated", "annotationId": id, "resolved": true})
		plain.action(h.names.Annotations, "annotations/updated")
		c = raw(t, h)
		var r struct {
			Actions []ahp.Envelope
			Missing []string
		}
		c.result("reconnect", map[string]any{"channel": ahp.RootURI, "clientId": "raw-" + t.Name(), "lastSeenServerSeq": mine.ServerSeq, "subscriptions": []string{annotations, uri + "/nope"}}, &r)
		require.Equal(t, []string{uri + "/nope"}, r.Missing)
		require.Equal(t, annotations, r.Actions[len(r.Actions)-1].Channel)

		// Not subscribed any more, under this spelling.
		c.send(map[string]any{"method": "unsubscribe", "params": map[string]any{"channel": annotations}})
		c.subscribe(h.names.Annotations)
		plain = connect(t, h)
		plain.subscribe(h.names.Annotations)
		plain.dispatch(h.names.Annotations, 20+i, map[string]any{"type": "annotations/updated", "annotationId": id, "resolved": false})
		require.Equal(t, h.names.Annotations, c.action(h.names.Annotations, "annotations/updated").Channel)
	}
	for _, uri := range []string{
		"svn:/" + w.repo().ID(), "ahp-session:/" + w.repo().ID() + "x", "ahp-chat://x/" + base64.RawURLEncoding.EncodeToString([]byte("git:/x")), "ahp-chat://x/%", "ahp-chat://",
	} {
		require.Equal(t, ahp.CodeNoSession, plain.refused("subscribe", map[string]any{"channel": uri}).Code, uri)
	}
}

// VS Code lists a session under the provider that the scheme of its URI names.
func TestSessionIsNamedAfterItsProvider(t *testing.T) {
	h := newTree(t).host(brief)
	var root struct {
		Agents []struct{ Provider string }
	}
	require.NoError(t, json.Unmarshal(connect(t, h).subscribe(ahp.RootURI), &root))
	scheme, _, _ := strings.Cut(h.names.Session, ":")
	require.Equal(t, root.Agents[0].Provider, scheme)
}

// What an earlier version kept, under the name that the session had then, is there.
func TestCommentsOfAnEarlierName(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	earlier := "ahp-session:/" + w.repo().ID()
	j, _, _, err := journal.Open[session.Record](store.File(w.repo(), "annotations", ".jsonl"), time.Now())
	require.NoError(t, err)
	require.NoError(t, j.Append([]session.Record{{Set: &ahp.Annotation{
		ID: "old", Origin: &ahp.Origin{Session: earlier, Chat: "ahp-chat:/" + w.repo().ID(), TurnID: "t"}, Resource: w.uri("a.txt"),
		Entries: []ahp.Entry{{ID: "e", Text: ahp.Plain("hello")}},
	}, Made: &session.Provenance{Path: "a.txt"}}}, func(func(session.Record) bool) {}, 0))
	require.NoError(t, j.Close())
	h := w.host(brief)
	require.Empty(t, h.state.Notices())
	for _, channel := range []string{h.names.Annotations, earlier + "/annotations"} {
		s, err := ahp.DecodeAnnotations(newest(t, h).subscribe(channel))
		require.NoError(t, err)
		require.Equal(t, &ahp.Origin{Session: h.names.Session, Chat: h.names.Chat, TurnID: "t"}, s.Get("old").Origin)
	}
}

// newest is a connection in the newest version.
func newest(t *testing.T, h *Host) *client {
	c := raw(t, h)
	c.lax = true // the schemas are for an older one
	c.handshake("1.0.0", "newest-"+t.Name())
	return c
}

// mustNewest is an annotation as the newest version has it.
func mustNewest(t *testing.T, h *Host, id string) []byte {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	data, err := ahp.Marshal(h.state.Kept().Annotation(id))
	require.NoError(t, err)
	return data
}
