package lsp

import (
	"encoding/json"
	"regexp"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

var viewScenes = []scene{
	{
		name: "views", about: "Code lenses, hovers and inlay hints of comments and hunks, and the requests to ask for them again.",
		play: func(r *rig) {
			r.world(ahp.CatalogueEntry{Kind: "branch", Label: "Branch Changes", Review: true}, ahp.CatalogueEntry{Kind: "turn", Label: "Last Turn"})
			r.greet()
			r.host.SetChangeset(branch, r.changeset(nil, r.changed("greet.go", "git-blob:greet")))
			file := r.remark("a2", "greet.go", "package greet", "what is\nthis *file* for?")
			file.Range = nil
			r.host.SetAnnotations(one, r.review("a1", "greet.go", helloCall, "Should this be **configurable**?"), file)
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.hintsOf("greet.go")
			r.hovers("greet.go", helloCall)
			r.hovers("greet.go", "package greet")
			r.hovers("greet.go", "// Count counts") // behind the removed lines
			r.hovers("greet.go", `"Bye "`)
			r.does("the agent adds to its comment", annotations, entrySet("a1", "a1:1", "I would read it from the environment.", byAgent))
			r.lensesOf("greet.go")
			r.hintsOf("greet.go")
			r.types("greet.go", "import \"fmt\"\n", "import \"fmt\"\n\nimport \"os\"\n")
			r.lensesOf("greet.go")
			r.hovers("greet.go", "Sprintf")
			r.does("the file is marked as reviewed", branch, `{"type":"changeset/filesReviewChanged","files":["greet.go"],"reviewed":true}`)
		},
	},
	{
		name: "views-settings", about: "Inlay hints wanted, code lenses not.",
		play: func(r *rig) {
			r.reviewed()
			r.params["initializationOptions"] = map[string]any{"codeLenses": false, "inlayHints": true}
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.hintsOf("greet.go")
			r.does("it is resolved", annotations, resolved("a1", true))
		},
	},
	{
		name: "hover-plain", about: "A client that shows plain text only.", editors: []string{"neovim"},
		play: func(r *rig) {
			r.reviewed()
			r.capability("textDocument.hover.contentFormat", []string{"plaintext"})
			r.start()
			r.opens("greet.go")
			r.hovers("greet.go", helloCall)
		},
	},
	{
		name: "refresh", about: "A request to ask again is not repeated while one is under way; what changes meanwhile is asked for afterwards.",
		editors: []string{"neovim", "vscode"},
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.manual["workspace/codeLens/refresh"] = true
			for _, text := range []string{"one", "two", "three"} {
				r.does("a reply", annotations, entrySet("a1", "a1:"+text, text, ""))
			}
			r.step("the editor has asked again", func() { r.decide(nil) })
			r.step("the editor has asked again", func() { r.decide(nil) })
		},
	},
	{
		name: "own-edits", about: "Lenses keep the agent's changes apart from the user's own, and are not refreshed for what the user types.",
		play: func(r *rig) {
			r.reviewed()
			r.start()
			r.opens("greet.go")
			seen := regexp.MustCompile(`,"seen":\d+`) // which text they are for
			lenses := func() string { return seen.ReplaceAllString(string(encodeJSON(r.lensesOf("greet.go"))), "") }
			before := lenses()
			r.types("greet.go", "// Hello greets.", "// Hello greets everybody.")
			r.types("greet.go", `"Bye " + name`, `"Good bye " + name`)
			require.Equal(r.t, before, lenses())
			r.types("greet.go", "fmt.Println(i + 1)", "fmt.Println(i + 2)")
			r.lensesOf("greet.go")
			r.hovers("greet.go", "i + 2")
		},
	},
	{
		name: "plugin", about: "What editor plugins ask for, and what tells them to ask again.", editors: []string{"neovim", "vscode"},
		play: func(r *rig) {
			r.reviewed()
			suggested := r.review("a3", "greet.go", "\"Bye \" + name", "Rather so.")
			suggested.Meta = json.RawMessage(`{"vscode.agentFeedback":{"kind":"codeReview","state":"created","sessionResource":"` + one + `","suggestion":{"edits":[` +
				`{"range":{"startLineNumber":11,"startColumn":9,"endLineNumber":11,"endColumn":22},"oldText":"\"Bye \" + name","newText":"\"Good bye, \" + name"}]}}}`)
			r.host.Do(annotations, set(suggested))
			r.params["initializationOptions"] = map[string]any{"notifications": true}
			r.start()
			r.opens("greet.go")
			threads := func() {
				r.asks("the threads", "ahp/threads", map[string]any{"uri": r.uri("greet.go")})
			}
			threads()
			r.asks("the hunks", "ahp/hunks", map[string]any{"uri": r.uri("greet.go")})
			r.asks("the hunks of a file that is not open", "ahp/hunks", map[string]any{"uri": r.uri("other.go")})
			r.asks("the changesets", "ahp/changesets", map[string]any{})
			r.types("greet.go", `"Bye "`, `"Bye, "`)
			threads()
			r.does("the agent resolves its comment", annotations, resolved("a1", true))
			r.commands("ahp.status")
			r.does("a turn begins", ahptest.ChatURI(one), `{"type":"chat/turnStarted","turnId":"t2","message":{"text":"more"}}`)
			r.step("another session begins", func() {
				r.host.AddSession(ahptest.Session{URI: "ahp-session:/2", Title: "Second", Directories: []string{"file:///elsewhere"}})
			})
		},
	},
	{
		name: "embedded", about: "What the embedded host has to say beyond the protocol: notices, comments of another branch; and what it is told: what the editor wrote.",
		play: func(r *rig) {
			r.world()
			r.greet()
			other := r.remark("a1", "greet.go", helloCall, "Is this right?")
			other.Meta = json.RawMessage(`{"ahp-lsp":{"branch":"feature/x_y","otherBranch":true}}`)
			r.host.SetAnnotations(one, other)
			r.does("a notice", one, `{"type":"session/metaChanged","_meta":{"ahp-lsp":{"baseline":"uncommitted"},"notice":"The comments could not be read."}}`)
			r.start()
			r.opens("greet.go")
			r.hovers("greet.go", helloCall)
			r.saves("greet.go")
			r.does("the same notice, and another", one, `{"type":"session/metaChanged","_meta":{"ahp-lsp":{"baseline":"uncommitted"},"notice":"The comments could not be read.\nTurns are not recorded."}}`)
		},
	},
}
