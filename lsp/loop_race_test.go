//go:build race

package lsp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// In race builds the state says who may use it.
func TestOnlyTheLoopTouchesTheState(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.commented()
		r.start()
		require.Panics(r.t, func() { r.server.ws.Open(r.uri("greet.go")) })
		require.Panics(r.t, func() { r.server.ws.Settle() })
		r.inLoop(func() { r.server.ws.Open(r.uri("greet.go")) })
	})
}
