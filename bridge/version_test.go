package bridge

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

func TestVersions(t *testing.T) {
	bubble(t, ahptest.Options{Versions: []string{"^2.0.0", "3.1.0"}}, func(t *testing.T, h *ahptest.Host) {
		r := start(t, h, nil)
		got := last[ConnectionChanged](r.take()).Connection
		require.ErrorContains(t, got.Err, "^2.0.0, 3.1.0")
		require.ErrorContains(t, got.Err, strings.Join(ahp.Versions(), ", "))
		require.True(t, ahp.Is(got.Err, ahp.CodeVersion))
		require.Equal(t, retryMost, got.Retry)
	})
}

// A version that was not offered is one whose rules this client does not know.
func TestVersionNotOffered(t *testing.T) {
	for _, version := range []string{"99.0.0", "0.9.1", "1.1.0", "0.9.0-beta", "latest", "^0.9.0"} {
		t.Run(version, func(t *testing.T) {
			bubble(t, ahptest.Options{}, func(t *testing.T, h *ahptest.Host) {
				h.Intercept(func(method string, _ json.RawMessage) (any, *ahp.Error, bool) {
					return ahp.InitializeResult{ProtocolVersion: version, Snapshots: []ahp.Snapshot{}}, nil, method == "initialize"
				})
				r := start(t, h, nil)
				got := last[ConnectionChanged](r.take()).Connection
				require.Equal(t, Disconnected, got.State)
				require.ErrorIs(t, got.Err, ErrVersion)
				require.ErrorContains(t, got.Err, strconv.Quote(version))
				require.ErrorContains(t, got.Err, strings.Join(ahp.Versions(), ", "))
				require.Equal(t, retryMost, got.Retry)
				require.Equal(t, []string{"initialize"}, methods(h), "nothing is asked of such a host")
				require.Zero(t, h.Clients(), "the connection is closed")
			})
		})
	}
}
