package lsp

import (
	"encoding/json"
	"fmt"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// The world of most transcripts: a session whose agent has changed greet.go.

const (
	one         = "ahp-session:/1"
	annotations = one + "/annotations"
	ofSession   = one + "/changeset/session"
	uncommitted = one + "/changeset/uncommitted"
	branch      = one + "/changeset/branch"
	turnOne     = one + "/changeset/turn/t1"

	greetBefore = `package greet

import "os"

// Hello greets.
func Hello(name string) string {
	return "Hello " + name
}

func Bye(name string) string {
	return "Bye " + name
}

// Old is not used.
func Old() {}

// Count counts to n.
func Count(n int) {
	for i := 0; i < n; i++ {
		println(i)
	}
}
`
	greetAfter = `package greet

import "fmt"

// Hello greets.
func Hello(name string) string {
	return fmt.Sprintf("Hello, %s!", name)
}

func Bye(name string) string {
	return "Bye " + name
}

// Count counts to n.
func Count(n int) {
	for i := 0; i < n; i++ {
		fmt.Println(i + 1)
		fmt.Println("next")
	}
}
`
)

// world gives the host a session in the workspace, with the changesets of the
// reference host.
func (r *rig) world(entries ...ahp.CatalogueEntry) {
	if entries == nil {
		entries = []ahp.CatalogueEntry{
			{Kind: "uncommitted", Label: "Uncommitted Changes"},
			{Kind: "session", Label: "Session Changes"},
			{Kind: "turn", Label: "Last Turn"},
		}
	}
	r.host.AddSession(ahptest.Session{
		URI: one, Title: "Greet", Directories: []string{r.uri("")}, Changesets: entries,
		Turns: []ahp.Turn{{ID: "t1", Text: "Greet with Sprintf\nand count from one", State: "complete", StartedAt: "2026-01-02T03:04:05Z"}},
	})
}

// greet writes greet.go as the agent left it, and says so in the changesets.
func (r *rig) greet(operations ...string) {
	r.write("greet.go", greetAfter)
	r.host.SetContent("git-blob:greet", greetBefore)
	r.host.SetChangeset(ofSession, r.changeset(nil, r.changed("greet.go", "git-blob:greet")))
	r.host.SetChangeset(uncommitted, r.changeset(operations, r.changed("greet.go", "git-blob:greet")))
	r.host.SetChangeset(turnOne, r.changeset(nil, r.changed("greet.go", "git-blob:greet")))
}

// changed is an entry of a changeset: a file on disk with its text before.
func (r *rig) changed(name, before string) string {
	return fmt.Sprintf(`{"id":%q,"edit":{"before":{"uri":%[2]q,"content":{"uri":%[3]q}},"after":{"uri":%[2]q,"content":{"uri":%[2]q}},"diff":{"added":4,"removed":5}}}`,
		name, r.uri(name), before)
}

// between is an entry whose sides are both the host's.
func (r *rig) between(name, before, after string) string {
	return fmt.Sprintf(`{"id":%q,"edit":{"before":{"uri":%[2]q,"content":{"uri":%[3]q}},"after":{"uri":%[2]q,"content":{"uri":%[4]q}}}}`, name, r.uri(name), before, after)
}

func (r *rig) changeset(operations []string, files ...string) string {
	return fmt.Sprintf(`{"status":"ready","files":[%s],"operations":[%s]}`, strings.Join(files, ","), strings.Join(operations, ","))
}

// Operations as hosts offer them.
const (
	opDiscard = `{"id":"discard-changes","label":"Discard Changes","scopes":["resource"],"status":"idle","confirmation":"Discard the changes in {0}?"}`
	opCommit  = `{"id":"commit","label":"Commit","scopes":["changeset"],"status":"idle"}`
	opRange   = `{"id":"revert-range","label":"Revert Range","scopes":["range"],"status":"idle"}`
)

// rangeOnDisk is where a text stands in a file on disk, as hosts count.
func (r *rig) rangeOnDisk(name, text string) *ahp.Range {
	data, ok := r.onDisk("/ws/" + name)
	if !ok || strings.Count(data, text) != 1 {
		panic(fmt.Sprintf("%q stands %d times in %s", text, strings.Count(data, text), name))
	}
	from := strings.Index(data, text)
	start, end := placeOf(data, from, "utf-16"), placeOf(data, from+len(text), "utf-16")
	return &ahp.Range{Start: ahp.Position{Line: start[0], Character: start[1]}, End: ahp.Position{Line: end[0], Character: end[1]}}
}

const byAgent = `{"vscode.agentFeedback":{"author":"agent"}}`

// review is a comment of the reference host's agent on a text of a file.
func (r *rig) review(id, name, on, text string) *ahp.Annotation {
	turn := "t1"
	return &ahp.Annotation{
		ID: id, TurnID: &turn, Resource: r.uri(name), Range: r.rangeOnDisk(name, on),
		Entries: []ahp.Entry{{ID: id + ":0", Text: ahp.Text{Value: text, Markdown: true}, Meta: json.RawMessage(byAgent)}},
		Meta:    feedback("codeReview", "created"),
	}
}

// remark is a comment of a person's.
func (r *rig) remark(id, name, on, text string) *ahp.Annotation {
	a := r.review(id, name, on, text)
	a.Entries[0].Meta, a.Entries[0].Text.Markdown = nil, false
	a.Meta = feedback("user", "submitted")
	return a
}

func feedback(kind, state string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"vscode.agentFeedback":{"kind":%q,"state":%q,"sessionResource":%q}}`, kind, state, one))
}

func set(a *ahp.Annotation) any {
	return map[string]any{"type": ahp.TypeAnnotationsSet, "annotation": a}
}
