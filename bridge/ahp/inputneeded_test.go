package ahp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const confirmation = `{"id":"r1","kind":"toolConfirmation","chat":"c:1","turnId":"t","x":1,"toolCall":` + pendingCall + `}`

func TestInputNeeded(t *testing.T) {
	s, err := DecodeSession([]byte(`{"status":8,"chats":[],"inputNeeded":[` + confirmation + `,{"id":"r2","kind":"new","chat":"c:1"},{"kind":"none"}]}`))
	require.EqualError(t, err, "session state.inputNeeded[2].id: missing")
	require.Len(t, s.InputNeeded, 2)
	require.Equal(t, "rm a", s.InputNeeded[0].Call.Input)
	require.Len(t, s.InputNeeded[0].Call.Edits, 1)
	require.Equal(t, "pending:a", s.InputNeeded[0].Call.Edits[0].After.Content.URI)
	require.JSONEq(t, `[`+confirmation+`,{"id":"r2","kind":"new","chat":"c:1"}]`, mustJSON(t, []object{s.InputNeeded[0].raw, s.InputNeeded[1].raw}))

	for _, step := range []struct {
		action  string
		changed bool
		ids     []string
		status  int
	}{
		{`Removed","id":"unknown"`, false, []string{"r1", "r2"}, 8},
		{`Removed","id":"r1"`, true, []string{"r2"}, 24},
		{`Set","request":` + confirmation, true, []string{"r2", "r1"}, 24},
		{`Set","request":{"id":"r2","kind":"chatInput","chat":"c:1","request":{"id":"f","questions":[{"id":"q","kind":"text","message":"?"}]}}`, true, []string{"r2", "r1"}, 24},
		{`Removed","id":"r1"`, true, []string{"r2"}, 24},
		{`Removed","id":"r2"`, true, nil, 8},
		{`Set","request":{"id":"r3","kind":"toolClientExecution","chat":"c:1"}`, true, []string{"r3"}, 8},
	} {
		before := s.Clone()
		was := mustJSON(t, before)
		changed, err := s.Apply(action(t, `{"type":"session/inputNeeded`+step.action+`}`))
		require.NoError(t, err)
		require.Equal(t, step.changed, changed, step.action)
		var ids []string
		for _, n := range s.InputNeeded {
			ids = append(ids, n.ID)
		}
		require.Equal(t, step.ids, ids, step.action)
		require.Equal(t, step.status, s.Status, step.action)
		require.Equal(t, was, mustJSON(t, before), "who had the state before keeps it")
	}
	for _, faulty := range []string{`{"type":"session/inputNeededSet"}`, `{"type":"session/inputNeededSet","request":{"kind":"x"}}`, `{"type":"session/inputNeededRemoved"}`} {
		changed, err := s.Apply(action(t, faulty))
		require.Error(t, err)
		require.False(t, changed)
	}
}

// A form is asked for, answered piece by piece, also by others, and completed.
func TestInputForms(t *testing.T) {
	c, err := DecodeChat([]byte(baseChat))
	require.NoError(t, err)
	apply := func(members string, want bool) {
		t.Helper()
		changed, err := c.Apply(action(t, `{"type":"chat/input`+members+`}`))
		require.NoError(t, err)
		require.Equal(t, want, changed, members)
	}
	apply(`Requested","request":{"id":"f","message":"m","url":"https://x","questions":[`+
		`{"id":"q","kind":"single-select","title":"T","message":"Which?","required":true,"options":[{"id":"a","label":"A","recommended":true}],"allowFreeformInput":true},`+
		`{"id":"n","kind":"integer","message":"How many?","min":1,"max":5,"defaultValue":2}]}`, true)
	form := c.OpenForms()[0]
	one, five := 1.0, 5.0
	require.Equal(t, []Question{
		{ID: "q", Kind: QuestionSingleSelect, Title: "T", Message: "Which?", Required: true, Options: []QuestionOption{{ID: "a", Label: "A", Recommended: true}}, Freeform: true},
		{ID: "n", Kind: QuestionInteger, Message: "How many?", Min: &one, Max: &five, Default: []byte("2")},
	}, form.Questions)
	apply(`AnswerChanged","requestId":"f","questionId":"q","answer":{"state":"draft","value":{"kind":"selected","value":"a"}}`, true)
	apply(`AnswerChanged","requestId":"other","questionId":"q","answer":{}`, false)
	require.Contains(t, c.OpenForms()[0].Answers, "q")
	require.Empty(t, form.Answers, "who had the form before keeps it")
	apply(`Requested","request":{"id":"f","message":"again"}`, true)
	require.Contains(t, c.OpenForms()[0].Answers, "q", "what was answered stays")
	apply(`AnswerChanged","requestId":"f","questionId":"q"`, true)
	require.Empty(t, c.OpenForms()[0].Answers)
	apply(`Completed","requestId":"f","response":"accept","answers":{"n":{"state":"skipped"}}`, true)
	require.Empty(t, c.OpenForms())
	part := c.Active.Parts[len(c.Active.Parts)-1]
	require.Equal(t, ResponseAccept, part.Response)
	require.JSONEq(t, `{"state":"skipped"}`, string(part.Form.Answers["n"]))
	apply(`Completed","requestId":"f","response":"decline"`, false) // the first one counts
	require.Equal(t, ResponseAccept, c.Active.Parts[len(c.Active.Parts)-1].Response)
}

