package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

func (r *rig) invokes(channel, operation string, target map[string]any) map[string]any {
	r.t.Helper()
	args := map[string]any{"channel": channel, "operation": operation}
	if target != nil {
		args["target"] = target
	}
	return r.commands("ahp.operation.invoke", args)
}

// target is a place of an open file.
func (r *rig) target(name, text string) map[string]any {
	return map[string]any{"uri": r.uri(name), "range": r.rangeIn(name, text)}
}

// followUp is a result that leads to a resource.
func followUp(uri string, external bool) (r ahp.InvokeResult) {
	raw := fmt.Sprintf(`{"followUp":{"content":{"uri":%q},"external":%v}}`, uri, external)
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		panic(err)
	}
	return r
}

func noChanges(channel, id string) (string, string) {
	return channel, fmt.Sprintf(`{"type":"changeset/fileRemoved","fileId":%q}`, id)
}

var operationScenes = []scene{
	{
		name: "discard", about: "A host's operation on a file: confirmed with the file's name, declined means not sent, progress while it runs, what to do afterwards.",
		play: func(r *rig) {
			r.world()
			r.greet(opDiscard)
			r.holdOperations()
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			list := r.offered("greet.go", `"Bye "`)
			r.chooses(list, "Discard Changes: greet.go")
			r.answers("Cancel")
			r.chooses(list, "Discard Changes: greet.go")
			r.answers("Discard Changes")
			r.offered("greet.go", `"Bye "`)
			r.invokes(uncommitted, "discard-changes", map[string]any{"uri": r.uri("greet.go")})
			r.operationEnds(ahp.InvokeResult{}, nil, func() { r.write("greet.go", greetBefore) })
			channel, action := noChanges(uncommitted, "greet.go")
			r.does("the list of files follows", channel, action)
			r.step("the user reloads the file", func() { r.replace(r.uri("greet.go"), greetBefore) })
			r.offered("greet.go", `"Bye "`)
			r.chooses(list, "Discard Changes: greet.go")
		},
	},
	{
		name: "discard-armed", about: "A confirmation in an editor that cannot ask.", editors: []string{"helix"},
		play: func(r *rig) {
			r.world()
			r.greet(opDiscard)
			r.capability("window.showMessage", nil)
			r.start()
			r.opens("greet.go")
			r.types("greet.go", "// Hello greets.", "// Hello greets everybody.")
			r.chooses(r.offered("greet.go", `"Bye "`, "refactor"), "Discard Changes: greet.go")
			r.holdOperations()
			r.chooses(r.offered("greet.go", `"Bye "`), "Confirm: Discard Changes: greet.go")
			r.operationEnds(ahp.InvokeResult{}, nil)
		},
	},
	{
		name: "operation-range", about: "An operation on a hunk and on a selection, in the coordinates of the side that has it; refused where unsaved text is inside.",
		play: func(r *rig) {
			r.world()
			r.greet(opRange)
			r.holdOperations()
			r.start()
			r.opens("greet.go")
			r.types("greet.go", "// Hello greets.", "// Hello greets 😀.\n//\n// Really.")
			r.lensesOf("greet.go")
			r.chooses(r.offered("greet.go", helloCall, "refactor"), "Revert Range: line 9")
			r.operationEnds(ahp.InvokeResult{}, nil)
			r.chooses(r.offered("greet.go", "// Count counts", "refactor"), "Revert Range: 3 lines removed")
			r.operationEnds(ahp.InvokeResult{}, nil)
			r.chooses(r.selected("greet.go", "\t\tfmt.Println(\"next\")\n\t}\n", "refactor"), "Revert Range: selected lines")
			r.operationEnds(ahp.InvokeResult{}, nil)
			r.types("greet.go", "i + 1", "i + 10")
			r.offered("greet.go", "fmt.Println(i + 10)", "refactor")
			r.selected("greet.go", "fmt.Println(i + 10)\n\t\tfmt.Println(\"next\")\n", "refactor")
			r.invokes(uncommitted, "revert-range", r.target("greet.go", "\t\tfmt.Println(i + 10)\n"))
		},
	},
	{
		name: "operation-changeset", about: "Operations on a whole changeset: once per verb, as source actions; message, follow-up, errors.",
		play: func(r *rig) {
			r.world(
				ahp.CatalogueEntry{Kind: "uncommitted", Label: "Uncommitted Changes"},
				ahp.CatalogueEntry{Kind: "branch", Label: "Branch Changes", Review: true},
			)
			r.greet(opCommit, `{"id":"checkout","label":"Checkout","scopes":["changeset"]}`)
			r.host.SetChangeset(branch, r.changeset([]string{opCommit, `{"id":"create pr","label":"Create Pull Request","scopes":["changeset"]}`}, r.changed("greet.go", "git-blob:greet")))
			r.host.SetContent("session-db:result", "# Committed\n\nabc123\n")
			r.holdOperations()
			r.start()
			r.opens("greet.go")
			list := r.offered("greet.go", `"Bye "`, "source")
			r.offered("greet.go", `"Bye "`, "source.ahp.commit")
			r.offered("greet.go", `"Bye "`, "source.fixAll")
			r.chooses(list, "Commit: ")
			r.operationEnds(ahp.InvokeResult{
				Message: &ahp.Text{Value: "Committed abc123."}, FollowUp: followUp("session-db:result", false).FollowUp,
			}, nil)
			r.chooses(list, "Create Pull Request: ")
			r.operationEnds(followUp("https://example.test/pr/1", true), nil)
			r.answers("Open")
			r.chooses(list, "Commit: ")
			r.operationEnds(followUp(r.uri("greet.go"), false), nil)
			r.chooses(list, "Commit: ")
			r.operationEnds(followUp("git-blob:nothing", false), nil)
			r.chooses(list, "Commit: ")
			r.operationEnds(followUp("command:rm", true), nil)
			r.chooses(list, "Commit: ")
			r.operationEnds(ahp.InvokeResult{}, &ahp.Error{Code: ahp.CodeInternal, Message: "hook failed"})
			r.offered("greet.go", `"Bye "`, "source")
			r.does("a turn runs: operations are disabled", uncommitted, `{"type":"changeset/operationsChanged","operations":[{"id":"commit","label":"Commit","scopes":["changeset"],"status":"disabled"}]}`)
			r.offered("greet.go", `"Bye "`, "source")
			r.chooses(list, "Commit: ")
			r.invokes(uncommitted, "juggle", nil)
			r.invokes(one+"/changeset/none", "commit", nil)
			r.invokes(branch, "commit", map[string]any{"uri": r.uri("greet.go")})
			r.invokes(branch, "create pr", map[string]any{"uri": r.uri("nowhere.go")})
		},
	},
	{
		name: "operation-question", about: "What changes while the question is open: the operation goes, the text changes; and the connection is lost while it runs.",
		play: func(r *rig) {
			r.world()
			r.greet(opDiscard, strings.Replace(opRange, `"status":"idle"`, `"status":"idle","confirmation":"Really?"`, 1), `{"id":"odd","scopes":["changeset"],"confirmation":"Do it?"}`)
			r.holdOperations()
			r.start()
			r.opens("greet.go")
			r.invokes(uncommitted, "revert-range", r.target("greet.go", "import \"fmt\"\n"))
			r.types("greet.go", "\n\nimport \"fmt\"\n", "\n\n// Typed.\nimport \"fmt\"\n")
			r.answers("Revert Range")
			r.invokes(uncommitted, "revert-range", r.target("greet.go", "import \"fmt\"\n"))
			r.answers("Revert Range")
			r.operationEnds(ahp.InvokeResult{}, nil)
			r.invokes(uncommitted, "odd", nil)
			r.answers("")
			r.invokes(uncommitted, "odd", nil)
			r.answers("odd")
			r.step("the connection is lost", func() {
				r.rec.unordered = true
				r.host.DropConnections()
				time.Sleep(time.Second)
			})
			r.operationEnds(ahp.InvokeResult{}, nil)
			r.invokes(uncommitted, "discard-changes", map[string]any{"uri": r.uri("greet.go")})
			r.does("the operation goes", uncommitted, `{"type":"changeset/operationsChanged"}`)
			r.answers("Discard Changes")
		},
	},
	{
		name: "operation-conflict", about: "The file was written since the host told of it: the target is worked out anew from its next word, and sent once more; without that word the user is told.",
		play: func(r *rig) {
			r.world()
			r.greet(opRange)
			r.holdOperations()
			conflict := &ahp.Error{Code: ahp.CodeConflict, Message: "greet.go has changed since it was shown"}
			r.start()
			r.opens("greet.go")
			count := r.offered("greet.go", "i + 1", "refactor")
			r.chooses(count, "Revert Range: ")
			r.operationEnds(ahp.InvokeResult{}, conflict)
			// Three lines were removed above what is meant, but not in the buffer.
			written := strings.Replace(greetAfter, "func Bye(name string) string {\n\treturn \"Bye \" + name\n}\n\n", "", 1)
			r.step("the host tells of it", func() {
				r.write("greet.go", written)
				r.host.Do(uncommitted, `{"type":"changeset/fileSet","file":`+strings.Replace(r.changed("greet.go", "git-blob:greet"), `"added":4`, `"added":5`, 1)+`}`)
			})
			r.operationEnds(ahp.InvokeResult{}, nil)
			r.chooses(count, "Revert Range: ")
			r.operationEnds(ahp.InvokeResult{}, conflict)
			r.passes(loadingTimeout)
			r.chooses(count, "Revert Range: ")
			r.operationEnds(ahp.InvokeResult{}, conflict)
			r.step("the user types before the host tells of it", func() {
				at, _ := r.find(r.uri("greet.go"), "// Hello")
				r.splice(r.uri("greet.go"), at, at, "//\n")
				synctest.Wait() // the host's word comes another way, and may overtake it
				r.host.Do(uncommitted, `{"type":"changeset/fileSet","file":`+r.changed("greet.go", "git-blob:greet")+`}`)
			})
		},
	},
	{
		name: "operation-conflict-file", about: "A whole file that was written since the user said yes is refused: nobody has seen what would be lost.", editors: []string{"vscode"},
		play: func(r *rig) {
			r.world()
			r.greet(opDiscard)
			r.holdOperations()
			r.start()
			r.opens("greet.go")
			r.invokes(uncommitted, "discard-changes", map[string]any{"uri": r.uri("greet.go")})
			r.answers("Discard Changes")
			r.step("the agent writes the file once more", func() {
				r.write("greet.go", greetAfter+"\n// An hour of work.\n")
				r.host.Do(uncommitted, `{"type":"changeset/fileSet","file":`+strings.Replace(r.changed("greet.go", "git-blob:greet"), `"added":4`, `"added":6`, 1)+`}`)
			})
			r.operationEnds(ahp.InvokeResult{}, &ahp.Error{Code: ahp.CodeConflict, Message: "greet.go has changed since it was shown"})
		},
	},
	{
		name: "reviewed", about: "Mark a file as reviewed and not, where the changeset has the capability.",
		play: func(r *rig) {
			r.world(ahp.CatalogueEntry{Kind: "branch", Label: "Branch Changes", Review: true}, ahp.CatalogueEntry{Kind: "uncommitted", Label: "Uncommitted Changes"})
			r.greet()
			r.host.SetChangeset(branch, r.changeset(nil, r.changed("greet.go", "git-blob:greet")))
			r.start()
			r.opens("greet.go")
			r.lensesOf("greet.go")
			r.chooses(r.offered("greet.go", `"Bye "`), "Mark as reviewed")
			require.True(r.t, r.host.Changeset(branch).File("greet.go").Reviewed)
			r.chooses(r.offered("greet.go", `"Bye "`), "Mark as not reviewed")
			r.commands("ahp.file.setReviewed", map[string]any{"channel": uncommitted, "files": []string{"greet.go"}, "reviewed": true})
			r.commands("ahp.file.setReviewed", map[string]any{"channel": branch, "files": []string{"other.go"}, "reviewed": true})
		},
	},
}
