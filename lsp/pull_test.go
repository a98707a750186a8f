package lsp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// holdReads keeps the disk busy, as eight slow reads do, until the returned
// function is called.
func (r *rig) holdReads() (release func()) {
	held := 0
	r.step("the disk is slow", func() {
		r.server.loop.post(func() {
			held = diskReaders - r.server.disk.running
			r.server.disk.running = diskReaders
		})
	})
	return func() {
		r.step("the disk answers", func() {
			r.server.loop.post(func() {
				r.server.disk.running -= held
				r.server.startReads()
			})
		})
	}
}

// An editor that pulled before it was known what a comment is about is asked to
// pull again, once.
func TestPulledTooEarly(t *testing.T) {
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		r.params["initializationOptions"] = map[string]any{"pullDiagnostics": true}
		r.config = func() any { return map[string]any{"pullDiagnostics": true} }
		r.commented()
		r.host.SetAnnotations(one)
		r.start()
		r.opens("greet.go")
		first := r.pulls("greet.go", "")
		release := r.holdReads()
		none := ""
		a := r.remark("a2", "greet.go", "func Count(n int) {", "A comment.")
		a.TurnID = &none
		r.does("a comment comes", annotations, set(a))
		var id string
		r.step("pull", func() {
			id = r.ask("textDocument/diagnostic", map[string]any{"textDocument": r.document("greet.go"), "previousResultId": first})
		})
		r.passes(2 * viewTimeout)
		require.NotContains(r.t, string(r.result(id)), "A comment.")
		before := r.rec.out.Len()
		release()
		told := r.rec.out.String()[before:]
		require.Equal(r.t, 1, strings.Count(told, "→editor workspace/diagnostic/refresh"), told)
		report := r.asks("pull", "textDocument/diagnostic", map[string]any{"textDocument": r.document("greet.go"), "previousResultId": first})
		require.Contains(r.t, string(report), "A comment.")
	})
}
