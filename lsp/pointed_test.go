package lsp

import (
	"encoding/json"
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

// While the text that the host's lines count in is being read anew, no lines of the
// old one are sent.
func TestYesWhileTheFileIsReadAgain(t *testing.T) {
	for _, confirmed := range []bool{true, false} {
		bubble(t, "vscode", ahptest.Options{}, func(r *rig) {
			r.world()
			op := opRange
			if confirmed {
				op = strings.Replace(op, `"status"`, `"confirmation":"Really?","status"`, 1)
			}
			r.greet(op)
			var sent []*ahp.OperationTarget
			r.host.OnInvoke(func(p ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
				sent = append(sent, p.Target)
				return ahp.InvokeResult{}, nil
			})
			slow := false
			r.host.Intercept(func(method string, _ json.RawMessage) (any, *ahp.Error, bool) {
				return ahptest.NoAnswer, nil, slow && method == "resourceRead"
			})
			r.manual["window/showMessageRequest"] = true
			r.start()
			r.opens("greet.go")
			menu := r.offered("greet.go", "i + 1", "refactor")
			choose := func() { r.chooses(menu, "Revert Range: ") }
			if confirmed {
				choose()
			}
			r.step("the agent writes the file", func() {
				slow = true
				r.write("greet.go", strings.Replace(greetAfter, "func Bye(name string) string {\n\treturn \"Bye \" + name\n}\n\n", "", 1))
				r.host.Do(uncommitted, `{"type":"changeset/fileSet","file":`+strings.Replace(r.changed("greet.go", "git-blob:greet"), `"added":4`, `"added":5`, 1)+`}`)
			})
			if confirmed {
				r.answers("Revert Range")
			} else {
				choose()
			}
			r.passes(2 * loadingTimeout)
			require.Empty(r.t, sent)
		})
	}
}
