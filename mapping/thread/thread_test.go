package thread

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

func decode(t *testing.T, json string) *ahp.Annotation {
	t.Helper()
	a, err := ahp.DecodeAnnotation([]byte(json))
	require.NoError(t, err)
	return a
}

const agentThread = `{"id":"a","resource":"file:///x","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"resolved":false,
	"entries":[{"id":"a:0","text":"Use **b**.\nMore.","_meta":{"vscode.agentFeedback":{"author":"agent"}}},{"id":"r","text":"why *not*?"}],
	"_meta":{"vscode.agentFeedback":{"kind":"codeReview","state":"created"}}}`

func TestAuthors(t *testing.T) {
	a := decode(t, agentThread)
	require.Equal(t, "agent", Author(a, a.Entries[0]))
	require.Equal(t, "you", Author(a, a.Entries[1]), "a reply without an author in an agent's thread is a person's")
	require.True(t, Awaiting(a))

	unsigned := decode(t, `{"id":"a","resource":"file:///x","resolved":false,"entries":[{"id":"1","text":"x"},{"id":"2","text":"y"}],
		"_meta":{"vscode.agentFeedback":{"kind":"prReview","state":"accepted"}}}`)
	require.Equal(t, "reviewer", Author(unsigned, unsigned.Entries[0]))
	require.Equal(t, "you", Author(unsigned, unsigned.Entries[1]))
	require.False(t, Awaiting(unsigned))

	plain := decode(t, `{"id":"a","resource":"file:///x","resolved":false,"entries":[{"id":"1","text":"x"}]}`)
	require.Equal(t, "comment", Author(plain, plain.Entries[0]))
}

func TestSummary(t *testing.T) {
	a := decode(t, agentThread)
	require.Equal(t, "agent: Use **b**.… (+1 reply)", Summary(a, mapping.Placement{}, 72))
	require.Equal(t, "agent: Use **b**.… (+1 reply) (code removed)", Summary(a, mapping.Placement{State: mapping.Detached}, 72))
	long := decode(t, `{"id":"a","resource":"file:///x","resolved":true,"entries":[{"id":"1","text":"`+strings.Repeat("word ", 40)+`"}]}`)
	require.LessOrEqual(t, len([]rune(Summary(long, mapping.Placement{}, 60))), 60)
	require.Contains(t, Summary(long, mapping.Placement{}, 60), "(whole file) (resolved)")
}

func TestThreadMarkdown(t *testing.T) {
	a := decode(t, agentThread)
	got := Markdown(a, mapping.Placement{State: mapping.Outdated}, "turn 1: do *it*", "old\n", "new\n")
	require.Contains(t, got, "**agent:** Use **b**.", "an agent writes Markdown")
	require.Contains(t, got, `**you:** why \*not\*?`, "what a person typed is shown as typed")
	require.Contains(t, got, `turn 1: do \*it\*`)
	require.Contains(t, got, "```diff\n-old\n+new\n```")
	require.Contains(t, Markdown(a, mapping.Placement{State: mapping.Detached}, "", "x := `a`\n```\n", ""), "````\nx := `a`\n```\n````", "a fence that the code cannot close")
}

func TestDiagnosticMessage(t *testing.T) {
	a := decode(t, agentThread)
	require.Equal(t, "agent: Use **b**.\nMore.", DiagnosticMessage(a, mapping.Placement{}, true))
	require.Equal(t, "agent: Use **b**.\nMore.\nyou: why *not*?", DiagnosticMessage(a, mapping.Placement{}, false))
	require.Equal(t, "comment: (empty comment) (whole file)", DiagnosticMessage(decode(t, `{"id":"a","resource":"x","resolved":false,"entries":[{"id":"1","text":""}]}`), mapping.Placement{}, true))
}
