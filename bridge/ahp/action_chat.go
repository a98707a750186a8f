package ahp

import "time"

// StartTurn is chat/turnStarted: says something to the agent.
func StartTurn(turn string, at time.Time, m ChatMessage) (Action, error) {
	return newAction(TypeChatTurnStarted, map[string]any{
		"turnId": turn, "startedAt": at.UTC().Format("2006-01-02T15:04:05.000Z"), "message": m,
	})
}

// CancelTurn is chat/turnCancelled: stops the agent. It ran for a time that the
// caller has measured.
func CancelTurn(turn string, ran time.Duration) (Action, error) {
	return newAction(TypeChatTurnCancelled, map[string]any{"turnId": turn, "duration": max(0, ran.Milliseconds())})
}

// SetPendingMessage is chat/pendingMessageSet: leaves a message for the active
// turn (PendingSteering), or for the next one (PendingQueued).
func SetPendingMessage(kind, id string, m ChatMessage) (Action, error) {
	return newAction(TypeChatPendingMessageSet, map[string]any{"kind": kind, "id": id, "message": m})
}

// RemovePendingMessage is chat/pendingMessageRemoved.
func RemovePendingMessage(kind, id string) (Action, error) {
	return newAction(TypeChatPendingMessageRemoved, map[string]any{"kind": kind, "id": id})
}

// Verdict is a person's answer to a tool call that waits for one.
type Verdict struct {
	Approve bool
	Option  string  // id of the option that was selected, "" for none
	Input   *string // with Approve: the tool's input as the person changed it; nil leaves it
	// Suggestion says, without Approve, what to do instead; "" says nothing.
	Suggestion string
	Skip       bool // without Approve: the call is skipped rather than denied
}

// ConfirmToolCall is chat/toolCallConfirmed.
func ConfirmToolCall(turn, call string, v Verdict) (Action, error) {
	m := map[string]any{"turnId": turn, "toolCallId": call, "approved": v.Approve}
	if v.Option != "" {
		m["selectedOptionId"] = v.Option
	}
	switch {
	case v.Approve:
		m["confirmed"] = "user-action"
		if v.Input != nil {
			m["editedToolInput"] = *v.Input
		}
	case v.Skip:
		m["reason"] = "skipped"
	default:
		m["reason"] = "denied"
	}
	if !v.Approve && v.Suggestion != "" {
		m["userSuggestion"] = UserMessage(v.Suggestion)
	}
	return newAction(TypeChatToolCallConfirmed, m)
}

// ConfirmResult is chat/toolCallResultConfirmed: takes or refuses what a tool
// has returned.
func ConfirmResult(turn, call string, approve bool) (Action, error) {
	return newAction(TypeChatToolCallResultConfirmed, map[string]any{"turnId": turn, "toolCallId": call, "approved": approve})
}

// CompleteInput is chat/inputCompleted: answers a form, by question id, or
// declines it.
func CompleteInput(form, response string, answers map[string]Answer) (Action, error) {
	m := map[string]any{"requestId": form, "response": response}
	if len(answers) > 0 {
		m["answers"] = answers
	}
	return newAction(TypeChatInputCompleted, m)
}
