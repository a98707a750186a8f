package lsp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// suggesting adds a suggested edit to a comment: replace a text on disk.
func (r *rig) suggesting(a *ahp.Annotation, name, old, text string) *ahp.Annotation {
	at := r.rangeOnDisk(name, old)
	meta := fmt.Sprintf(`{"vscode.agentFeedback":{"kind":"codeReview","state":"created","sessionResource":%q,"suggestion":{"edits":[{"range":{"startLineNumber":%d,"startColumn":%d,"endLineNumber":%d,"endColumn":%d},"oldText":%s,"newText":%s}]}}}`,
		one, at.Start.Line+1, at.Start.Character+1, at.End.Line+1, at.End.Character+1, mustJSON(old), mustJSON(text))
	a.Meta = json.RawMessage(meta)
	return a
}

var threadScenes = []scene{
	{
		name: "resolve", about: "Resolve, reopen, accept; each is shown at once and sent to the host.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.chooses(r.offered("greet.go", helloCall), "Accept: ")
			require.Contains(r.t, string(r.host.Annotation(one, "a1").Meta), `"accepted"`)
			list := r.offered("greet.go", helloCall)
			r.chooses(list, "Resolve: ")
			require.True(r.t, r.host.Annotation(one, "a1").Resolved)
			r.offered("greet.go", helloCall)
			r.commands("ahp.annotation.reopen", comment(one, "a1"))
			r.commands("ahp.annotation.resolve", comment(one, "nobody"))
			r.commands("ahp.annotation.resolve", comment("ahp-session:/9", "a1"))
		},
	},
	{
		name: "reply", about: "Reply and edit, with the text as an argument and through a file that is saved.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			out := r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": "  From the environment?\r\n"})
			require.Equal(r.t, "From the environment?", r.host.Annotation(one, "a1").Entries[1].Text.Value)
			r.commands("ahp.annotation.edit", map[string]any{"session": one, "annotation": "a1", "entry": out["entry"], "text": "From a flag?"})
			r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": " \n"})
			r.commands("ahp.annotation.edit", map[string]any{"session": one, "annotation": "a1", "entry": "none", "text": "x"})
			r.chooses(r.offered("greet.go", helloCall), "Reply: ")
			r.fills("ahp-reply.md", "Or both.\n\nSecond paragraph.")
			require.Equal(r.t, "Or both.\n\nSecond paragraph.", r.host.Annotation(one, "a1").Entries[2].Text.Value)
			r.commands("ahp.annotation.edit", map[string]any{"session": one, "annotation": "a1", "entry": out["entry"]})
			r.fills("ahp-edit.md", "")
			r.commands("ahp.annotation.edit", map[string]any{"session": one, "annotation": "a1", "entry": out["entry"]})
			r.fillsUnseen("ahp-edit.md", "From both.")
			require.Equal(r.t, "From both.", r.host.Annotation(one, "a1").Entries[1].Text.Value)
		},
	},
	{
		name: "delete", about: "Deleting asks first: declined, closed, accepted; and gone meanwhile.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			list := r.offered("greet.go", helloCall)
			r.chooses(list, "Delete: ")
			r.answers("Cancel")
			r.chooses(list, "Delete: ")
			r.answers("")
			require.NotNil(r.t, r.host.Annotation(one, "a1"))
			r.chooses(list, "Delete: ")
			r.answers("Delete")
			require.Nil(r.t, r.host.Annotation(one, "a1"))
			r.does("another comment", annotations, set(r.remark("a5", "greet.go", helloCall, "again")))
			r.chooses(r.offered("greet.go", helloCall), "Delete: ")
			r.does("it is deleted elsewhere", annotations, map[string]any{"type": ahp.TypeAnnotationsRemoved, "annotationId": "a5"})
			r.answers("Delete")
		},
	},
	{
		name: "delete-armed", about: "An editor that cannot ask: the first choice arms the action for 30 s, only \"Confirm: …\" runs it.",
		play: func(r *rig) {
			r.reviewed()
			r.capability("window.showMessage", nil)
			r.start()
			r.opens("greet.go")
			list := r.offered("greet.go", helloCall)
			r.chooses(list, "Delete: ")
			r.chooses(list, "Delete: ")
			require.NotNil(r.t, r.host.Annotation(one, "a1"), "choosing twice is no confirmation")
			confirm := r.offered("greet.go", `"Bye "`)
			r.passes(31 * time.Second)
			r.offered("greet.go", `"Bye "`)
			r.chooses(confirm, "Confirm: ") // too late
			require.NotNil(r.t, r.host.Annotation(one, "a1"))
			r.chooses(r.offered("greet.go", `"Bye "`), "Confirm: ")
			require.Nil(r.t, r.host.Annotation(one, "a1"))
			r.offered("greet.go", `"Bye "`)
		},
	},
	{
		name: "suggestion", about: "Apply suggestion, wherever the code went; refused when the code changed.",
		play: func(r *rig) {
			r.world()
			r.greet()
			r.host.SetAnnotations(one, r.suggesting(r.review("a1", "greet.go", helloCall, "Quote the name."), "greet.go", "%s", "%q"))
			r.start()
			r.opens("greet.go")
			r.types("greet.go", "// Hello greets.", "// Hello greets 😀 loudly.\n// Really.")
			list := r.offered("greet.go", helloCall)
			r.chooses(list, "Apply suggestion: ")
			require.Contains(r.t, r.buffer("greet.go"), `fmt.Sprintf("Hello, %q!", name)`)
			r.offered("greet.go", "fmt.Sprintf")
			r.chooses(list, "Apply suggestion: ")
		},
	},
	{
		name: "thread", about: "Show the whole thread, and the code it was about.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.commands("ahp.thread.show", comment(one, "a1"))
			r.types("greet.go", "Hello, %s!", "Hi, %s!")
			r.chooses(r.offered("greet.go", "fmt.Sprintf"), "Show original code")
			r.commands("ahp.thread.show", comment(one, "a2"))
		},
	},
	{
		name: "rejected", about: "The host refuses an action: it is taken back, and the user is told with what was written.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			reasons := make(chan string)
			r.host.Reject(func(string, ahp.Action) string { return <-reasons })
			refuse := func() { r.step("the host refuses", func() { reasons <- "read only" }) }
			r.commands("ahp.annotation.resolve", comment(one, "a1"))
			refuse()
			r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": "From the environment?"})
			refuse()
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", `"Bye "`), "text": "Why not good bye?"})
			refuse()
			r.hovers("greet.go", `"Bye "`)
		},
	},
	{
		name: "no-help", about: "An editor that can show neither files nor questions, nor change text for a server.", editors: []string{"helix"},
		play: func(r *rig) {
			r.reviewed()
			r.capability("window.showDocument", nil)
			r.capability("workspace.applyEdit", nil)
			r.start()
			r.opens("greet.go")
			r.chooses(r.offered("greet.go", helloCall), "Reply: ")
			r.commands("ahp.thread.show", comment(one, "a1"))
			r.commands("ahp.before.show", map[string]any{"uri": r.uri("greet.go")})
			r.commands("ahp.hunk.revert", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", "import \"fmt\"\n")})
		},
	},
	{
		name: "reply-0.8", about: "A host of version 0.8.", options: ahptest.Options{Versions: []string{"0.8.0"}}, editors: []string{"neovim"},
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.commands("ahp.annotation.reply", map[string]any{"session": one, "annotation": "a1", "text": "From the environment?"})
			r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", `"Bye "`), "text": "Why not good bye?"})
			r.commands("ahp.annotation.accept", comment(one, "a1"))
		},
	},
}
