package bridge

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// A host that was started again knows a session's comments only when it has read the
// session back, which it begins when somebody subscribes to the session.
func TestCommentsOfASessionThatIsReadBack(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("the session's answer is later: %v", late), func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				root := makeFolders(t)
				h.AddSession(ahptest.Session{URI: one, Directories: []string{root}})
				h.SetAnnotations(one, annotation("a1", "Why?"))
				back, asked := false, 0
				h.Intercept(func(method string, params jsonRaw) (any, *ahp.Error, bool) {
					channel := channelsOf([]jsonRaw{params})[0]
					switch {
					case method == "subscribe" && channel == one && late:
						return ahptest.NoAnswer, nil, true
					case method == "subscribe" && channel == one+"/annotations":
						asked++
						return nil, &ahp.Error{Code: -32001, Message: "Resource not found"}, !back && asked == 1 || late && !back
					}
					return nil, nil, false
				})
				r := start(t, h, func(cfg *Config) { cfg.Roots = []string{root} })
				if late {
					require.Equal(t, 1, asked)
					back = true
					for _, f := range h.Frames() {
						var m struct {
							ID     json.RawMessage
							Method string
							Params ahp.ChannelParams
						}
						if f.Dir == ahptest.Send && json.Unmarshal(f.Data, &m) == nil && m.Method == "subscribe" && m.Params.Channel == one {
							h.SendRaw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"snapshot":{"resource":%q,"fromSeq":0,"state":{"summary":{"title":"One"},"workingDirectories":[%q]}}}}`, m.ID, one, root))
						}
					}
				}
				synctest.Wait()
				require.Equal(t, 2, asked)
				require.Contains(t, r.shown(one), "a1")
				require.NoError(t, r.c.Dispatch(one+"/annotations", must(ahp.SetEntry("a1", ahp.Entry{ID: "e2", Text: ahp.Plain("Because.")}))))
				synctest.Wait()
				require.Len(t, h.Annotation(one, "a1").Entries, 2)
				require.True(t, r.c.Follows(one+"/annotations"))
			})
		})
	}
}
