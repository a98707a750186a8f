package bridge

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// away cuts the connection, lets something happen, and waits for the return.
func (r *rig) away(meanwhile func()) {
	r.t.Helper()
	r.take()
	r.host.DropConnections()
	synctest.Wait()
	require.Equal(r.t, Disconnected, r.c.Connection().State)
	meanwhile()
	time.Sleep(time.Minute)
	synctest.Wait()
	require.Equal(r.t, Connected, r.c.Connection().State)
}

func TestReconnect(t *testing.T) {
	for name, prepare := range map[string]func(h *ahptest.Host){
		"replay":      func(*ahptest.Host) {},
		"snapshots":   func(h *ahptest.Host) { h.SetRecovery(ahptest.Snapshots) },
		"per channel": func(h *ahptest.Host) { h.SetRecovery(ahptest.PerChannel) },
		"forgotten":   func(h *ahptest.Host) { h.ForgetClients() },
		"refused": func(h *ahptest.Host) {
			h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
				return nil, &ahp.Error{Code: -32603, Message: "no"}, method == "reconnect"
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
				h.Do(one, `{"type":"session/changesetsChanged","changesets":[{"label":"U","uriTemplate":"changeset/uncommitted","changeKind":"uncommitted"}]}`)
				r.dispatch(set(annotation("c", "confirmed")))
				r.away(func() {
					prepare(h)
					r.dispatch(must(ahp.SetEntry("a", ahp.Entry{ID: "mine", Text: ahp.Plain("mine")})))
					h.Do(notes, must(ahp.SetEntry("a", ahp.Entry{ID: "theirs", Text: ahp.Plain("theirs")})))
					h.Do(notes, must(ahp.RemoveAnnotation("b")))
					h.Do(notes, set(annotation("d", "new")))
					h.Do(cs+"uncommitted", `{"type":"changeset/contentChanged","files":[`+file("a")+`]}`)
					h.AddSession(ahptest.Session{URI: two, Directories: r.c.workspace.roots})
				})
				r.agree()
				require.Equal(t, []string{"first", "theirs", "mine"}, texts(r.shown(one)["a"]))
				require.Len(t, r.changesets()[cs+"uncommitted"].State.Files(), 1)
				require.True(t, r.sessions()[two].Followed, "sessions are listed again")
				require.Len(t, sent(h, "dispatchAction"), 2, "nothing is sent twice")
				for _, uri := range []string{one, notes, cs + "uncommitted", ahptest.ChatURI(one), two, two + "/annotations"} {
					require.Equal(t, 1, h.Subscribers(uri), uri)
				}
				require.Empty(t, these[Rejected](r.everything()))

				// And it goes on.
				h.Do(notes, set(annotation("a", "later")))
				r.dispatch(set(annotation("b", "again")))
				synctest.Wait()
				r.agree()
			})
		})
	}
}

// What the host carried out while its echo was lost comes in the replay and is
// not sent again; what did not arrive is.
func TestEchoWhileAway(t *testing.T) {
	for name, arrived := range map[string]bool{"arrived": true, "lost": false} {
		t.Run(name, func(t *testing.T) {
			annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
				r.host.DropConnections()
				synctest.Wait()
				// As if it had gone out just before the end.
				r.dispatch(set(annotation("c", "mine")))
				if arrived {
					h.Replayed(notes, r.c.id, 1, set(annotation("c", "mine")))
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				r.agree()
				require.Len(t, sent(h, "dispatchAction"), btoi(!arrived))
				require.Empty(t, r.c.followed[one].annotations.queue)
			})
		})
	}
}

// The host does not know a session any more.
func TestMissing(t *testing.T) {
	for name, recovery := range map[string]ahptest.Recovery{"replay": ahptest.Replay, "snapshots": ahptest.Snapshots, "per channel": ahptest.PerChannel} {
		t.Run(name, func(t *testing.T) {
			annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
				h.SetRecovery(recovery)
				r.away(func() {
					h.RemoveSession(one)
					h.AddSession(ahptest.Session{URI: two, Directories: r.c.workspace.roots})
				})
				require.Equal(t, []string{two}, selected(r))
				require.Empty(t, r.shown(one))
				require.Empty(t, these[Notice](r.everything()))
			})
		})
	}
}

