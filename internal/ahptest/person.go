package ahptest

import (
	"encoding/json"

	"ahp-lsp/bridge/ahp"
)

// Begin starts a turn on a session's default chat, and leaves it running.
func (h *Host) Begin(session, turn, prompt string) {
	h.Do(ChatURI(session), map[string]any{
		"type": ahp.TypeChatTurnStarted, "turnId": turn, "startedAt": "2026-01-02T03:04:05Z", "message": map[string]string{"text": prompt},
	})
}

// AskToRun lets the active turn's agent wait for a person to confirm a tool
// call, as the reference host does: on the chat, then on the session. It
// returns the id of the request. edits, if not nil, is the FileEdit items.
func (h *Host) AskToRun(session, turn, call, tool, input string, edits any) (request string) {
	chat := ChatURI(session)
	h.Do(chat, map[string]any{"type": ahp.TypeChatToolCallStart, "turnId": turn, "toolCallId": call, "toolName": tool, "displayName": tool})
	ready := map[string]any{
		"type": ahp.TypeChatToolCallReady, "turnId": turn, "toolCallId": call, "invocationMessage": "Run " + tool, "toolInput": input,
		"confirmationTitle": "Run " + tool + "?", "options": []any{
			map[string]any{"id": "allow-once", "label": "Allow Once", "kind": ahp.OptionApprove},
			map[string]any{"id": "skip", "label": "Skip", "kind": ahp.OptionDeny, "group": 2},
		},
	}
	if edits != nil {
		ready["edits"] = map[string]any{"items": edits}
	}
	h.Do(chat, ready)
	h.mu.Lock()
	var waiting *ahp.ToolCall
	for _, c := range h.store.channels[chat].(chatState).OpenCalls() {
		if c.ID == call {
			waiting = c
		}
	}
	h.mu.Unlock()
	request = "toolConfirmation:" + chat + ":" + turn + ":" + call
	h.Do(session, map[string]any{"type": ahp.TypeSessionInputNeededSet, "request": map[string]any{
		"id": request, "kind": ahp.InputToolConfirmation, "chat": chat, "turnId": turn, "toolCall": waiting,
	}})
	return request
}

// AskQuestion lets the active turn's agent wait for the answer to a form, JSON
// as a ChatInputRequest, and returns the id of the request.
func (h *Host) AskQuestion(session, form string) (request string) {
	chat := ChatURI(session)
	var id struct{ ID string }
	if err := json.Unmarshal([]byte(form), &id); err != nil {
		panic("ahptest: " + err.Error())
	}
	h.Do(chat, map[string]any{"type": ahp.TypeChatInputRequested, "request": json.RawMessage(form)})
	request = "chatInput:" + chat + ":" + id.ID
	h.Do(session, map[string]any{"type": ahp.TypeSessionInputNeededSet, "request": map[string]any{
		"id": request, "kind": ahp.InputChat, "chat": chat, "request": json.RawMessage(form),
	}})
	return request
}

// answered takes what a client has answered off the list of its session, behind
// the echo, as the reference host does; h.mu is held.
func (h *Host) answered(a ahp.Action) {
	var p struct{ ToolCallID, RequestID string }
	if json.Unmarshal(a.Raw, &p) != nil || p.ToolCallID == "" && p.RequestID == "" {
		return
	}
	for _, uri := range h.store.order {
		for _, n := range h.store.sessions[uri].state.InputNeeded {
			if n.Call != nil && n.Call.ID == p.ToolCallID || n.Form != nil && n.Form.ID == p.RequestID {
				h.publish(ahp.Envelope{Channel: uri, Action: toAction(map[string]any{"type": ahp.TypeSessionInputNeededRemoved, "id": n.ID})})
				break
			}
		}
	}
}
