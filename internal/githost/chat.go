package githost

import (
	"context"
	"time"

	"ahp-lsp/bridge/ahp"
)

// loadTurns reads the turns when the host starts.
func (h *Host) loadTurns(ctx context.Context) error {
	turns, err := readTurns(ctx, h.repo)
	if err != nil {
		return err
	}
	h.turns = turns
	if len(turns) > 0 {
		h.created = turns[0].Started
	}
	return nil
}

// activeTurn is the turn that runs, nil if none does; h.mu is held.
func (h *Host) activeTurn() *turn {
	if n := len(h.turns); n > 0 && h.turns[n-1].end == "" {
		return &h.turns[n-1]
	}
	return nil
}

func (h *Host) turn(id string) *turn {
	for i := range h.turns {
		if h.turns[i].ID == id {
			return &h.turns[i]
		}
	}
	return nil
}

// message is what a turn was asked: an agent's own words, or ours where it was
// guessed.
func (t *turn) message() map[string]any {
	m := map[string]any{"text": t.Title, "origin": map[string]any{"kind": "user"}}
	meta := map[string]any{}
	if t.Agent != "" {
		meta["agent"] = t.Agent
	}
	if t.Guessed {
		m["origin"] = map[string]any{"kind": "systemNotification"}
		meta["guessed"] = true
	}
	if len(meta) > 0 {
		m["_meta"] = map[string]any{metaKey: meta}
	}
	return m
}

// metaKey is where this host puts what the protocol has no place for.
const metaKey = "ahp-lsp"

func (h *Host) chatSummary() map[string]any {
	return map[string]any{
		"resource": h.chatURI, "title": h.title(), "status": h.status(),
		"modifiedAt": timestamp(h.modified), "origin": map[string]any{"kind": "user"},
	}
}

// chatState is the chat channel's state; h.mu is held.
func (h *Host) chatState() map[string]any {
	m := h.chatSummary()
	turns := []any{}
	for i := range h.turns {
		t := &h.turns[i]
		w := map[string]any{"id": t.ID, "startedAt": timestamp(t.Started), "message": t.message(), "responseParts": []any{}, "usage": map[string]any{}}
		if t.end == "" {
			m["activeTurn"] = w
			continue
		}
		w["state"], w["duration"] = "complete", t.Ended.Sub(t.Started).Milliseconds()
		turns = append(turns, w)
	}
	m["turns"] = turns
	return m
}

// setTurns takes the turns as they are now and tells what is new; h.mu is held.
// Turns only ever begin and end: one that has gone is the oldest, and stays
// where clients have it until they ask again.
func (h *Host) setTurns(now []turn) (changed bool) {
	before := h.status()
	had := map[string]turn{}
	for _, t := range h.turns {
		had[t.ID] = t
	}
	h.turns = now
	for i := range now {
		t := &now[i]
		old, known := had[t.ID]
		if !known {
			h.publish(h.chatURI, action(ahp.TypeChatTurnStarted, map[string]any{
				"turnId": t.ID, "startedAt": timestamp(t.Started), "message": t.message(),
			}))
			changed = true
		}
		if t.end != "" && (!known || old.end == "") {
			h.publish(h.chatURI, action(ahp.TypeChatTurnComplete, map[string]any{
				"turnId": t.ID, "duration": t.Ended.Sub(t.Started).Milliseconds(),
			}))
			changed = true
		}
	}
	if !changed {
		return false
	}
	status := h.status()
	changes := map[string]any{}
	if status != before {
		changes["status"] = status
		h.publish(h.session, action(ahp.TypeSessionChatUpdated, map[string]any{
			"chat": h.chatURI, "changes": map[string]any{"status": status, "modifiedAt": timestamp(time.Now())},
		}))
	}
	h.modified = time.Now()
	changes["modifiedAt"] = timestamp(h.modified)
	h.summaryChanged(changes)
	return true
}
