package ahp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFeedback(t *testing.T) {
	for _, c := range []struct {
		name, meta string
		want       Feedback
		ok         bool
	}{
		{"none", ``, Feedback{}, false},
		{"null", `null`, Feedback{}, false},
		{"no object", `5`, Feedback{}, false},
		{"another's", `{"x":{"state":"created"}}`, Feedback{}, false},
		{"null member", `{"vscode.agentFeedback":null}`, Feedback{}, false},
		{"empty", `{"vscode.agentFeedback":{}}`, Feedback{}, true},
		{"the agent's", `{"vscode.agentFeedback":{"kind":"codeReview","state":"created","sessionResource":"s"}}`,
			Feedback{Kind: "codeReview", State: FeedbackCreated, Session: "s"}, true},
		{"one member of the wrong type", `{"vscode.agentFeedback":{"kind":7,"state":"accepted","codeSelection":"x"}}`,
			Feedback{State: FeedbackAccepted, CodeSelection: "x"}, true},
		{"a suggestion", `{"vscode.agentFeedback":{"suggestion":{"edits":[{"range":{"startLineNumber":4,"startColumn":1,"endLineNumber":5,"endColumn":3},"newText":"n","oldText":"o"}]}}}`,
			Feedback{Suggestion: &Suggestion{Edits: []SuggestedEdit{{Range: EditorRange{4, 1, 5, 3}, NewText: "n", OldText: "o"}}}}, true},
		{"numbers as JSON has them", `{"vscode.agentFeedback":{"suggestion":{"edits":[{"range":{"startLineNumber":4.0,"startColumn":1e0,"endLineNumber":5,"endColumn":3},"newText":""}]}}}`,
			Feedback{Suggestion: &Suggestion{Edits: []SuggestedEdit{{Range: EditorRange{4, 1, 5, 3}}}}}, true},
		{"names are compared exactly", `{"vscode.agentFeedback":{"state":"accepted","STATE":"created"}}`, Feedback{State: FeedbackAccepted}, true},
		{"another's name", `{"VSCode.agentFeedback":{"state":"accepted"}}`, Feedback{}, false},
		{"the last of the same name", `{"vscode.agentFeedback":{"state":"created"},"vscode.agentFeedback":{"state":"accepted","kind":"user","kind":"prReview"}}`,
			Feedback{Kind: "prReview", State: FeedbackAccepted}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &Annotation{ID: "a", Meta: json.RawMessage(c.meta)}
			f, ok := a.Feedback()
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.want, f)
		})
	}
	require.Equal(t, Range{Start: Position{3, 0}, End: Position{4, 2}}, EditorRange{4, 1, 5, 3}.Range())
}

// A proposed change that cannot be read as a whole is none: an edit without a
// place would be made at the top of the file, one without text would delete.
func TestBrokenSuggestions(t *testing.T) {
	whole := `{"range":{"startLineNumber":4,"startColumn":1,"endLineNumber":4,"endColumn":2},"newText":"n","oldText":"o"}`
	for _, edits := range []string{
		`null`, `{}`, `[` + whole + `,null]`,
		`[{"newText":"n","oldText":""}]`,
		`[{"range":null,"newText":"n"}]`,
		`[{"range":{"startLineNumber":"4","startColumn":1,"endLineNumber":"4","endColumn":1},"newText":"n"}]`,
		`[{"range":{"startLineNumber":0,"startColumn":1,"endLineNumber":4,"endColumn":1},"newText":"n"}]`,
		`[{"range":{"startLineNumber":4,"startColumn":1,"endLineNumber":4},"newText":"n"}]`,
		`[` + whole + `,{"range":{"startLineNumber":4,"startColumn":1,"endLineNumber":4,"endColumn":2},"newText":null,"oldText":"o"}]`,
		`[` + whole + `,{"range":{"startLineNumber":4,"startColumn":1,"endLineNumber":4,"endColumn":1},"newText":"n","oldText":7}]`,
	} {
		a := &Annotation{ID: "a", Meta: json.RawMessage(`{"vscode.agentFeedback":{"suggestion":{"edits":` + edits + `},"kind":"codeReview"}}`)}
		f, ok := a.Feedback()
		require.True(t, ok)
		require.Equal(t, Feedback{Kind: "codeReview"}, f, edits)
	}
}

// TestWithFeedbackState: accepting a comment changes its state and nothing else.
func TestWithFeedbackState(t *testing.T) {
	for _, c := range []struct{ name, meta, want string }{
		{"no metadata", ``, `{"vscode.agentFeedback":{"state":"accepted"}}`},
		{"null", `null`, `{"vscode.agentFeedback":{"state":"accepted"}}`},
		{"other members stay",
			`{"z":[1,{"vscode.agentFeedback":1}],"vscode.agentFeedback":{"kind":"codeReview","state":"created","x":{"y":1.0e5},"diffHunks":"<a>"},"a":null}`,
			`{"z":[1,{"vscode.agentFeedback":1}],"vscode.agentFeedback":{"kind":"codeReview","state":"accepted","x":{"y":1.0e5},"diffHunks":"<a>"},"a":null}`},
		{"feedback that is none", `{"vscode.agentFeedback":"x","b":1}`, `{"vscode.agentFeedback":{"state":"accepted"},"b":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &Annotation{ID: "a", Meta: json.RawMessage(c.meta)}
			next := a.WithFeedbackState(FeedbackAccepted)
			require.JSONEq(t, c.want, string(next.Meta))
			require.NotContains(t, string(next.Meta), `\u003c`)
			require.Equal(t, c.meta, string(a.Meta), "the original is not touched")
		})
	}
}

func TestNewFeedback(t *testing.T) {
	require.JSONEq(t, `{"vscode.agentFeedback":{"kind":"user","state":"submitted","sessionResource":"s","codeSelection":"if a < b {"}}`, string(NewFeedback("s", "if a < b {")))
	require.JSONEq(t, `{"vscode.agentFeedback":{"kind":"user","state":"submitted","sessionResource":"s"}}`, string(NewFeedback("s", "")))
	f, ok := (&Annotation{Meta: NewFeedback("s", "x")}).Feedback()
	require.True(t, ok)
	require.Equal(t, Feedback{Kind: "user", State: FeedbackSubmitted, Session: "s", CodeSelection: "x"}, f)
}

func TestAuthors(t *testing.T) {
	for meta, author := range map[string]string{
		`{"vscode.agentFeedback":{"author":"agent"}}`: "agent",
		`{"vscode.agentFeedback":{"author":"user"}}`:  "user",
		`{"vscode.agentFeedback":{"author":5}}`:       "",
		`{"author":"agent"}`:                          "",
		``:                                            "",
	} {
		e := Entry{Meta: json.RawMessage(meta)}
		require.Equal(t, author, e.Author(), meta)
		require.Equal(t, author == "agent", e.ByAgent())
	}
}
