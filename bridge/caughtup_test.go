package bridge

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// CaughtUp comes once per connection, behind the comments of every followed
// session, however late they are.
func TestCaughtUp(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.AddSession(ahptest.Session{URI: two, Directories: []string{root}})
		h.SetAnnotations(two, annotation("a2", "Why?"))
		late := true
		h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
			return ahptest.NoAnswer, nil, late && method == "subscribe" && channelsOf([]jsonRaw{params})[0] == one+"/annotations"
		})
		r := start(t, h, func(cfg *Config) { cfg.Roots = []string{root} })
		require.Contains(t, r.shown(two), "a2")
		require.Empty(t, these[CaughtUp](r.everything()))

		late = false
		for _, f := range h.Frames() {
			var m struct {
				ID     json.RawMessage
				Method string
				Params ahp.ChannelParams
			}
			if f.Dir == ahptest.Send && json.Unmarshal(f.Data, &m) == nil && m.Method == "subscribe" && m.Params.Channel == one+"/annotations" {
				h.SendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"snapshot":{"resource":%q,"fromSeq":0,"state":{"annotations":[{"id":"a1","resource":"file:///w/a.go","resolved":false,"entries":[]}]}}}}`,
					m.ID, m.Params.Channel))
			}
		}
		changes := r.take()
		require.IsType(t, CaughtUp{}, changes[len(changes)-1])
		require.Contains(t, r.shown(one), "a1")
		require.Len(t, these[CaughtUp](changes), 1)

		h.Do(one, `{"type":"session/titleChanged","title":"Later"}`)
		require.Empty(t, these[CaughtUp](r.take()), "once")
		h.DropConnections()
		time.Sleep(time.Minute)
		require.Len(t, these[CaughtUp](r.take()), 1, "and once more for another connection")
	})
}

// A host without a session, and one that cannot give the comments, have said all
// they have to say; a host that is only tried has not.
func TestCaughtUpWithoutComments(t *testing.T) {
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, nil)
		require.Len(t, these[CaughtUp](r.everything()), 1)
	})
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
		h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
			return nil, &ahp.Error{Code: -32603, Message: "out of memory"}, method == "subscribe" && channelsOf([]jsonRaw{params})[0] == one+"/annotations"
		})
		r := start(t, h, func(cfg *Config) { cfg.Roots = []string{root} })
		require.Len(t, these[CaughtUp](r.everything()), 1)
	})
	bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
		root := makeFolders(t)
		other := ahptest.New(ahptest.Options{})
		t.Cleanup(other.Close)
		other.AddSession(ahptest.Session{URI: two, Directories: []string{root}})
		other.SetAnnotations(two, annotation("a2", "Why?"))
		r := start(t, h, func(cfg *Config) {
			cfg.Roots = []string{root}
			cfg.Hosts = func() []Host {
				return []Host{{URL: "ws://a.test/", Dial: h.Dial}, {URL: "ws://b.test/", Dial: other.Dial}}
			}
		})
		require.Equal(t, "ws://b.test/", r.c.Connection().Host)
		changes := r.everything()
		require.Len(t, these[CaughtUp](changes), 1)
		for i, ch := range changes {
			if _, ok := ch.(CaughtUp); ok {
				require.NotEmpty(t, these[AnnotationsChanged](changes[:i]), "behind the comments")
			}
		}
	})
}