func TestPendingMessages(t *testing.T) {
	c := &Chat{}
	texts := func() (out []string) {
		for _, q := range c.Queued {
			out = append(out, q.ID+":"+q.Text)
		}
		return out
	}
	for _, step := range []struct {
		action   string
		changed  bool
		steering string
		queued   []string
	}{
		{`pendingMessageSet","kind":"steering","id":"s","message":{"text":"stop"}`, true, "stop", nil},
		{`pendingMessageSet","kind":"queued","id":"a","message":{"text":"1"}`, true, "stop", []string{"a:1"}},
		{`pendingMessageSet","kind":"queued","id":"b","message":{"text":"2"}`, true, "stop", []string{"a:1", "b:2"}},
		{`pendingMessageSet","kind":"queued","id":"a","message":{"text":"3"}`, true, "stop", []string{"a:3", "b:2"}},
		{`queuedMessagesReordered","order":["b","unknown","b"]`, true, "stop", []string{"b:2", "a:3"}},
		{`queuedMessagesReordered","order":[]`, false, "stop", []string{"b:2", "a:3"}},
		{`pendingMessageRemoved","kind":"steering","id":"other"`, false, "stop", []string{"b:2", "a:3"}},
		{`pendingMessageRemoved","kind":"queued","id":"s"`, false, "stop", []string{"b:2", "a:3"}},
		{`turnStarted","turnId":"t","queuedMessageId":"b","message":{"text":"2"}`, true, "stop", []string{"a:3"}},
		{`turnStarted","turnId":"u","queuedMessageId":"s","message":{"text":"2"}`, true, "", []string{"a:3"}},
		{`pendingMessageRemoved","kind":"queued","id":"a"`, true, "", nil},
	} {
		changed, err := c.Apply(action(t, `{"type":"chat/`+step.action+`}`))
		require.NoError(t, err)
		require.Equal(t, step.changed, changed, step.action)
		steering := ""
		if c.Steering != nil {
			steering = c.Steering.Text
		}
		require.Equal(t, step.steering, steering, step.action)
		require.Equal(t, step.queued, texts(), step.action)
	}
}

func TestResponseParts(t *testing.T) {
	c, err := DecodeChat([]byte(baseChat))
	require.NoError(t, err)
	for _, step := range []struct {
		action  string
		changed bool
		want    string
	}{
		{`responsePart","turnId":"c","part":{"kind":"markdown","id":"m","content":"He"}`, true, "He"},
		{`delta","turnId":"c","partId":"m","content":"llo"`, true, "Hello"},
		{`reasoning","turnId":"c","partId":"m","content":"x"`, false, "Hello"}, // of another kind
		{`delta","turnId":"c","partId":"n","content":"x"`, false, "Hello"},
		{`delta","turnId":"d","partId":"m","content":"x"`, false, "Hello"},
		{`responsePart","turnId":"d","part":{"kind":"markdown","id":"m","content":"x"}`, false, "Hello"},
		{`responsePart","turnId":"c","part":{"kind":"contentRef","uri":"x:1"}`, false, "Hello"},
		{`responsePart","turnId":"c","part":{"kind":"systemNotification","content":{"markdown":"*"}}`, true, "Hello*"},
		{`responsePart","turnId":"c","part":{"kind":"reasoning","id":"r","content":"hm"}`, true, "Hello*hm"},
		{`reasoning","turnId":"c","partId":"r","content":"m"`, true, "Hello*hmm"},
		{`usage","turnId":"c","usage":{"model":"m","inputTokens":3,"outputTokens":4,"_meta":{}}`, true, "Hello*hmm"},
		{`usage","turnId":"z","usage":{"model":"n"}`, false, "Hello*hmm"},
	} {
		changed, err := c.Apply(action(t, `{"type":"chat/`+step.action+`}`))
		require.NoError(t, err)
		require.Equal(t, step.changed, changed, step.action)
		got := ""
		for _, p := range c.Active.Parts {
			got += p.Text
		}
		require.Equal(t, step.want, got, step.action)
	}
	require.Equal(t, &Usage{Model: "m", InputTokens: 3, OutputTokens: 4}, c.Active.Usage)
}
