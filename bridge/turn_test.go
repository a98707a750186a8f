package bridge

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

func TestTurnContent(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "turn"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetContent("file:///w/a", "after the turn")
		for _, turn := range []string{"t1", "t2"} {
			h.SetChangeset(cs+"turn/"+turn, ready("file:///w/a"))
		}
		r := start()
		for _, turn := range []string{"t1", "t2", "t1"} { // t2 is followed, t1 is not
			data, err := r.c.TurnContent(t.Context(), one, turn, "/w/a")
			require.NoError(t, err)
			require.Equal(t, "after the turn", string(data))
		}
		synctest.Wait()
		require.Zero(t, h.Subscribers(cs+"turn/t1"))
		require.Equal(t, 1, h.Subscribers(cs+"turn/t2"))
		n := 0
		for _, uri := range channelsOf(sent(h, "subscribe")) {
			n += btoi(uri == cs+"turn/t1")
		}
		require.Equal(t, 1, n, "what an ended turn wrote is read once")

		for _, turn := range []string{"t3", "t1"} {
			_, err := r.c.TurnContent(t.Context(), one, turn, "file:///w/b")
			require.ErrorIs(t, err, ErrNoTurnContent)
		}
		_, err := r.c.TurnContent(t.Context(), two, "t1", "file:///w/a")
		require.ErrorIs(t, err, ErrNoTurnContent)
		h.DropConnections()
		synctest.Wait()
		_, err = r.c.TurnContent(t.Context(), one, "t1", "file:///w/a")
		require.ErrorIs(t, err, ErrNotConnected)
	})
}

// One that is still being computed is waited for.
func TestTurnContentComputing(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "turn"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetContent("file:///w/a", "text")
		h.SetChangeset(cs+"turn/t2", `{"status":"computing","files":[]}`)
		r := start()
		got := make(chan string, 1)
		go func() { got <- string(must(r.c.TurnContent(t.Context(), one, "t2", "file:///w/a"))) }()
		synctest.Wait()
		require.Empty(t, got)
		h.Do(cs+"turn/t2", `{"type":"changeset/contentChanged","files":[`+file("file:///w/a")+`]}`)
		h.Do(cs+"turn/t2", `{"type":"changeset/statusChanged","status":"ready"}`)
		require.Equal(t, "text", <-got)
	})
}

// So is one that nobody follows; whoever follows it meanwhile has it afterwards,
// with one subscription at a time.
func TestPeekedWhileComputing(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "session"}, {Kind: "turn"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetContent("file:///w/a", "text")
		h.SetChangeset(cs+"turn/t1", `{"status":"computing","files":[]}`)
		r := start()
		got := make(chan string, 2)
		for range 2 {
			go func() { got <- string(must(r.c.TurnContent(t.Context(), one, "t1", "file:///w/a"))) }()
		}
		synctest.Wait()
		require.Equal(t, 1, h.Subscribers(cs+"turn/t1"))
		require.True(t, r.c.SelectBaseline(cs+"turn/t1"))
		synctest.Wait()
		require.Empty(t, got)
		require.NotContains(t, chosen(r), cs+"turn/t1")

		h.Do(cs+"turn/t1", `{"type":"changeset/contentChanged","files":[`+file("file:///w/a")+`]}`)
		h.Do(cs+"turn/t1", `{"type":"changeset/statusChanged","status":"ready"}`)
		require.Equal(t, "text", <-got)
		require.Equal(t, "text", <-got)
		require.True(t, chosen(r)[cs+"turn/t1"])
		require.Equal(t, 1, h.Subscribers(cs+"turn/t1"))
	})
}

// One that is never computed is given up, and so is one that the host refuses.
func TestPeekedInVain(t *testing.T) {
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "session"}, {Kind: "turn"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"turn/t1", `{"status":"computing","files":[]}`)
		r := start()
		_, err := r.c.TurnContent(t.Context(), one, "t1", "file:///w/a")
		require.ErrorIs(t, err, ErrNoTurnContent)
		synctest.Wait()
		require.Zero(t, h.Subscribers(cs+"turn/t1"))

		h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
			return nil, &ahp.Error{Code: -32001, Message: "no such turn"}, method == "subscribe" && channelsOf([]jsonRaw{params})[0] == cs+"turn/t1"
		})
		_, err = r.c.TurnContent(t.Context(), one, "t1", "file:///w/a")
		require.ErrorIs(t, err, ErrNoTurnContent)
	})
}

// A chat that is replaced: its turns go, the new one is subscribed once.
func TestChatReplaced(t *testing.T) {
	withCatalogue(t, nil, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		r := start()
		require.Len(t, last[SessionChanged](r.everything()).View.Chat.Turns, 2)
		require.True(t, last[SessionChanged](r.everything()).View.ChatKnown)
		h.AddSession(ahptest.Session{URI: two, Draft: true}) // for its chat
		h.Do(one, `{"type":"session/defaultChatChanged","defaultChat":"`+ahptest.ChatURI(two)+`"}`)
		views := these[SessionChanged](r.take())
		require.Empty(t, last[SessionChanged](r.everything()).View.Chat.Turns)
		for _, v := range views[len(views)-2:] {
			require.Empty(t, v.View.Chat.Turns)
		}
		require.True(t, views[len(views)-1].View.ChatKnown)
		require.Equal(t, 1, h.Subscribers(ahptest.ChatURI(two)))
		require.Zero(t, h.Subscribers(ahptest.ChatURI(one)))
		n := 0
		for _, uri := range channelsOf(sent(h, "subscribe")) {
			n += btoi(uri == ahptest.ChatURI(two))
		}
		require.Equal(t, 1, n)
	})
}
