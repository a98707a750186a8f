package bridge

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

const notes = one + "/annotations"

// annotated runs a session with two annotations in a workspace.
func annotated(t *testing.T, test func(t *testing.T, h *ahptest.Host, r *rig)) {
	t.Helper()
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.SetAnnotations(one, annotation("a", "first"), annotation("b", "second"))
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		r.take()
		test(t, h, r)
	})
}

func set(a *ahp.Annotation) ahp.Action { return must(ahp.SetAnnotation(a)) }

func (r *rig) dispatch(a ahp.Action) {
	r.t.Helper()
	require.NoError(r.t, r.c.Dispatch(notes, a))
}

// agree requires that what is shown is what the host has.
func (r *rig) agree() {
	r.t.Helper()
	shown := r.shown(one)
	for _, id := range []string{"a", "b", "c", "d"} {
		want := r.host.Annotation(one, id)
		if want == nil {
			require.Nil(r.t, shown[id], id)
			continue
		}
		require.NotNil(r.t, shown[id], id)
		require.JSONEq(r.t, string(must(want.MarshalJSON())), string(must(shown[id].MarshalJSON())))
	}
}

func texts(a *ahp.Annotation) (out []string) {
	for _, e := range a.Entries {
		out = append(out, e.Text.Value)
	}
	return out
}

func TestWriteAhead(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Deaf(true)
		r.dispatch(set(annotation("c", "mine")))
		r.dispatch(must(ahp.ResolveAnnotation("a", true)))
		r.dispatch(must(ahp.SetEntry("a", ahp.Entry{ID: "a.2", Text: ahp.Plain("reply")})))
		r.dispatch(must(ahp.RemoveAnnotation("b")))
		changes := these[AnnotationsChanged](r.take())
		require.Len(t, changes, 4, "one each, at once")
		require.Nil(t, changes[0].Changed[0].Old)
		require.Nil(t, changes[3].Changed[0].New)
		shown := r.shown(one)
		require.Equal(t, []string{"mine"}, texts(shown["c"]))
		require.True(t, shown["a"].Resolved)
		require.Equal(t, []string{"first", "reply"}, texts(shown["a"]))
		require.NotContains(t, shown, "b")
		require.JSONEq(t, `{"channel":"ahp-session:/1/annotations","clientSeq":2,"action":{"type":"annotations/updated","annotationId":"a","resolved":true}}`,
			string(sent(h, "dispatchAction")[1]))
	})
}

func TestEcho(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		r.dispatch(set(annotation("c", "mine")))
		r.dispatch(must(ahp.ResolveAnnotation("a", true)))
		r.take()
		r.agree()
		require.Empty(t, r.c.followed[one].annotations.queue)
		require.Empty(t, r.c.followed[one].annotations.shadow)
		require.Empty(t, these[Rejected](r.everything()))
		confirmed := these[Confirmed](r.everything())
		require.Len(t, confirmed, 2)
		require.Equal(t, Confirmed{Channel: notes, Action: must(ahp.ResolveAnnotation("a", true))}, confirmed[1])
	})
}

func TestRejection(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Reject(func(_ string, a ahp.Action) string {
			if a.Type == ahp.TypeAnnotationsSet || a.Type == ahp.TypeAnnotationsRemoved {
				return "read only"
			}
			return ""
		})
		r.dispatch(set(annotation("c", "mine")))
		r.dispatch(must(ahp.RemoveAnnotation("a")))
		r.dispatch(must(ahp.ResolveAnnotation("b", true)))
		rejected := these[Rejected](r.take())
		require.Len(t, rejected, 2)
		require.Equal(t, "read only", rejected[0].Reason)
		require.Equal(t, notes, rejected[0].Channel)
		require.Equal(t, ahp.TypeAnnotationsSet, rejected[0].Action.Type)
		r.agree()
		require.True(t, r.shown(one)["b"].Resolved)
		require.Empty(t, r.c.followed[one].annotations.queue)
	})
}

