package bridge

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

const cs = one + "/changeset/"

func file(id string) string {
	return fmt.Sprintf(`{"id":%q,"edit":{"after":{"uri":%q,"content":{"uri":%q}}}}`, id, id, id)
}

func ready(files ...string) string {
	list := ""
	for i, f := range files {
		if i > 0 {
			list += ","
		}
		list += file(f)
	}
	return `{"status":"ready","files":[` + list + `]}`
}

// withCatalogue runs a session with changesets in a workspace.
func withCatalogue(t *testing.T, catalogue []ahp.CatalogueEntry, test func(t *testing.T, h *ahptest.Host, start func() *rig)) {
	t.Helper()
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Changesets: catalogue, Turns: []ahp.Turn{{ID: "t1"}, {ID: "t2"}}})
		test(t, h, func() *rig {
			return start(t, h, func(c *Config) { c.Roots = []string{root} })
		})
	})
}

func chosen(r *rig) map[string]bool {
	out := map[string]bool{}
	for uri, v := range r.changesets() {
		out[uri] = v.Primary
	}
	return out
}

func TestChangesetsChosen(t *testing.T) {
	full := []ahp.CatalogueEntry{
		{Kind: "branch", Review: true}, {Kind: "uncommitted"}, {Kind: "session"}, {Kind: "turn"}, {Kind: "compare-turns"},
	}
	for name, tc := range map[string]struct {
		catalogue []ahp.CatalogueEntry
		wanted    []string
		states    map[string]string
		want      map[string]bool // channel → primary
	}{
		"the agent's own, the one with operations, the one to review, the newest turn": {
			full, nil, map[string]string{"session": ready("a"), "uncommitted": ready("a", "b")},
			map[string]bool{cs + "session": true, cs + "uncommitted": false, cs + "branch": false, cs + "turn/t2": false},
		},
		"the agent left nothing: the user's edits are not shown in its place": {
			full, nil, map[string]string{"uncommitted": ready("a")},
			map[string]bool{cs + "session": true, cs + "uncommitted": false, cs + "branch": false, cs + "turn/t2": false},
		},
		"what the agent did is not known": {
			full, nil, map[string]string{"session": `{"status":"error","files":[]}`, "turn/t2": `{"status":"error","files":[]}`, "uncommitted": ready("a")},
			map[string]bool{cs + "session": true, cs + "turn/t2": true, cs + "uncommitted": true, cs + "branch": false},
		},
		"computing is not empty": {
			full, []string{"uncommitted", "session"}, map[string]string{"uncommitted": `{"status":"computing","files":[]}`},
			map[string]bool{cs + "uncommitted": true, cs + "branch": false, cs + "turn/t2": false},
		},
		"no changeset of the session": {
			[]ahp.CatalogueEntry{{Kind: "uncommitted"}, {Kind: "turn"}}, nil, map[string]string{"uncommitted": ready("a")},
			map[string]bool{cs + "turn/t2": true, cs + "uncommitted": false},
		},
		"neither session nor turns": {
			[]ahp.CatalogueEntry{{Kind: "branch"}, {Kind: "uncommitted"}}, nil, map[string]string{"uncommitted": ready("a")},
			map[string]bool{cs + "uncommitted": true},
		},
		"the user's order": {
			full, []string{"uncommitted", "session"}, map[string]string{"session": ready("a"), "uncommitted": ready("a")},
			map[string]bool{cs + "uncommitted": true, cs + "branch": false, cs + "turn/t2": false},
		},
		"the user's order, empty: the next": {
			full, []string{"uncommitted", "turn"}, map[string]string{"turn/t2": ready("a")},
			map[string]bool{cs + "uncommitted": true, cs + "turn/t2": true, cs + "branch": false},
		},
		"the user's order, all empty": {
			full, []string{"uncommitted", "branch"}, map[string]string{"session": ready("a")},
			map[string]bool{cs + "uncommitted": true, cs + "branch": true, cs + "turn/t2": false},
		},
		"the user's order has nothing of what is there": {
			full, []string{"nonsense"}, map[string]string{"session": ready("a")},
			map[string]bool{cs + "session": true, cs + "uncommitted": false, cs + "branch": false, cs + "turn/t2": false},
		},
		"only a turn": {
			[]ahp.CatalogueEntry{{Kind: "turn"}}, nil, nil, map[string]bool{cs + "turn/t2": true},
		},
		"relative templates": {
			[]ahp.CatalogueEntry{{Kind: "session", Template: "changeset/session"}, {Kind: "turn", Template: "/changeset/turn/{turnId}"}}, nil,
			map[string]string{"session": ready("a")}, map[string]bool{cs + "session": true, cs + "turn/t2": false},
		},
		"unknown kinds and variables": {
			[]ahp.CatalogueEntry{{Kind: "x", Template: cs + "{what}"}, {Kind: "y", Template: cs + "{turnId}/{what}"}, {Kind: "z", Template: cs + "{"}, {Kind: "proposal"}}, nil,
			nil, map[string]bool{cs + "proposal": true},
		},
		"proposals, always": {
			append(full, ahp.CatalogueEntry{Kind: KindPatchset, Template: cs + "p1"}, ahp.CatalogueEntry{Kind: KindPatchset, Template: cs + "p2"}), nil,
			map[string]string{"session": ready("a")},
			map[string]bool{cs + "p1": true, cs + "p2": true, cs + "session": true, cs + "uncommitted": false, cs + "branch": false, cs + "turn/t2": false},
		},
		"without a kind": {
			[]ahp.CatalogueEntry{{Template: cs + "x"}, {Kind: "session"}}, nil, map[string]string{"x": ready("a"), "session": ready("a")},
			map[string]bool{cs + "session": true},
		},
		"twice the same": {
			[]ahp.CatalogueEntry{{Kind: "a", Template: cs + "same"}, {Kind: "b"}, {Kind: "c", Template: cs + "same"}}, nil,
			map[string]string{"same": ready("a")}, map[string]bool{cs + "same": true},
		},
		"none": {nil, nil, nil, map[string]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				root := makeFolders(t)
				h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Changesets: tc.catalogue, Turns: []ahp.Turn{{ID: "t1"}, {ID: "t2"}}})
				for name, state := range tc.states {
					h.SetChangeset(cs+name, state)
				}
				r := start(t, h, func(c *Config) { c.Roots, c.Changesets = []string{root}, tc.wanted })
				require.Equal(t, tc.want, chosen(r))
				for uri := range tc.want {
					require.Equal(t, 1, h.Subscribers(uri))
				}
				for _, uri := range channelsOf(sent(h, "subscribe")) {
					require.NotContains(t, uri, "{")
				}
			})
		})
	}
}

