package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A Session is a session of the host in one workspace, seen by a client of its own.
type Session struct {
	*Client
	URI  string
	Chat string // the channel of its default chat
	Dir  string // the workspace
}

// NewSession creates a session whose agent works in dir itself (not in a worktree of its own) and
// needs no permission for its tools.
func (h *Host) NewSession(t testing.TB, dir string) *Session {
	t.Helper()
	s := &Session{Client: h.Dial(t), URI: "ahp-session:/" + uuid(), Dir: dir}
	s.Request("createSession", map[string]any{
		"channel": s.URI, "provider": "copilotcli", "workingDirectories": []string{fileURI(dir)},
		"config": map[string]string{"isolation": "folder", "autoApprove": "autoApprove"},
	}, nil)
	var state struct {
		DefaultChat string `json:"defaultChat"`
	}
	s.Subscribe(s.URI, &state)
	s.Chat = state.DefaultChat
	s.Subscribe(s.Chat, nil)
	s.Subscribe(s.AnnotationsChannel(), nil)
	return s
}

func uuid() string {
	var b [16]byte
	rand.Read(b[:])
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// A Step is one reply of the scripted model: a call of one of the agent's tools, or a last word.
type Step struct {
	Tool  string         `json:"tool,omitempty"`
	Input map[string]any `json:"input,omitempty"`
	Text  string         `json:"text,omitempty"`
}

// EditFile lets the agent replace a text in a file of its workspace.
func (s *Session) EditFile(path, old, new string) Step {
	return Step{Tool: "edit", Input: map[string]any{"path": filepath.Join(s.Dir, path), "old_str": old, "new_str": new}}
}

// CreateFile lets the agent write a new file.
func (s *Session) CreateFile(path, text string) Step {
	return Step{Tool: "create", Input: map[string]any{"path": filepath.Join(s.Dir, path), "file_text": text}}
}

// Comment lets the agent leave a comment on a whole line, counted from 1.
func (s *Session) Comment(path string, line int, text string) Step {
	return Step{Tool: "addComment", Input: map[string]any{
		"resourceUri": fileURI(s.Dir, path), "text": text,
		"range": map[string]int{"startLineNumber": line, "startColumn": 1, "endLineNumber": line, "endColumn": 200},
	}}
}

// RunTurn sends the prompt to the agent, whose model then plays the steps, and waits for the end
// of the turn. It returns the text of each tool's result.
func (s *Session) RunTurn(prompt string, steps ...Step) []string {
	s.t.Helper()
	script, err := json.Marshal(steps)
	if err != nil {
		s.t.Fatal(err)
	}
	from, turn := len(s.Frames()), uuid()
	s.Dispatch(s.Chat, map[string]any{
		"type": "chat/turnStarted", "turnId": turn,
		"startedAt": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), // without it the session hangs
		"message":   map[string]any{"text": prompt + "\nSTEPS:" + string(script), "origin": map[string]string{"kind": "user"}},
	})
	var action struct {
		TurnID string `json:"turnId"`
		Result struct {
			Success bool `json:"success"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	end, after := s.waitFrom(from, "the end of the turn", func(f Frame) bool {
		switch f.Type {
		case "chat/turnComplete", "chat/turnCancelled", "chat/error":
			f.Decode(s.t, &action)
			return action.TurnID == turn
		}
		return false
	})
	if end.Type != "chat/turnComplete" {
		s.t.Fatalf("the turn ended with %s", end.Body)
	}
	var results []string
	for _, f := range s.Frames()[from:after] {
		if f.Channel != s.Chat || f.Type != "chat/toolCallComplete" {
			continue
		}
		f.Decode(s.t, &action)
		text := ""
		for _, part := range action.Result.Content {
			text += part.Text
		}
		if !action.Result.Success {
			s.t.Fatalf("a tool of the agent failed: %s", f.Body)
		}
		results = append(results, text)
	}
	if calls := slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return s.Tool == "" }); len(calls) != len(results) {
		s.t.Fatalf("the agent was to call %d tools and called %d", len(calls), len(results))
	}
	return results
}

// AgentComment is a comment as the agent sees it; lines and columns count from 1.
type AgentComment struct {
	ID          string `json:"id"`
	ResourceURI string `json:"resourceUri"`
	Range       struct {
		StartLine   int `json:"startLineNumber"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLineNumber"`
		EndColumn   int `json:"endColumn"`
	} `json:"range"`
	Text     string `json:"text"`
	Kind     string `json:"kind"`
	Author   string `json:"author"`
	Resolved bool   `json:"resolved"`
	Replies  []struct {
		Author string `json:"author"`
		Text   string `json:"text"`
	} `json:"replies"`
}

// AgentListComments runs a turn in which the agent calls its own tool listComments, and returns
// what that told it.
func (s *Session) AgentListComments() []AgentComment {
	s.t.Helper()
	text := s.RunTurn("Which comments are there?", Step{Tool: "listComments", Input: map[string]any{}})[0]
	var result struct {
		Comments []AgentComment `json:"comments"`
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		s.t.Fatalf("listComments: %v in %s", err, text)
	}
	return result.Comments
}

// Range is an LSP range and an AHP one: from 0, the end exclusive.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place in a text, counted from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Annotation is the part of an annotation that the tests look at.
type Annotation struct {
	ID       string `json:"id"`
	Resource string `json:"resource"`
	Range    *Range `json:"range"`
	Resolved bool   `json:"resolved"`
	Entries  []struct {
		ID   string     `json:"id"`
		Text Text       `json:"text"`
		Meta Convention `json:"_meta"`
	} `json:"entries"`
	Meta Convention `json:"_meta"`
}

// Text is a string on the wire, or an object with Markdown.
type Text string

// UnmarshalJSON reads either.
func (text *Text) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(string(data), "{") {
		var markdown struct {
			Markdown *Text `json:"markdown"`
		}
		markdown.Markdown = text
		return json.Unmarshal(data, &markdown)
	}
	return json.Unmarshal(data, (*string)(text))
}

