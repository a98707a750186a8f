package githost

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
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
	for i, session := range spellings(w) {
		c := connect(t, h)
		c.subscribe(session)
		annotations := session + "/annotations"
		c.subscribe(annotations)
		work := c.mirror(session + "/changeset/uncommitted")
		work.files(w, "a.txt")
		for _, chat := range []string{
			"ahp-chat:/" + w.repo().ID(),
			"ahp-chat://x/" + base64.RawURLEncoding.EncodeToString([]byte(session)),
			"ahp-chat://default/" + base64.URLEncoding.EncodeToString([]byte(session)),
		} {
			c.subscribe(chat)
		}
		id := string(rune('a' + i))
		c.dispatch(annotations, 1, set(note(id, "resource", w.uri("a.txt"), "origin", map[string]any{"session": session}, "turnId", nil)))
		mine := c.action(annotations, "annotations/set")
		require.Empty(t, mine.RejectionReason)
		other := plain.action(h.names.Annotations, "annotations/set")
		require.Equal(t, mine.ServerSeq, other.ServerSeq)
		var a struct {
			Annotation struct{ Origin ahp.Origin }
		}
		require.NoError(t, json.Unmarshal(mustNewest(t, h, id), &a.Annotation))
		require.Equal(t, h.names.Session, a.Annotation.Origin.Session)

		c.dispatch(session, 2, map[string]any{"type": "session/titleChanged", "title": "mine"})
		require.Contains(t, c.action(session, "session/titleChanged").RejectionReason, "cannot dispatch")
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
		c.result("reconnect", map[string]any{"channel": ahp.RootURI, "clientId": "raw-" + t.Name(), "lastSeenServerSeq": mine.ServerSeq, "subscriptions": []string{annotations, session + "/nope"}}, &r)
		require.Equal(t, []string{session + "/nope"}, r.Missing)
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

// mustNewest is an annotation as the newest version has it.
func mustNewest(t *testing.T, h *Host, id string) []byte {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	data, err := ahp.Marshal(h.state.Kept().Annotation(id))
	require.NoError(t, err)
	return data
}
