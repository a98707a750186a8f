package ahp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chatAt is a chat whose active turn "t" has one call "c" in a status.
func chatAt(t *testing.T, call string) *Chat {
	t.Helper()
	c, err := DecodeChat([]byte(`{"turns":[],"activeTurn":{"id":"t","message":{"text":"x"},"responseParts":[` +
		`{"kind":"toolCall","toolCall":` + call + `}]}}`))
	require.NoError(t, err)
	require.Len(t, c.Active.Parts, 1)
	return c
}

const (
	streamingCall = `{"status":"streaming","toolCallId":"c","toolName":"bash","displayName":"Run","intention":"why","partialInput":"rm"}`
	pendingCall   = `{"status":"pending-confirmation","toolCallId":"c","toolName":"bash","displayName":"Run","toolInput":"rm a","invocationMessage":"m",` +
		`"confirmationTitle":"Run?","editable":true,"edits":{"items":[{"after":{"uri":"file:///a","content":{"uri":"pending:a"}},"diff":{"added":1,"removed":2}}]},` +
		`"options":[{"id":"yes","label":"Yes","kind":"approve"},{"id":"no","label":"No","kind":"deny","group":2}]}`
	runningCall    = `{"status":"running","toolCallId":"c","toolName":"bash","displayName":"Run","toolInput":"rm a","invocationMessage":"m","confirmed":"user-action"}`
	mcpCall        = `{"status":"running","toolCallId":"c","toolName":"bash","displayName":"Run","contributor":{"kind":"mcp","customizationId":"x"},"confirmed":"setting"}`
	resultCall     = `{"status":"pending-result-confirmation","toolCallId":"c","toolName":"bash","displayName":"Run","confirmed":"setting","success":true,"pastTenseMessage":"Ran"}`
	completedCall  = `{"status":"completed","toolCallId":"c","toolName":"bash","displayName":"Run","confirmed":"setting","success":true,"pastTenseMessage":"Ran"}`
	authWaitedCall = `{"status":"auth-required","toolCallId":"c","toolName":"bash","displayName":"Run","contributor":{"kind":"mcp"},"confirmed":"setting"}`
)