// Convention is what the reference host keeps in an annotation's _meta.
type Convention struct {
	Feedback struct {
		Kind            string `json:"kind"`
		State           string `json:"state"`
		Author          string `json:"author"`
		SessionResource string `json:"sessionResource"`
		CodeSelection   string `json:"codeSelection"`
	} `json:"vscode.agentFeedback"`
}

// AnnotationsChannel is where the session's annotations are.
func (s *Session) AnnotationsChannel() string { return s.URI + "/annotations" }

// WaitAnnotation waits until the host has an annotation that fits, and returns it.
func (s *Session) WaitAnnotation(what string, fits func(Annotation) bool) Annotation {
	s.t.Helper()
	type annotations struct {
		Annotations []Annotation `json:"annotations"`
	}
	state := WaitState(s.Client, s.AnnotationsChannel(), what, func(state annotations) bool {
		return slices.ContainsFunc(state.Annotations, fits)
	})
	return state.Annotations[slices.IndexFunc(state.Annotations, fits)]
}

// Changeset is the part of a changeset's state that the tests look at.
type Changeset struct {
	Status string `json:"status"`
	Files  []struct {
		ID   string `json:"id"`
		Edit struct {
			Before *struct {
				URI string `json:"uri"`
			} `json:"before"`
			After *struct {
				URI string `json:"uri"`
			} `json:"after"`
			Diff struct {
				Added int `json:"added"`
			} `json:"diff"`
		} `json:"edit"`
	} `json:"files"`
	Operations []struct {
		ID     string   `json:"id"`
		Label  string   `json:"label"`
		Scopes []string `json:"scopes"`
		Status string   `json:"status"`
	} `json:"operations"`
}

// Has says whether a file is in the changeset.
func (c Changeset) Has(uri string) bool {
	for _, file := range c.Files {
		if file.Edit.After != nil && file.Edit.After.URI == uri || file.Edit.Before != nil && file.Edit.Before.URI == uri {
			return true
		}
	}
	return false
}

// Added is how many lines a file has gained, -1 if it is not in the changeset.
func (c Changeset) Added(uri string) int {
	for _, file := range c.Files {
		if file.Edit.After != nil && file.Edit.After.URI == uri {
			return file.Edit.Diff.Added
		}
	}
	return -1
}

// ChangesetChannel is where one of the session's changesets is, e.g. "uncommitted".
func (s *Session) ChangesetChannel(kind string) string { return s.URI + "/changeset/" + kind }

// WaitChangeset waits until a changeset is as it should be: the host computes it some time after
// the files changed.
func (s *Session) WaitChangeset(kind, what string, fits func(Changeset) bool) Changeset {
	s.t.Helper()
	return WaitState(s.Client, s.ChangesetChannel(kind), what, func(state Changeset) bool {
		return state.Status == "ready" && fits(state)
	})
}

// WaitOperation waits until an operation may be invoked on a file: a host disables all of them
// during a turn.
func (s *Session) WaitOperation(kind, operation, path string) {
	s.t.Helper()
	s.WaitChangeset(kind, operation+" to be possible on "+path, func(c Changeset) bool {
		for _, o := range c.Operations {
			if o.ID == operation && o.Status == "idle" {
				return c.Has(fileURI(s.Dir, path))
			}
		}
		return false
	})
}
