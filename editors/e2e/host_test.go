package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The agent's tools are real: what the script calls is on disk and in the session.
func TestHostAgentEditsAndComments(t *testing.T) {
	t.Parallel()
	dir := NewWorkspace(t, map[string]string{"notes.md": "# Notes\n\none\ntwo\n"})
	s := SharedHost(t).NewSession(t, dir)
	s.RunTurn("Write down three.",
		s.EditFile("notes.md", "two\n", "two\nthree\n"),
		s.CreateFile("new.md", "new\n"),
		s.Comment("notes.md", 5, "Is **three** enough?"),
		Step{Text: "Done."})

	require.Equal(t, "# Notes\n\none\ntwo\nthree\n", ReadFile(t, dir, "notes.md"))
	require.Equal(t, "new\n", ReadFile(t, dir, "new.md"))
	comment := s.WaitAnnotation("the agent's comment", func(a Annotation) bool { return len(a.Entries) == 1 })
	require.Equal(t, fileURI(dir, "notes.md"), comment.Resource)
	require.Equal(t, 4, comment.Range.Start.Line)
	require.EqualValues(t, "Is **three** enough?", comment.Entries[0].Text)
	require.Equal(t, "created", comment.Meta.Feedback.State)
	require.Equal(t, "agent", comment.Entries[0].Meta.Feedback.Author)
	require.False(t, comment.Resolved)
}

// What a client must write for the agent to see its comment; listComments is the agent's own tool.
func TestHostAgentSeesAClientsComment(t *testing.T) {
	t.Parallel()
	dir := NewWorkspace(t, map[string]string{"notes.md": "# Notes\n\none\ntwo\n"})
	s := SharedHost(t).NewSession(t, dir)
	s.RunTurn("Nothing yet.", Step{Text: "Done."})
	require.Empty(t, s.AgentListComments())

	id := uuid()
	s.Dispatch(s.AnnotationsChannel(), map[string]any{"type": "annotations/set", "annotation": map[string]any{
		"id": id, "resource": fileURI(dir, "notes.md"), "resolved": false,
		"origin": map[string]string{"session": s.URI},
		"range":  Range{Start: Position{2, 0}, End: Position{2, 3}},
		"entries": []any{
			map[string]any{"id": uuid(), "text": "please spell it out"},
		},
		"_meta": map[string]any{"vscode.agentFeedback": map[string]string{
			"kind": "user", "state": "submitted", "sessionResource": s.URI, "codeSelection": "one",
		}},
	}})
	s.WaitFor("the echo", func(f Frame) bool { return f.Type == "annotations/set" })

	comments := s.AgentListComments()
	require.Len(t, comments, 1)
	require.Equal(t, id, comments[0].ID)
	require.Equal(t, "please spell it out", comments[0].Text)
	require.Equal(t, 3, comments[0].Range.StartLine)
	require.False(t, comments[0].Resolved)
}

func TestHostDiscardsChanges(t *testing.T) {
	t.Parallel()
	const text = "# Notes\n\none\ntwo\n"
	dir := NewWorkspace(t, map[string]string{"notes.md": text, "other.md": "other\n"})
	s := SharedHost(t).NewSession(t, dir)
	s.RunTurn("Change both.",
		s.EditFile("notes.md", "two\n", "2\n"),
		s.EditFile("other.md", "other", "another"))
	s.WaitOperation("uncommitted", "discard-changes", "notes.md")

	s.Request("invokeChangesetOperation", map[string]any{
		"channel": s.ChangesetChannel("uncommitted"), "operationId": "discard-changes",
		"target": map[string]string{"kind": "resource", "resource": fileURI(dir, "notes.md")},
	}, nil)
	require.Equal(t, text, ReadFile(t, dir, "notes.md"))
	require.Equal(t, "another\n", ReadFile(t, dir, "other.md"))
	s.WaitChangeset("uncommitted", "notes.md to leave it", func(c Changeset) bool {
		return !c.Has(fileURI(dir, "notes.md")) && c.Has(fileURI(dir, "other.md"))
	})
}

// The wire between server and host carries everything, and remembers the server's side of it.
func TestTapRecordsWhatIsSent(t *testing.T) {
	host := SharedHost(t)
	tap := host.Tap(t)
	through := (&Host{URL: tap.URL, Token: host.Token}).Dial(t)
	var sessions struct {
		Items []json.RawMessage `json:"items"`
	}
	through.Request("listSessions", map[string]any{"channel": rootChannel}, &sessions)
	require.Len(t, tap.Sent("initialize"), 1)
	require.Len(t, tap.Sent("listSessions"), 1)
	require.Empty(t, tap.Sent("invokeChangesetOperation"))
}
