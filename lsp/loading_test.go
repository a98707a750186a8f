package lsp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// The status says that it is loading until every comment is known with its place,
// and then a plugin is told that it is another.
func TestLoading(t *testing.T) {
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		r.params["initializationOptions"] = map[string]any{"notifications": true}
		r.reviewed()
		r.host.Intercept(func(method string, _ json.RawMessage) (any, *ahp.Error, bool) {
			return ahptest.NoAnswer, nil, method == "resourceRead" // what a turn left, among others
		})
		r.start()
		require.Equal(r.t, true, r.commands("ahp.status")["loading"])
		before := r.rec.out.Len()
		r.passes(2 * turnPatience)
		require.Contains(r.t, r.rec.out.String()[before:], "ahp/statusChanged")
		require.NotContains(r.t, r.commands("ahp.status"), "loading")
		require.Contains(r.t, string(r.asks("threads", "ahp/threads", r.document("greet.go"))), `"annotation"`)
	})
}

// A host without a session has nothing to load, and nor has a server without a host.
func TestLoadingNothing(t *testing.T) {
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		r.cfg.Flags = Settings{}
		r.start()
		require.NotContains(r.t, r.commands("ahp.status"), "loading")
	})
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		r.start()
		require.NotContains(r.t, r.commands("ahp.status"), "loading")
	})
}
