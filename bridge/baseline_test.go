package bridge

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// While no agent has done anything, what is uncommitted is the user's.
func TestBaselineBeforeTheFirstTurn(t *testing.T) {
	for name, tc := range map[string]struct {
		meta          string
		before, after map[string]bool
	}{
		"a draft":           {``, map[string]bool{cs + "uncommitted": false}, map[string]bool{cs + "uncommitted": true}},
		"the host's advice": {`{"ahp-lsp":{"baseline":"uncommitted"}}`, map[string]bool{cs + "uncommitted": true}, map[string]bool{cs + "uncommitted": true}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				root := makeFolders(t)
				h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Changesets: []ahp.CatalogueEntry{{Kind: "uncommitted"}}})
				h.SetChangeset(cs+"uncommitted", ready("a"))
				if tc.meta != "" {
					h.Do(one, `{"type":"session/metaChanged","_meta":`+tc.meta+`}`)
				}
				r := start(t, h, func(c *Config) { c.Roots = []string{root} })
				require.Equal(t, tc.before, chosen(r))
				h.RunTurn(one, "t1", "go")
				require.Equal(t, tc.after, chosen(r))
			})
		})
	}
}

// An embedded host's session has no end: its advice goes before the session's
// changeset, which is not shown in its place either.
func TestBaselineAdvised(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "session"}, {Kind: "uncommitted"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"session", ready("a"))
		h.Do(one, `{"type":"session/metaChanged","_meta":{"ahp-lsp":{"baseline":"uncommitted"}}}`)
		r := start()
		require.Equal(t, map[string]bool{cs + "uncommitted": true}, chosen(r))
	})
}

func TestSelectBaseline(t *testing.T) {
	catalogue := []ahp.CatalogueEntry{{Kind: "session", Label: "S"}, {Kind: "branch", Label: "B"}, {Kind: "turn", Label: "T"}}
	withCatalogue(t, catalogue, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"session", ready("a"))
		r := start()
		var labels []string
		for _, b := range r.c.Baselines() {
			require.Equal(t, one, b.Session)
			require.Equal(t, b.Channel == cs+"session", b.Shown)
			labels = append(labels, b.Entry.Label+" "+b.Channel+" "+b.Turn)
		}
		require.Equal(t, []string{"S " + cs + "session ", "B " + cs + "branch ", "T " + cs + "turn/t2 t2", "T " + cs + "turn/t1 t1"}, labels)

		for _, tc := range []struct {
			choice string
			ok     bool
			want   map[string]bool
		}{
			{"branch", true, map[string]bool{cs + "branch": true, cs + "session": false, cs + "turn/t2": false}},
			{cs + "branch", true, map[string]bool{cs + "branch": true, cs + "session": false, cs + "turn/t2": false}},
			{"turn", true, map[string]bool{cs + "turn/t2": true, cs + "session": false}},
			{cs + "turn/t1", true, map[string]bool{cs + "turn/t1": true, cs + "session": false, cs + "turn/t2": false}},
			{"nonsense", false, map[string]bool{cs + "turn/t1": true, cs + "session": false, cs + "turn/t2": false}},
			{cs + "turn/t9", false, map[string]bool{cs + "turn/t1": true, cs + "session": false, cs + "turn/t2": false}},
			{"", true, map[string]bool{cs + "session": true, cs + "turn/t2": false}},
		} {
			require.Equal(t, tc.ok, r.c.SelectBaseline(tc.choice), tc.choice)
			require.Equal(t, tc.want, chosen(r), tc.choice)
		}
		require.Equal(t, "t1", func() string { r.c.SelectBaseline(cs + "turn/t1"); chosen(r); return r.changesets()[cs+"turn/t1"].Turn }())
	})
}

// A chosen turn that the host cannot give is asked for once, and what is shown is
// the default again.
func TestChosenBaselineFails(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "session"}, {Kind: "turn"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"session", ready("a"))
		r := start()
		asked, broken := 0, true
		h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
			if method != "subscribe" || channelsOf([]jsonRaw{params})[0] != cs+"turn/t1" {
				return nil, nil, false
			}
			asked++
			return nil, &ahp.Error{Code: -32603, Message: "cannot compute"}, broken
		})
		require.True(t, r.c.SelectBaseline(cs+"turn/t1"), "it is not known yet")
		synctest.Wait()
		require.Equal(t, 1, asked)
		require.Equal(t, map[string]bool{cs + "session": true, cs + "turn/t2": false}, chosen(r))
		for _, b := range r.c.Baselines() {
			require.NotEqual(t, cs+"turn/t1", b.Channel)
		}

		broken = false
		require.True(t, r.c.SelectBaseline(cs+"turn/t1"), "asked to, it tries again")
		require.True(t, chosen(r)[cs+"turn/t1"])
	})
}

// What is not known of an agent's work is not taken for none.
func TestBaselineWithoutTheTurns(t *testing.T) {
	only := []ahp.CatalogueEntry{{Kind: "uncommitted"}}
	shown := map[string]bool{cs + "uncommitted": true}
	for name, prepare := range map[string]func(h *ahptest.Host){
		"the chat is out of reach": func(h *ahptest.Host) {
			h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
				return nil, &ahp.Error{Code: -32603, Message: "no chat"}, method == "subscribe" && channelsOf([]jsonRaw{params})[0] == ahptest.ChatURI(one)
			})
		},
		"there is another chat": func(h *ahptest.Host) {
			h.Do(one, `{"type":"session/chatAdded","summary":{"resource":"ahp-chat:/other","title":"other","status":1}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				root := makeFolders(t)
				h.AddSession(ahptest.Session{URI: one, Directories: []string{root}, Changesets: only})
				h.SetChangeset(cs+"uncommitted", ready("a"))
				prepare(h)
				r := start(t, h, func(c *Config) { c.Roots = []string{root} })
				require.Equal(t, shown, chosen(r))
			})
		})
	}
}