// A rejection that does not repeat the action.
func TestBareRejection(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Deaf(true)
		r.dispatch(set(annotation("c", "mine")))
		r.take()
		h.Deaf(false)
		h.SendRaw(`{"jsonrpc":"2.0","method":"action","params":{"channel":"` + notes + `","action":{},"serverSeq":9,"rejectionReason":"no",
			"origin":{"clientId":"` + r.c.id + `","clientSeq":1}}}`)
		rejected := last[Rejected](r.take())
		require.Equal(t, "no", rejected.Reason)
		require.Equal(t, ahp.TypeAnnotationsSet, rejected.Action.Type)
		require.NotContains(t, r.shown(one), "c")
	})
}

// Others write between our action and its echo: the host's order decides, and
// what is pending stays on top until it is confirmed.
func TestOthersInBetween(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		other := func(action string, seq string) {
			h.SendRaw(`{"jsonrpc":"2.0","method":"action","params":{"channel":"` + notes + `","action":` + action + `,"serverSeq":` + seq + `,"origin":{"clientId":"other","clientSeq":1}}}`)
			synctest.Wait()
		}
		echo := func(action ahp.Action, client, seq, reason string) {
			h.SendRaw(`{"jsonrpc":"2.0","method":"action","params":{"channel":"` + notes + `","action":` + string(action.Raw) + `,"serverSeq":` + seq + reason + `,"origin":{"clientId":"` + r.c.id + `","clientSeq":` + client + `}}}`)
			synctest.Wait()
		}
		h.Deaf(true)
		reply := must(ahp.SetEntry("a", ahp.Entry{ID: "mine", Text: ahp.Plain("mine")}))
		resolve := must(ahp.ResolveAnnotation("a", true))
		r.dispatch(reply)
		r.dispatch(resolve)
		r.take()
		h.Deaf(false)

		other(`{"type":"annotations/entrySet","annotationId":"a","entry":{"id":"theirs","text":"theirs"}}`, "101")
		require.Equal(t, []string{"first", "theirs", "mine"}, texts(r.shown(one)["a"]))
		other(`{"type":"annotations/updated","annotationId":"b","resolved":true}`, "102")
		require.True(t, r.shown(one)["b"].Resolved)

		echo(reply, "1", "103", "")
		require.Equal(t, []string{"first", "theirs", "mine"}, texts(r.shown(one)["a"]))
		require.True(t, r.shown(one)["a"].Resolved, "still pending")
		other(`{"type":"annotations/updated","annotationId":"a","resource":"file:///w/moved.go"}`, "104")
		require.True(t, r.shown(one)["a"].Resolved)
		require.Equal(t, "file:///w/moved.go", r.shown(one)["a"].Resource)

		echo(resolve, "2", "105", `,"rejectionReason":"someone is typing"`)
		require.False(t, r.shown(one)["a"].Resolved)
		require.Equal(t, "file:///w/moved.go", r.shown(one)["a"].Resource, "their change stays")
		require.Equal(t, []string{"first", "theirs", "mine"}, texts(r.shown(one)["a"]))
		require.Equal(t, "someone is typing", last[Rejected](r.everything()).Reason)

		// A rejection of someone else's is none of ours.
		h.SendRaw(`{"jsonrpc":"2.0","method":"action","params":{"channel":"` + notes + `","action":{"type":"annotations/removed","annotationId":"a"},"serverSeq":106,"rejectionReason":"no","origin":{"clientId":"other","clientSeq":7}}}`)
		require.Contains(t, r.shown(one), "a")
		require.Len(t, these[Rejected](r.everything()), 1)
		// Ours again although it has been settled: an action like any other.
		echo(must(ahp.ResolveAnnotation("a", true)), "2", "107", "")
		require.True(t, r.shown(one)["a"].Resolved)
	})
}