// Each step of a tool call, from the status it fits to the next one.
func TestToolCallSteps(t *testing.T) {
	for _, c := range []struct{ name, call, action, want string }{
		{"delta", streamingCall, `Delta","content":" a","invocationMessage":"Running"`,
			`{"status":"streaming","toolCallId":"c","toolName":"bash","displayName":"Run","intention":"why","partialInput":"rm a","invocationMessage":"Running"}`},
		{"ready", streamingCall, `Ready","invocationMessage":"m","toolInput":"rm a","confirmed":"not-needed","intention":"because"`,
			`{"status":"running","toolCallId":"c","toolName":"bash","displayName":"Run","intention":"because","toolInput":"rm a","invocationMessage":"m","confirmed":"not-needed"}`},
		{"ready to be confirmed", streamingCall, `Ready","invocationMessage":"m","toolInput":"rm a","confirmationTitle":{"markdown":"Run?"},"options":[{"id":"yes","label":"Yes","kind":"approve"}]`,
			`{"status":"pending-confirmation","toolCallId":"c","toolName":"bash","displayName":"Run","intention":"why","toolInput":"rm a","invocationMessage":"m","confirmationTitle":{"markdown":"Run?"},"options":[{"id":"yes","label":"Yes","kind":"approve"}]}`},
		{"asked while it runs", runningCall, `Ready","invocationMessage":"n","confirmationTitle":"More?"`,
			`{"status":"pending-confirmation","toolCallId":"c","toolName":"bash","displayName":"Run","invocationMessage":"n","confirmationTitle":"More?"}`},
		{"asked again", pendingCall, `Ready","invocationMessage":"n"`, strings.Replace(pendingCall, `"invocationMessage":"m"`, `"invocationMessage":"n"`, 1)},
		{"approved", pendingCall, `Confirmed","approved":true,"confirmed":"user-action"`, runningCall},
		{"approved with an option", pendingCall, `Confirmed","approved":true,"confirmed":"user-action","selectedOptionId":"yes"`,
			strings.TrimSuffix(runningCall, "}") + `,"selectedOption":{"id":"yes","label":"Yes","kind":"approve"}}`},
		{"approved with another input", pendingCall, `Confirmed","approved":true,"confirmed":"user-action","editedToolInput":"ls","selectedOptionId":"unknown"`,
			strings.Replace(runningCall, "rm a", "ls", 1)},
		{"denied", pendingCall, `Confirmed","approved":false,"reason":"denied","userSuggestion":"ask first","reasonMessage":"no"`,
			`{"status":"cancelled","toolCallId":"c","toolName":"bash","displayName":"Run","toolInput":"rm a","invocationMessage":"m","reason":"denied","reasonMessage":"no","userSuggestion":{"text":"ask first","origin":{"kind":"user"}}}`},
		{"denied with a message", pendingCall, `Confirmed","approved":false,"reason":"skipped","userSuggestion":{"text":"ask first"}`,
			`{"status":"cancelled","toolCallId":"c","toolName":"bash","displayName":"Run","toolInput":"rm a","invocationMessage":"m","reason":"skipped","userSuggestion":{"text":"ask first","origin":{"kind":"user"}}}`},
		{"complete", runningCall, `Complete","result":{"success":true,"pastTenseMessage":"Ran","content":[{"type":"text","text":"ok"},{"type":"fileEdit","before":{"uri":"file:///a","content":{"uri":"db:a"}},"diff":{"added":0,"removed":3}},7]}`,
			`{"status":"completed","toolCallId":"c","toolName":"bash","displayName":"Run","toolInput":"rm a","invocationMessage":"m","confirmed":"user-action","success":true,"pastTenseMessage":"Ran","content":[{"type":"fileEdit","before":{"uri":"file:///a","content":{"uri":"db:a"}},"diff":{"added":0,"removed":3}}]}`},
		{"failed", runningCall, `Complete","result":{"success":false,"pastTenseMessage":"Failed","error":{"message":"no such file","code":"x"}}`,
			`{"status":"completed","toolCallId":"c","toolName":"bash","displayName":"Run","toolInput":"rm a","invocationMessage":"m","confirmed":"user-action","success":false,"pastTenseMessage":"Failed","error":{"message":"no such file"}}`},
		{"complete without an answer", pendingCall, `Complete","result":{"success":true,"pastTenseMessage":"Ran"}`,
			`{"status":"completed","toolCallId":"c","toolName":"bash","displayName":"Run","toolInput":"rm a","invocationMessage":"m","confirmed":"not-needed","success":true,"pastTenseMessage":"Ran"}`},
		{"complete, to be reviewed", mcpCall, `Complete","requiresResultConfirmation":true,"result":{"success":true,"pastTenseMessage":"Ran"}`,
			`{"status":"pending-result-confirmation","toolCallId":"c","toolName":"bash","displayName":"Run","contributor":{"kind":"mcp"},"confirmed":"setting","success":true,"pastTenseMessage":"Ran"}`},
		{"result taken", resultCall, `ResultConfirmed","approved":true`, completedCall},
		{"result refused", resultCall, `ResultConfirmed","approved":false`, `{"status":"cancelled","toolCallId":"c","toolName":"bash","displayName":"Run","reason":"result-denied"}`},
		{"content", runningCall, `ContentChanged","content":[{"type":"terminal","resource":"x"},{"type":"fileEdit","after":{"uri":"file:///a","content":{"uri":"db:a"}}}]`,
			strings.TrimSuffix(runningCall, "}") + `,"content":[{"type":"fileEdit","after":{"uri":"file:///a","content":{"uri":"db:a"}},"diff":{"added":0,"removed":0}}]}`},
		{"auth required", mcpCall, `AuthRequired","auth":{}`, authWaitedCall},
		{"auth resolved", authWaitedCall, `AuthResolved"`, strings.Replace(authWaitedCall, "auth-required", "running", 1)},
		{"given up instead of a sign-in", authWaitedCall, `Complete","requiresResultConfirmation":true,"result":{"success":false,"pastTenseMessage":"Gave up"}`,
			`{"status":"completed","toolCallId":"c","toolName":"bash","displayName":"Run","contributor":{"kind":"mcp"},"confirmed":"setting","success":false,"pastTenseMessage":"Gave up"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			chat := chatAt(t, c.call)
			before, old := mustJSON(t, chat), chat.Clone()
			changed, err := chat.Apply(action(t, `{"type":"chat/toolCall`+c.action+`,"turnId":"t","toolCallId":"c"}`))
			require.NoError(t, err)
			require.True(t, changed)
			require.JSONEq(t, c.want, mustJSON(t, chat.Active.Parts[0].Call))
			require.Equal(t, before, mustJSON(t, old), "who had the state before keeps it")
			// The same action for another turn, or another call, changes nothing.
			for _, ids := range []string{`"turnId":"u","toolCallId":"c"`, `"turnId":"t","toolCallId":"d"`} {
				changed, err := old.Apply(action(t, `{"type":"chat/toolCall`+c.action+`,`+ids+`}`))
				require.NoError(t, err)
				require.False(t, changed)
			}
		})
	}
}

