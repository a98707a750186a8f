package lsp

import (
	"encoding/json"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

const helloCall = `fmt.Sprintf("Hello, %s!", name)`

// reviewed is greet.go with the agent's comment, and a person's in another
// file, which stays closed.
func (r *rig) reviewed() {
	r.greet()
	r.write("other.go", "package greet\n\nvar x = 1\n")
	r.host.SetAnnotations(one,
		r.review("a1", "greet.go", helloCall, "Should this be **configurable**?"),
		r.remark("a2", "other.go", "x", "what is it for?"),
	)
	r.world() // last: it is told to whoever is connected
}

func entrySet(id, entry, text, meta string) any {
	e := ahp.Entry{ID: entry, Text: ahp.Plain(text)}
	if meta != "" {
		e.Meta = json.RawMessage(meta)
	}
	return map[string]any{"type": ahp.TypeAnnotationsEntrySet, "annotationId": id, "entry": e}
}

func resolved(id string, is bool) any {
	return map[string]any{"type": ahp.TypeAnnotationsUpdated, "annotationId": id, "resolved": is}
}

var diagnosticScenes = []scene{
	{
		name: "diagnostics", about: "Comments as diagnostics: of an open file with its exact version, of a closed one; what changes them, and what does not.",
		play: func(r *rig) {
			r.reviewed()
			r.startTold()
			r.opens("greet.go")
			r.does("the agent adds to its comment", annotations, entrySet("a1", "a1:1", "I would read it from the environment.", byAgent))
			r.does("a comment in the closed file", annotations, set(r.remark("a3", "other.go", "= 1", "why one?")))
			r.does("the user replies elsewhere", annotations, entrySet("a1", "a1:2", "yes, please\nin a second line", ""))
			r.types("greet.go", "import \"fmt\"\n", "import \"fmt\"\n\n// Typed above.\n")
			r.types("greet.go", "\t\tfmt.Println(\"next\")\n", "")
			r.types("greet.go", "Hello, %s!", "Hi, %s!")
			r.types("greet.go", "\treturn fmt.Sprintf(\"Hi, %s!\", name)\n", "")
			r.step("undo", func() {
				at, _ := r.find(r.uri("greet.go"), "}\n\nfunc Bye")
				r.splice(r.uri("greet.go"), at, at, "\treturn "+helloCall+"\n")
			})
			r.does("it is resolved", annotations, resolved("a1", true))
			r.types("greet.go", "// Typed above.", "// Typed again.")
			r.does("and opened again", annotations, resolved("a1", false))
			r.closes("greet.go")
			r.does("a2 is deleted", annotations, map[string]any{"type": ahp.TypeAnnotationsRemoved, "annotationId": "a2"})
			r.does("an action that changes nothing", annotations, resolved("a1", false))
			r.does("an unknown action", annotations, map[string]any{"type": "annotations/juggled", "annotationId": "a1"})
		},
	},
	{
		name: "severity", about: "Severities by state, the setting that replaces them, resolved comments with showResolved.",
		play: func(r *rig) {
			r.world()
			r.greet()
			accepted := r.review("accepted", "greet.go", `"Bye " + name`, "accepted")
			accepted.Meta = feedback("codeReview", "accepted")
			done := r.remark("resolved", "greet.go", "// Count counts to n.", "done")
			done.Resolved = true
			gone := r.remark("detached", "greet.go", `fmt.Println("next")`, "its code goes")
			r.host.SetAnnotations(one, r.review("awaiting", "greet.go", helloCall, "not accepted yet"), accepted, done, gone)
			r.start()
			r.opens("greet.go")
			r.types("greet.go", "\t\tfmt.Println(\"next\")\n", "")
			settings := map[string]any{"showResolved": true, "severity": map[string]string{"open": "error", "detached": "warning"}}
			r.config = func() any { return settings }
			r.step("the user changes settings", func() { r.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}) })
			settings = map[string]any{"diagnostics": false}
			r.step("the user wants no diagnostics", func() { r.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}) })
		},
	},
	{
		name: "pull", about: "Diagnostics for a client that asks for them: full, unchanged; it is not pushed to, but asked to pull again.",
		play: func(r *rig) {
			r.reviewed()
			r.params["initializationOptions"] = map[string]any{"ahp": map[string]any{"pullDiagnostics": true}}
			r.startTold()
			r.opens("greet.go")
			first := r.pulls("greet.go", "")
			require.Equal(r.t, first, r.pulls("greet.go", first))
			r.does("the agent adds to its comment", annotations, entrySet("a1", "a1:1", "I would read it from the environment.", byAgent))
			second := r.pulls("greet.go", first)
			require.NotEqual(r.t, first, second)
			r.types("greet.go", "Hello, %s!", "Hi, %s!")
			r.pulls("greet.go", second)
			r.does("a comment in the closed file", annotations, set(r.remark("a3", "other.go", "= 1", "why one?")))
			r.closes("greet.go")
		},
	},
	{
		name: "pull-unasked", about: "A client that pulls although it was not offered: what was pushed before goes, or it would be shown twice.",
		editors: []string{"helix"},
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.pulls("greet.go", "")
			r.does("it is resolved", annotations, resolved("a1", true))
		},
	},
}