// What is not needed is not asked for, and one that fills is shown instead.
func TestChangesetsLazily(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Turns: []ahp.Turn{{ID: "t1"}},
			Changesets: []ahp.CatalogueEntry{{Kind: "branch"}, {Kind: "session"}, {Kind: "other"}}})
		h.SetChangeset(cs+"branch", ready("a"))
		r := start(t, h, func(c *Config) { c.Roots, c.Changesets = []string{root}, []string{"branch", "session", "other"} })
		require.Equal(t, map[string]bool{cs + "branch": true}, chosen(r))
		require.Equal(t, "branch", r.changesets()[cs+"branch"].Entry.Kind)

		h.SetChangeset(cs+"session", ready("a"))
		h.Do(cs+"branch", `{"type":"changeset/contentChanged","files":[]}`) // merged
		require.Equal(t, map[string]bool{cs + "branch": true, cs + "session": true}, chosen(r))
		require.Zero(t, h.Subscribers(cs+"other"))

		h.Do(cs+"branch", `{"type":"changeset/fileSet","file":`+file("b")+`}`)
		require.Equal(t, map[string]bool{cs + "branch": true}, chosen(r))
		require.Zero(t, h.Subscribers(cs+"session"))
		require.Equal(t, 1, h.Subscribers(cs+"branch"))
	})
}

// A changeset the host cannot give makes room for the next.
func TestChangesetFails(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "uncommitted"}, {Kind: "session"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"uncommitted", ready("a"))
		broken := true
		h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
			return nil, &ahp.Error{Code: -32603, Message: "no git"}, broken && method == "subscribe" && channelsOf([]jsonRaw{params})[0] == cs+"session"
		})
		r := start()
		require.Equal(t, map[string]bool{cs + "uncommitted": true}, chosen(r))
		require.Contains(t, r.log.text(), "no git")
		h.RunTurn(one, "t3", "again")
		synctest.Wait()
		n := 0
		for _, uri := range channelsOf(sent(h, "subscribe")) {
			n += btoi(uri == cs+"session")
		}
		require.Equal(t, 1, n, "it is not asked for again and again")

		broken = false
		r.c.Reconnect()
		require.Equal(t, map[string]bool{cs + "session": true, cs + "uncommitted": false}, chosen(r), "but after a reconnect it is")
	})
}

func TestTurnChangeset(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "turn"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		r := start()
		require.Equal(t, "t2", r.changesets()[cs+"turn/t2"].Turn)
		h.Do(ahptest.ChatURI(one), `{"type":"chat/turnStarted","turnId":"t/3 ","message":{"text":"more"}}`)
		require.Equal(t, map[string]bool{cs + "turn/t2": true}, chosen(r), "it has not ended")
		require.Equal(t, "t/3 ", last[SessionChanged](r.everything()).View.Chat.Active.ID)
		h.Do(ahptest.ChatURI(one), `{"type":"chat/turnComplete","turnId":"t/3 "}`)
		require.Equal(t, map[string]bool{cs + "turn/t%2F3%20": true}, chosen(r))
		require.Zero(t, h.Subscribers(cs+"turn/t2"))
		require.Len(t, last[SessionChanged](r.everything()).View.Chat.Turns, 3)
	})
}