// Steps that do not fit the status change nothing.
func TestToolCallStepsThatDoNotFit(t *testing.T) {
	steps := map[string]string{
		"Delta": `"content":"x"`, "Ready": `"invocationMessage":"n"`, "Confirmed": `"approved":true,"confirmed":"user-action"`,
		"Complete": `"result":{"success":true,"pastTenseMessage":"n"}`, "ResultConfirmed": `"approved":true`,
		"ContentChanged": `"content":[]`, "AuthRequired": `"auth":{}`, "AuthResolved": ``,
	}
	for call, fits := range map[string]string{
		streamingCall: "Delta Ready", pendingCall: "Ready Confirmed Complete", runningCall: "Ready Complete ContentChanged",
		mcpCall: "Ready Complete ContentChanged AuthRequired", resultCall: "ResultConfirmed", completedCall: "", authWaitedCall: "AuthResolved",
	} {
		for step, members := range steps {
			chat := chatAt(t, call)
			before := mustJSON(t, chat)
			if members != "" {
				members = "," + members
			}
			changed, err := chat.Apply(action(t, `{"type":"chat/toolCall`+step+`","turnId":"t","toolCallId":"c"`+members+`}`))
			require.NoError(t, err)
			want := false
			for _, fit := range strings.Fields(fits) {
				want = want || fit == step
			}
			require.Equal(t, want, changed, "%s of %s", step, call)
			if !want {
				require.Equal(t, before, mustJSON(t, chat))
			}
		}
	}
}

// A turn that ends cancels the calls under way, and what they asked is gone.
func TestTurnEndsWithOpenCalls(t *testing.T) {
	for _, call := range []string{streamingCall, pendingCall, runningCall, resultCall, authWaitedCall} {
		chat := chatAt(t, call)
		changed, err := chat.Apply(action(t, `{"type":"chat/turnCancelled","turnId":"t"}`))
		require.NoError(t, err)
		require.True(t, changed)
		got := chat.Turns[0].Parts[0].Call
		require.Equal(t, CallCancelled, got.Status)
		require.Equal(t, "skipped", got.Reason)
		require.Empty(t, chat.OpenCalls())
	}
	chat := chatAt(t, completedCall)
	_, err := chat.Apply(action(t, `{"type":"chat/error","turnId":"t","error":{"errorType":"quota","message":"no more"}}`))
	require.NoError(t, err)
	require.JSONEq(t, completedCall, mustJSON(t, chat.Turns[0].Parts[0].Call))
	require.Equal(t, &ErrorInfo{Type: "quota", Message: "no more"}, chat.Turns[0].Error)
}

func TestOpenCalls(t *testing.T) {
	for call, open := range map[string]bool{streamingCall: false, pendingCall: true, runningCall: false, resultCall: true, completedCall: false, authWaitedCall: false} {
		require.Equal(t, open, len(chatAt(t, call).OpenCalls()) == 1, call)
	}
	require.Empty(t, (&Chat{}).OpenCalls())
	require.Empty(t, (&Chat{}).OpenForms())
}

// The statuses of the recorded conversation, as the second client saw them when
// it came, are those that the first one had reduced.
func TestPersonTranscript(t *testing.T) {
	type key struct{ conn, channel string }
	mirrors, asked := map[key]*mirrored{}, map[string]string{}
	compared, statuses := 0, map[string]bool{}
	for _, f := range transcript(t, recordedPerson) {
		m, err := DecodeMessage(f.Msg)
		require.NoError(t, err)
		if f.Dir == "send" {
			asked[f.Conn+string(m.ID)] = m.Method
			continue
		}
		if m.Method == "action" {
			e, err := DecodeEnvelope(m.Params)
			require.NoError(t, err)
			if mirror := mirrors[key{f.Conn, e.Channel}]; mirror != nil {
				require.NoError(t, mirror.apply(e.Action), "line %d", f.line)
				if mirror.kind == "chat" && mirror.chat.Active != nil {
					for _, p := range mirror.chat.Active.Parts {
						if p.Call != nil {
							statuses[p.Call.Status] = true
						}
					}
				}
			}
		}
		if asked[f.Conn+string(m.ID)] != "subscribe" || m.Result == nil {
			continue
		}
		var r SubscribeResult
		require.NoError(t, json.Unmarshal(m.Result, &r))
		kind := channelKind(r.Snapshot.Resource)
		fresh, err := decodeMirror(kind, r.Snapshot.State)
		require.NoError(t, err)
		if other := mirrors[key{"owner", r.Snapshot.Resource}]; other != nil && kind == "chat" {
			// Usage was not recorded.
			want, got := fresh.chat.Clone(), other.chat.Clone()
			want.Active, got.Active = want.Active.clone(), got.Active.clone()
			want.Active.Usage, got.Active.Usage = nil, nil
			require.JSONEq(t, mustJSON(t, want), mustJSON(t, got), "line %d", f.line)
			compared++
		}
		mirrors[key{f.Conn, r.Snapshot.Resource}] = fresh
	}
	require.Positive(t, compared)
	for _, status := range []string{CallStreaming, CallPendingConfirmation, CallRunning, CallCompleted, CallCancelled} {
		require.True(t, statuses[status], status)
	}
}
