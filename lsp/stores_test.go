package lsp

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// Texts that no comment is about any more are let go.
func TestAnchorTextsAreLetGo(t *testing.T) {
	bubble(t, "neovim", ahptest.Options{}, func(r *rig) {
		r.cfg.StateDir = r.t.TempDir()
		r.commented()
		r.start()
		r.opens("greet.go")
		for i := range 20 {
			r.types("greet.go", "// Hello greets.", "// One more.\n// Hello greets.")
			r.saves("greet.go")
			out := r.commands("ahp.annotation.create", map[string]any{
				"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", "func Count(n int) {"), "text": fmt.Sprint("comment ", i),
			})
			r.does("another client deletes it", annotations, map[string]any{"type": ahp.TypeAnnotationsRemoved, "annotationId": out["annotation"]})
		}
		var kept int
		r.inLoop(func() { kept = r.server.ws.StoredTexts(one) })
		require.Equal(r.t, 1, kept)
	})
}

// A record that cannot be used is set aside, the user is told once, and what is
// kept then is stored as if there had been none.
func TestDamagedRecordIsTold(t *testing.T) {
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		dir := r.t.TempDir()
		r.cfg.StateDir = dir
		r.world()
		r.greet()
		r.start()
		r.opens("greet.go")
		r.chooses(r.offered("greet.go", "i + 1", "refactor"), "Keep hunk")
		kept := records(r.t, dir, "kept")
		require.Len(r.t, kept, 1)
		r.end()
		require.NoError(r.t, os.WriteFile(kept[0], []byte("{"), 0o600))

		next := newRig(r.t, "vscode", ahptest.Options{})
		next.cfg.StateDir = dir
		next.world()
		next.greet()
		next.start()
		require.Contains(r.t, next.log.text(), kept[0])
		next.opens("greet.go")
		next.chooses(next.offered("greet.go", "i + 1", "refactor"), "Keep hunk")
		data, err := os.ReadFile(kept[0])
		require.NoError(r.t, err)
		require.Contains(r.t, string(data), "greet.go")
	})
}
