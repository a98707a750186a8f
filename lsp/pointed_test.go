package lsp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// What is chosen from a menu, or clicked, acts on the lines it was shown for,
// whatever the buffer has become meanwhile.

func (r *rig) clicks(list []protocol.CodeLens, title string) map[string]any {
	r.t.Helper()
	for _, l := range list {
		if strings.HasPrefix(l.Command.Title, title) {
			return r.commands(l.Command.Command, l.Command.Arguments...)
		}
	}
	require.Fail(r.t, "no such lens", "%s", title)
	return nil
}

const countHunk = "\t\tfmt.Println(i + 1)\n\t\tfmt.Println(\"next\")\n"

func TestMenuOfAnEarlierText(t *testing.T) {
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		r.world()
		r.greet(opRange)
		var sent []*ahp.OperationTarget
		r.host.OnInvoke(func(p ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
			sent = append(sent, p.Target)
			return ahp.InvokeResult{}, nil
		})
		r.start()
		r.opens("greet.go")
		menu := r.offered("greet.go", "i + 1", "refactor")
		r.types("greet.go", "// Hello greets.", "// One.\n// Hello greets.")
		r.chooses(menu, "Revert Range: ")
		require.Len(r.t, sent, 1)
		require.Equal(r.t, *r.rangeOnDisk("greet.go", countHunk), *sent[0].Range)

		// The lines it was about are others now.
		r.types("greet.go", "i + 1", "i + 2")
		r.chooses(menu, "Revert Range: ")
		require.Len(r.t, sent, 1)

		// A file that was closed and opened again begins with the same version.
		menu = r.offered("greet.go", "i + 2", "refactor")
		text := r.buffer("greet.go")
		r.closes("greet.go")
		r.opensWith("greet.go", strings.Replace(text, "// One.\n", "", 1))
		r.chooses(menu, "Keep hunk")
		r.chooses(r.offered("greet.go", "i + 2"), "Un-keep hunk")
	})
}

func TestLensOfAnEarlierText(t *testing.T) {
	bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
		r.world()
		r.greet()
		r.start()
		r.opens("greet.go")
		lenses := r.lensesOf("greet.go")
		// Where the lens was, there is another hunk now.
		r.types("greet.go", "// Hello greets.", strings.Repeat("// Hello greets.\n", 10)+"// Hello greets.")
		r.clicks(lenses, "Revert hunk (lines 17–18")
		require.Contains(r.t, r.buffer("greet.go"), `fmt.Sprintf("Hello, %s!", name)`)
		require.NotContains(r.t, r.buffer("greet.go"), countHunk)
	})
}