// A host that knows a resent action again echoes it with its first number, which
// the snapshot has already: that settles it, and undoes nothing that came later.
func TestEchoInSnapshot(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Do(notes, set(annotation("a", "theirs"))) // serverSeq 1
		synctest.Wait()
		h.Deaf(true)
		r.dispatch(set(annotation("a", "mine")))
		r.take()
		require.Equal(t, []string{"mine"}, texts(r.shown(one)["a"]))
		h.Deaf(false)
		h.SendRaw(`{"jsonrpc":"2.0","method":"action","params":{"channel":"` + notes + `","action":` + string(set(annotation("a", "mine")).Raw) +
			`,"serverSeq":1,"origin":{"clientId":"` + r.c.id + `","clientSeq":1}}}`)
		require.Equal(t, []string{"theirs"}, texts(r.shown(one)["a"]))
		require.Empty(t, r.c.followed[one].annotations.queue)
	})
}

func TestOfflineDispatch(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.DropConnections()
		synctest.Wait()
		require.Equal(t, Disconnected, r.c.Connection().State)
		r.dispatch(set(annotation("c", "mine")))
		r.dispatch(must(ahp.SetEntry("c", ahp.Entry{ID: "c.2", Text: ahp.Plain("more")})))
		require.Equal(t, []string{"mine", "more"}, texts(r.shown(one)["c"]), "shown at once")
		h.Do(notes, set(annotation("d", "theirs")))
		require.Empty(t, sent(h, "dispatchAction"))
		time.Sleep(time.Minute)
		r.agree()
		require.Equal(t, []string{"mine", "more"}, texts(h.Annotation(one, "c")))
		require.Len(t, sent(h, "dispatchAction"), 2)
	})
}

// Before the snapshot is there an action is shown and held back.
func TestDispatchBeforeSnapshot(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.SetAnnotations(one, annotation("a", "first"))
		gate := make(chan struct{})
		h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
			if method == "subscribe" && channelsOf([]jsonRaw{params})[0] == notes {
				<-gate
			}
			return nil, nil, false
		})
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		r.dispatch(must(ahp.SetEntry("a", ahp.Entry{ID: "a.2", Text: ahp.Plain("mine")})))
		r.dispatch(set(annotation("c", "new")))
		require.Len(t, r.shown(one), 1)
		synctest.Wait()
		require.Empty(t, sent(h, "dispatchAction"))
		close(gate)
		r.take()
		require.Len(t, sent(h, "dispatchAction"), 2)
		r.agree()
		require.Equal(t, []string{"first", "mine"}, texts(r.shown(one)["a"]))
	})
}

func TestDispatchRefused(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		require.ErrorContains(t, r.c.Dispatch(two+"/annotations", set(annotation("x", ""))), "not followed")
		require.ErrorContains(t, r.c.Dispatch(one, set(annotation("x", ""))), "not followed", "no channel to write to")
		require.Error(t, r.c.Dispatch(notes, ahp.Action{Type: "annotations/set", Raw: []byte(`{"type":"annotations/set"}`)}))
		require.Error(t, r.c.Dispatch(notes, ahp.Action{Type: "annotations/bogus", Raw: []byte(`{"type":"annotations/bogus"}`)}))
		require.Error(t, r.c.Dispatch(notes, ahp.Action{Type: "annotations/set", Raw: []byte(`{`)}))
		require.Empty(t, r.take())
		require.Empty(t, sent(h, "dispatchAction"))
	})
}

// A session that goes takes our unconfirmed actions with it, and says so.
func TestSessionGoesWithPending(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.DropConnections()
		synctest.Wait()
		r.dispatch(set(annotation("c", "mine")))
		h.RemoveSession(one)
		time.Sleep(time.Minute)
		rejected := these[Rejected](r.take())
		require.Len(t, rejected, 1)
		require.Contains(t, rejected[0].Reason, "does not know it")
		require.Empty(t, r.shown(one))
	})
}

// Letting go of a session while connected: what was sent is on its way.
func TestUnfollowWithPending(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		r.dispatch(set(annotation("c", "mine")))
		r.c.SetRoots(nil)
		require.Empty(t, these[Rejected](r.take()))
		require.NotNil(t, h.Annotation(one, "c"))
		require.Empty(t, r.shown(one))
	})
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.DropConnections()
		synctest.Wait()
		r.dispatch(set(annotation("c", "mine")))
		r.c.SetRoots(nil)
		require.Contains(t, last[Rejected](r.take()).Reason, "it was not sent")
	})
}