func TestCatalogueChanges(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "uncommitted"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		r := start()
		h.Do(one, `{"type":"session/changesetsChanged","changesets":[
			{"label":"Renamed","uriTemplate":"changeset/uncommitted","changeKind":"uncommitted","capabilities":{"review":{}}},
			{"label":"Branch","uriTemplate":"changeset/branch","changeKind":"branch"}]}`)
		require.Equal(t, map[string]bool{cs + "uncommitted": true, cs + "branch": true}, chosen(r))
		require.Equal(t, "Renamed", r.changesets()[cs+"uncommitted"].Entry.Label)
		require.True(t, r.changesets()[cs+"uncommitted"].Entry.Review)
		h.Do(one, `{"type":"session/changesetsChanged"}`)
		require.Empty(t, chosen(r))
		// From 0.9 a chat has changesets of its own.
		h.Do(ahptest.ChatURI(one), `{"type":"chat/changesetsChanged","changesets":[{"label":"C","uriTemplate":"ahp-x:/c","changeKind":"chat"}]}`)
		synctest.Wait()
		require.Equal(t, []string{"ahp-x:/c"}, channelsOf(sent(h, "subscribe"))[len(sent(h, "subscribe"))-1:])
	})
}

// A template that cannot be parsed is complained about once.
func TestBadTemplateLoggedOnce(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "z", Template: cs + "{"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		r := start()
		for i := range 5 {
			h.RunTurn(one, fmt.Sprint("u", i), "x")
		}
		r.take()
		require.Len(t, r.log.lines, 1, r.log.text())
	})
}

func TestTouchedFiles(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "uncommitted"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"uncommitted", ready("a", "b"))
		r := start()
		first := last[ChangesetChanged](r.take())
		require.Len(t, first.Touched, 2)
		h.Do(cs+"uncommitted", `{"type":"changeset/fileSet","file":`+file("b")+`}`)
		second := last[ChangesetChanged](r.take())
		require.Len(t, second.Touched, 2, "the old and the new b")
		require.Same(t, first.View.State.File("b"), second.Touched[0])
		require.Same(t, second.View.State.File("b"), second.Touched[1])
		require.Same(t, first.View.State.File("a"), second.View.State.File("a"))
		h.Do(cs+"uncommitted", `{"type":"changeset/operationsChanged","operations":[{"id":"o","label":"O","scopes":["changeset"]}]}`)
		third := last[ChangesetChanged](r.take())
		require.Empty(t, third.Touched)
		require.Len(t, third.View.State.Operations, 1)
		require.Empty(t, second.View.State.Operations, "a view is immutable")
		h.Do(cs+"uncommitted", `{"type":"changeset/cleared"}`)
		require.Len(t, last[ChangesetChanged](r.take()).Touched, 2)
	})
}

func TestReviewFlags(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "branch", Review: true}, {Kind: "uncommitted"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"branch", ready("a", "b"))
		h.SetChangeset(cs+"uncommitted", ready("a", "b"))
		r := start()
		reviewed := func(channel, id string) bool { return r.changesets()[channel].State.File(id).Reviewed }
		review := func(ids ...string) ahp.Action { return must(ahp.ReviewFiles("0.9.0", ids, true)) }

		require.NoError(t, r.c.Dispatch(cs+"branch", review("a")))
		require.True(t, reviewed(cs+"branch", "a"))
		require.False(t, reviewed(cs+"branch", "b"))
		h.Do(cs+"branch", `{"type":"changeset/filesReviewChanged","files":["a"],"reviewed":false}`)
		require.False(t, reviewed(cs+"branch", "a"), "the host has the last word")

		// Where the host refuses, it is taken back.
		require.NoError(t, r.c.Dispatch(cs+"uncommitted", review("a", "b")))
		require.False(t, reviewed(cs+"uncommitted", "a"))
		rejected := last[Rejected](r.take())
		require.Contains(t, rejected.Reason, "Not a branch changeset")
		require.Equal(t, cs+"uncommitted", rejected.Channel)
		require.Equal(t, ahp.TypeChangesetFilesReviewChanged, rejected.Action.Type)

		// Ahead of the echo, with the host's own actions in between.
		h.DropConnections()
		synctest.Wait()
		require.NoError(t, r.c.Dispatch(cs+"branch", review("b")))
		require.True(t, reviewed(cs+"branch", "b"))
		r.c.Reconnect()
		require.True(t, reviewed(cs+"branch", "b"))
		require.Len(t, sent(h, "dispatchAction"), 3)

		require.ErrorContains(t, r.c.Dispatch(cs+"branch", ahp.Action{Type: "changeset/cleared", Raw: []byte(`{"type":"changeset/cleared"}`)}), "a client cannot dispatch it")
		require.ErrorContains(t, r.c.Dispatch(cs+"nothing", review("a")), "not followed")
	})
}
