package lsp

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

var hunkScenes = []scene{
	{
		name: "hunks", about: "Revert a hunk: every kind of it, through the code action and the command; undone by the user it is no change any more.",
		play: func(r *rig) {
			r.world()
			r.greet()
			r.start()
			r.opens("greet.go")
			r.chooses(r.offered("greet.go", "import \"fmt\""), "Revert hunk")
			r.chooses(r.offered("greet.go", "// Count counts"), "Revert hunk (3 lines removed")
			r.offered("greet.go", "import \"os\"")
			r.commands("ahp.hunk.revert", map[string]any{"uri": r.uri("greet.go"), "range": r.cursorAt("greet.go", helloCall)})
			r.commands("ahp.hunk.revert", map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", "func Count(n int) {\n\tfor i := 0; i < n; i++ {\n\t\tfmt.Println(i + 1)\n")})
			require.Equal(r.t, greetBefore, r.buffer("greet.go"))
			r.commands("ahp.hunk.revert", map[string]any{"uri": r.uri("greet.go"), "range": r.cursorAt("greet.go", `"Bye "`)})
			r.saves("greet.go")
			r.lensesOf("greet.go")
		},
	},
	{
		name: "hunks-selected", about: "Revert the selected lines of hunks.",
		play: func(r *rig) {
			r.world()
			r.greet()
			r.start()
			r.opens("greet.go")
			r.chooses(r.selected("greet.go", "\t\tfmt.Println(\"next\")\n", "refactor"), "Revert selected lines")
			require.NotContains(r.t, r.buffer("greet.go"), `"next"`)
			r.step("undo", func() {
				at, _ := r.find(r.uri("greet.go"), "\t}\n}\n")
				r.splice(r.uri("greet.go"), at, at, "\t\tfmt.Println(\"next\")\n")
			})
			r.chooses(r.selected("greet.go", "\t\tfmt.Println(i + 1)\n", "refactor"), "Revert selected lines")
			require.Contains(r.t, r.buffer("greet.go"), "\t\tprintln(i)\n\t\tfmt.Println(\"next\")\n")
			r.offered("greet.go", "println(i)", "refactor")
			r.step("undo", func() {
				from, to := r.find(r.uri("greet.go"), "println(i)\n")
				r.splice(r.uri("greet.go"), from, to, "fmt.Println(i + 1)\n")
			})
			// Whole hunks and what is removed between the selected lines.
			selection := greetAfter[strings.Index(greetAfter, "\treturn fmt"):strings.Index(greetAfter, "\t\tfmt.Println(\"next\")")]
			r.chooses(r.selected("greet.go", selection, "refactor"), "Revert selected lines")
			require.Contains(r.t, r.buffer("greet.go"), "func Old() {}")
			// A selection that is exactly one hunk is offered as that.
			r.selected("greet.go", "import \"fmt\"\n", "refactor")
		},
	},
	{
		name: "hunks-edited", about: "Typing above a hunk moves it, inside it makes it the user's: reverting is refused, with the reason.",
		play: func(r *rig) {
			r.world()
			r.greet()
			r.start()
			r.opens("greet.go")
			r.types("greet.go", "// Hello greets.", "// Hello greets 😀.\n//\n// Really.")
			r.chooses(r.offered("greet.go", helloCall), "Revert hunk")
			r.types("greet.go", "i + 1", "i + 10")
			r.offered("greet.go", "fmt.Println(i + 10)")
			r.commands("ahp.hunk.revert", map[string]any{"uri": r.uri("greet.go"), "range": r.cursorAt("greet.go", "fmt.Println(i + 10)")})
			r.types("greet.go", "i + 10", "i + 1")
			r.chooses(r.offered("greet.go", "fmt.Println(i + 1)"), "Revert hunk")
			r.chooses(r.offered("greet.go", "println(i)"), "Show text before")
		},
	},
	{
		name: "hunks-stale", about: "The agent writes the file while it is open (Helix does not reload): the hunks are on disk, not in the buffer.",
		play: func(r *rig) {
			r.world()
			r.greet()
			r.write("greet.go", greetBefore)
			r.host.SetChangeset(ofSession, r.changeset(nil))
			r.host.SetChangeset(uncommitted, r.changeset(nil))
			r.host.SetChangeset(turnOne, r.changeset(nil))
			r.start()
			r.opens("greet.go")
			r.write("greet.go", greetAfter)
			r.does("the agent has written it", ofSession, `{"type":"changeset/fileSet","file":`+r.changed("greet.go", "git-blob:greet")+`}`)
			r.lensesOf("greet.go")
			r.offered("greet.go", `"Hello "`)
			r.hovers("greet.go", `"Hello "`)
			r.step("the user reloads the file", func() { r.replace(r.uri("greet.go"), greetAfter) })
			r.lensesOf("greet.go")
			r.offered("greet.go", helloCall, "refactor.rewrite")
		},
	},
	{
		name: "hunks-proposed", about: "A proposal: its after is not on disk.",
		play: func(r *rig) {
			r.world(ahp.CatalogueEntry{Kind: "patchset", Label: "Proposal", Template: one + "/changeset/proposal"})
			r.write("greet.go", greetBefore)
			r.host.SetContent("git-blob:greet", greetBefore)
			r.host.SetContent("patch:after", greetAfter)
			r.host.SetChangeset(one+"/changeset/proposal", r.changeset([]string{opRange, opDiscard, opCommit}, strings.Replace(r.changed("greet.go", "git-blob:greet"),
				`"after":{"uri":"`+r.uri("greet.go")+`","content":{"uri":"`+r.uri("greet.go")+`"}}`, `"after":{"uri":"`+r.uri("greet.go")+`","content":{"uri":"patch:after"}}`, 1)))
			r.holdOperations()
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.hovers("greet.go", `"Hello "`)
			r.offered("greet.go", `"Hello "`)
			r.commands("ahp.operation.invoke", map[string]any{"channel": one + "/changeset/proposal", "operation": "revert-range",
				"target": map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", "\treturn \"Hello \" + name\n")}})
			r.operationEnds(ahp.InvokeResult{}, nil)
			r.commands("ahp.operation.invoke", map[string]any{"channel": one + "/changeset/proposal", "operation": "revert-range",
				"target": map[string]any{"uri": r.uri("greet.go"), "range": r.rangeIn("greet.go", "// Old is not used.\nfunc Old() {}\n\n")}})
			r.operationEnds(ahp.InvokeResult{}, nil)
		},
	},
	{
		name: "keep", about: "Hunks that were looked at and are wanted lose their lenses.",
		play: func(r *rig) {
			r.world(ahp.CatalogueEntry{Kind: "branch", Label: "Branch Changes", Review: true})
			r.greet()
			r.host.SetChangeset(branch, r.changeset(nil, r.changed("greet.go", "git-blob:greet")))
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.chooses(r.offered("greet.go", helloCall, "refactor"), "Keep hunk")
			r.lensesOf("greet.go")
			r.chooses(r.offered("greet.go", helloCall, "refactor"), "Keep all hunks")
			r.chooses(r.offered("greet.go", helloCall, "refactor"), "Un-keep hunk")
		},
	},
	{
		name: "line-ends", about: "CRLF, a byte order mark, no final line end, characters outside the BMP.",
		play: func(r *rig) {
			r.world()
			r.write("crlf.txt", "\uFEFFone\r\n😀 two by the agent\r\nthree\r\nfour by the agent")
			r.host.SetContent("git-blob:crlf", "\uFEFFone\r\n😀 two\r\nthree\r\nfour\r\n")
			r.host.SetChangeset(ofSession, r.changeset(nil, r.changed("crlf.txt", "git-blob:crlf")))
			r.host.SetAnnotations(one, r.remark("a1", "crlf.txt", "two by the agent", "behind an emoji"))
			r.start()
			r.opens("crlf.txt")
			list := r.offered("crlf.txt", "😀", "refactor.rewrite")
			r.chooses(list, "Revert hunk (line 2)")
			r.chooses(r.offered("crlf.txt", "four", "refactor.rewrite"), "Revert hunk (line 4)")
			require.Equal(r.t, "one\r\n😀 two\r\nthree\r\nfour\r\n", r.buffer("crlf.txt"))
		},
	},
	{
		name: "origins", about: "The hover of a hunk names the turns that wrote it, not just the newest one of the file.",
		play: func(r *rig) {
			r.world()
			r.greet()
			// The first turn changed the import and Hello, the second the loop; the
			// comment is nobody's but the user's.
			first := strings.Replace(strings.Replace(greetBefore, `import "os"`, `import "fmt"`, 1), `"Hello " + name`, helloCall, 1)
			written := strings.Replace(greetAfter, "// Hello greets.", "// Hello greets politely.", 1)
			r.write("greet.go", written)
			r.host.RunTurn(one, "t2", "Print with fmt")
			r.host.SetContent("git-blob:first", first)
			r.host.SetContent("git-blob:second", greetAfter)
			r.host.SetChangeset(turnOne, r.changeset(nil, r.between("greet.go", "git-blob:greet", "git-blob:first")))
			r.host.SetChangeset(one+"/changeset/turn/t2", r.changeset(nil, r.between("greet.go", "git-blob:first", "git-blob:second")))
			r.start()
			r.opens("greet.go")
			require.Contains(r.t, string(r.hovers("greet.go", helloCall)), "turn 1: Greet with Sprintf")
			require.Contains(r.t, string(r.hovers("greet.go", "i + 1")), "turn 2: Print with fmt")
			require.Contains(r.t, string(r.hovers("greet.go", "politely")), "in none of the session's turns")
			r.types("greet.go", "i + 1", "i + 2")
			require.Contains(r.t, string(r.hovers("greet.go", "i + 2")), "turn 2: Print with fmt")
		},
	},
	{
		name: "baseline", about: "What hunks are shown from: the agent's own, unless the user chooses.",
		play: func(r *rig) {
			r.world()
			r.greet(opRange)
			written := strings.Replace(greetAfter, `"Bye " + name`, `"Good bye " + name`, 1) // by the user
			r.write("greet.go", written)
			r.host.SetContent("session-db:greet", greetAfter)
			r.host.SetChangeset(ofSession, r.changeset(nil, r.between("greet.go", "git-blob:greet", "session-db:greet")))
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.offered("greet.go", "Good bye", "refactor")
			r.commands("ahp.session.select")
			r.answers("Show other changes…")
			r.answers("Uncommitted Changes")
			r.lensesOf("greet.go")
			r.commands("ahp.session.select", map[string]any{"baseline": turnOne})
			r.lensesOf("greet.go")
			r.commands("ahp.session.select")
			r.answers("Show other changes…")
			r.answers("")
			r.commands("ahp.session.select", map[string]any{"baseline": ""})
			r.offered("greet.go", helloCall, "refactor")
		},
	},
	{
		name: "origins-renamed", about: "A turn that renamed the file does not hide what earlier ones did to it.", editors: []string{"neovim"},
		play: func(r *rig) {
			r.world()
			r.write("new.go", greetAfter)
			r.host.SetContent("git-blob:greet", greetBefore)
			r.host.SetContent("git-blob:after", greetAfter)
			renamed := func(before, after string) string {
				return fmt.Sprintf(`{"id":"new.go","edit":{"before":{"uri":%q,"content":{"uri":%q}},"after":{"uri":%q,"content":{"uri":%q}}}}`, r.uri("old.go"), before, r.uri("new.go"), after)
			}
			r.host.RunTurn(one, "t2", "Rename it")
			r.host.SetChangeset(turnOne, r.changeset(nil, r.between("old.go", "git-blob:greet", "git-blob:after")))
			r.host.SetChangeset(one+"/changeset/turn/t2", r.changeset(nil, renamed("git-blob:after", "git-blob:after")))
			r.host.SetChangeset(ofSession, r.changeset(nil, renamed("git-blob:greet", "git-blob:after")))
			r.start()
			r.opens("new.go")
			require.Contains(r.t, string(r.hovers("new.go", helloCall)), "turn 1: Greet with Sprintf")
		},
	},
	{
		name: "origins-partial", about: "Of turns that the host has not sent nothing is said; when they come, they are looked at.", editors: []string{"neovim"},
		play: func(r *rig) {
			r.host.AddSession(ahptest.Session{
				URI: one, Title: "Greet", Directories: []string{r.uri("")}, Turns: []ahp.Turn{{ID: "t2", Text: "second"}},
				Changesets: []ahp.CatalogueEntry{{Kind: "session", Label: "Session Changes"}, {Kind: "turn", Label: "Last Turn"}},
			})
			r.greet()
			r.host.SetChangeset(one+"/changeset/turn/t2", r.changeset(nil))
			r.start()
			r.opens("greet.go")
			require.Contains(r.t, string(r.hovers("greet.go", helloCall)), "none of the session's turns")
			r.does("older turns come", ahptest.ChatURI(one), `{"type":"chat/turnsLoaded","turns":[{"id":"t1","message":{"text":"first"},"state":"complete"}],"turnsNextCursor":"more"}`)
			require.Contains(r.t, string(r.hovers("greet.go", helloCall)), "turn: first")
		},
	},
	{
		name: "baseline-old-turn", about: "A turn's changeset bears the turn's name, in questions too; a baseline that nobody offers is refused.", editors: []string{"vscode"},
		play: func(r *rig) {
			r.world()
			r.greet()
			r.host.SetChangeset(turnOne, r.changeset([]string{`{"id":"undo","label":"Undo","scopes":["changeset"],"status":"idle","confirmation":"Undo everything in {0}?"}`}, r.changed("greet.go", "git-blob:greet")))
			r.host.RunTurn(one, "t2", "Something else")
			r.start()
			r.opens("greet.go")
			r.commands("ahp.session.select", map[string]any{"baseline": turnOne})
			r.commands("ahp.session.select", map[string]any{"baseline": "nonsense"})
			r.offered("greet.go", helloCall, "source")
			r.invokes(turnOne, "undo", nil)
			r.answers("")
		},
	},
}