// A chat that changes while away: the new one is subscribed once.
func TestReplaySubscribesOnce(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		r.away(func() {
			h.Do(one, `{"type":"session/changesetsChanged","changesets":[{"label":"U","uriTemplate":"changeset/uncommitted","changeKind":"uncommitted"}]}`)
		})
		n := 0
		for _, uri := range channelsOf(sent(h, "subscribe")) {
			n += btoi(uri == cs+"uncommitted")
		}
		require.Equal(t, 1, n)
	})
}

// Another host: nothing of the old one is true there.
func TestAnotherHost(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		other := ahptest.New(ahptest.Options{})
		t.Cleanup(other.Close)
		other.AddSession(ahptest.Session{URI: one, Title: "Other", Directories: r.c.workspace.roots})
		other.SetAnnotations(one, annotation("x", "other"))
		r.c.cfg.Hosts = func() []Host { return []Host{{URL: "ws://other.test/"}} }
		r.c.cfg.Dial = other.Dial
		h.DropConnections()
		synctest.Wait()
		r.dispatch(set(annotation("c", "mine")))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, r.shown(one), 1)
		require.Contains(t, r.shown(one), "x")
		require.Len(t, these[Rejected](r.everything()), 1, "and the user knows what was not sent")
		require.Empty(t, sent(other, "reconnect"))
	})
}

// A host that was started again counts from the beginning: old numbers must not
// make new actions look old.
func TestHostRestarted(t *testing.T) {
	annotated(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		for range 50 {
			h.Do(notes, must(ahp.ResolveAnnotation("a", true)))
		}
		fresh := ahptest.New(ahptest.Options{})
		t.Cleanup(fresh.Close)
		fresh.AddSession(ahptest.Session{URI: one, Directories: r.c.workspace.roots})
		synctest.Wait()
		r.c.cfg.Dial = fresh.Dial
		h.DropConnections()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Empty(t, r.shown(one))
		fresh.Do(notes, set(annotation("new", "x")))
		require.Len(t, r.shown(one), 1)
	})
}

// An action that overtakes its snapshot is applied after it, if it is newer.
func TestActionBeforeSnapshot(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
			if method != "subscribe" || channelsOf([]jsonRaw{params})[0] != notes {
				return nil, nil, false
			}
			for seq, text := range map[int]string{7: "old", 12: "new"} {
				h.SendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"action","params":{"channel":%q,"serverSeq":%d,"action":%s}}`,
					notes, seq, set(annotation(text, text)).Raw))
			}
			return map[string]any{"snapshot": map[string]any{"resource": notes, "fromSeq": 10,
				"state": map[string]any{"annotations": []any{annotation("a", "snap")}}}}, nil, true
		})
		r := start(t, h, func(c *Config) { c.Roots = []string{root} })
		shown := r.shown(one)
		require.Contains(t, shown, "a")
		require.Contains(t, shown, "new")
		require.NotContains(t, shown, "old", "the snapshot had it, and what came after it")
	})
}

// A snapshot over the limit is left out; everything else comes.
func TestOversized(t *testing.T) {
	for name, big := range map[string]string{"annotations": notes, "changeset": cs + "session", "session": one} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				root := makeFolders(t)
				long := strings.Repeat("x", 50_000)
				title := "One"
				if big == one {
					title = long
				}
				catalogue := []ahp.CatalogueEntry{{Kind: "uncommitted"}, {Kind: "session"}}
				h.AddSession(ahptest.Session{URI: one, Title: title, Directories: []string{root}, Changesets: catalogue, Turns: []ahp.Turn{{ID: "t1"}}})
				h.AddSession(ahptest.Session{URI: two, Directories: []string{root}})
				h.SetAnnotations(one, annotation("a", "x"))
				h.SetAnnotations(two, annotation("b", "x"))
				h.SetChangeset(cs+"session", ready("a"))
				h.SetChangeset(cs+"uncommitted", ready("b"))
				switch big {
				case notes:
					h.SetAnnotations(one, annotation("a", long))
				case cs + "session":
					h.SetChangeset(big, ready(long))
				}
				// The list is small; only the session's own state is large.
				h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
					return map[string]any{"items": []any{
						map[string]any{"resource": one, "workingDirectories": []string{root}, "modifiedAt": at(2)},
						map[string]any{"resource": two, "workingDirectories": []string{root}, "modifiedAt": at(1)},
					}}, nil, method == "listSessions"
				})
				r := start(t, h, func(c *Config) { c.Roots, c.ReadLimit = []string{root}, 20_000 })
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Equal(t, Connected, r.c.Connection().State)
				notices := these[Notice](r.everything())
				require.Len(t, notices, 1)
				require.Equal(t, NoticeError, notices[0].Severity)
				require.True(t, strings.HasPrefix(notices[0].Text, big+" is larger than the read limit of 20000 bytes"), notices[0].Text)
				require.Contains(t, notices[0].Text, "readLimit")
				require.Len(t, r.shown(two), 1)
				require.Equal(t, big == cs+"session", len(r.shown(one)) == 1)
				if big != one {
					require.True(t, r.sessions()[one].Followed)
					require.Equal(t, big == cs+"session", chosen(r)[cs+"uncommitted"])
				} else {
					require.Equal(t, Reason{Kind: ReasonTooLarge}, r.sessions()[one].Reason)
				}

				// It stays left out, and nothing is cut again.
				n := len(h.Frames())
				h.Do(two+"/annotations", set(annotation("c", "x")))
				require.Len(t, r.shown(two), 2)
				r.away(func() {})
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				require.Equal(t, Connected, r.c.Connection().State)
				require.Less(t, len(h.Frames())-n, 400)
				require.Len(t, these[Notice](r.everything()), 1)

				// Asked to, it tries again.
				h.SetAnnotations(one, annotation("a", "small"))
				h.SetChangeset(cs+"session", ready("a"))
				if big != one {
					r.c.Reconnect()
					time.Sleep(time.Minute)
					require.Len(t, r.shown(one), 1)
					require.True(t, chosen(r)[cs+"session"])
				}
			})
		})
	}
}

// A message over the limit that is no snapshot cannot be left out: the client
// comes back less and less often, for each time costs as much as the limit.
func TestOversizedMessage(t *testing.T) {
	long := strings.Repeat("x", 50_000)
	for name, send := range map[string]func(h *ahptest.Host){
		"within the handshake": func(h *ahptest.Host) {
			h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
				return map[string]any{"protocolVersion": "0.9.0", "snapshots": []any{}, "instructions": long}, nil, method == "initialize"
			})
		},
		"within the list": func(h *ahptest.Host) {
			h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
				return map[string]any{"items": []any{map[string]any{"resource": "x:" + long}}}, nil, method == "listSessions"
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				send(h)
				r := start(t, h, func(c *Config) { c.ReadLimit = 20_000 })
				tries := func(d time.Duration) int {
					n := len(sent(h, "initialize")) + len(sent(h, "reconnect"))
					time.Sleep(d)
					synctest.Wait()
					return len(sent(h, "initialize")) + len(sent(h, "reconnect")) - n
				}
				require.LessOrEqual(t, len(sent(h, "initialize"))+tries(14*time.Second), 2)
				require.ErrorContains(t, r.c.Connection().Err, "readLimit")
				require.LessOrEqual(t, tries(10*time.Minute), 6)
				h.Intercept(nil)
				r.c.Reconnect()
				synctest.Wait()
				require.Equal(t, Connected, r.c.Connection().State, "asked to, it tries at once")
			})
		})
	}
}
