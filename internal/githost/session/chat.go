package session

import (
	"slices"
	"time"

	"ahp-lsp/bridge/ahp"
)

// RestoreTurns takes the turns of an earlier life, when the host starts. The
// session is as old as the first.
func (s *State) RestoreTurns(turns Turns) {
	s.turns = turns
	if len(turns) > 0 {
		s.created = turns[0].Started
	}
}

func (s *State) chatSummary() map[string]any {
	return map[string]any{
		"resource": s.names.Chat, "title": titleOf(s.names, s.git), "status": s.status(),
		"modifiedAt": timestamp(s.modified), "origin": map[string]any{"kind": "user"},
	}
}

// ChatChannel is the chat channel's state.
func (s *State) ChatChannel() map[string]any {
	m := s.chatSummary()
	turns := []any{}
	for i := range s.turns {
		t := &s.turns[i]
		w := map[string]any{"id": t.ID, "startedAt": timestamp(t.Started), "message": t.message(), "responseParts": []any{}, "usage": map[string]any{}}
		if t.Running() {
			m["activeTurn"] = w
			continue
		}
		w["state"], w["duration"] = "complete", t.Ended.Sub(t.Started).Milliseconds()
		turns = append(turns, w)
	}
	m["turns"] = turns
	return m
}

// AddTurn adds a turn that has begun and publishes that.
func (s *State) AddTurn(t Turn) { s.setTurns(append(slices.Clone(s.turns), t)) }

// SetTurns takes the recorded turns as they are now and publishes what is new; it
// reports whether anything was. A guessed turn that runs has a recorded end, which
// does not count yet.
func (s *State) SetTurns(turns Turns) (changed bool) {
	if s.guess != nil && s.guess.turn != "" {
		for i := range turns {
			if turns[i].ID == s.guess.turn {
				turns[i].End, turns[i].Ended = "", time.Time{}
			}
		}
	}
	return s.setTurns(turns)
}

// setTurns publishes which turns have begun or ended; nothing else happens to one.
// One that has gone is the oldest, and stays where clients have it until they ask
// again.
func (s *State) setTurns(now Turns) (changed bool) {
	before := s.status()
	had := map[string]Turn{}
	for _, t := range s.turns {
		had[t.ID] = t
	}
	s.turns = now
	for i := range now {
		t := &now[i]
		old, known := had[t.ID]
		if !known {
			s.out.publish(s.names.Chat, ahp.TypeChatTurnStarted, map[string]any{
				"turnId": t.ID, "startedAt": timestamp(t.Started), "message": t.message(),
			})
			changed = true
		}
		if !t.Running() && (!known || old.Running()) {
			s.out.publish(s.names.Chat, ahp.TypeChatTurnComplete, map[string]any{
				"turnId": t.ID, "duration": t.Ended.Sub(t.Started).Milliseconds(),
			})
			changed = true
		}
	}
	if !changed {
		return false
	}
	status := s.status()
	changes := map[string]any{}
	if status != before {
		changes["status"] = status
		s.out.publish(s.names.Session, ahp.TypeSessionChatUpdated, map[string]any{
			"chat": s.names.Chat, "changes": map[string]any{"status": status, "modifiedAt": timestamp(time.Now())},
		})
	}
	s.modified = time.Now()
	changes["modifiedAt"] = timestamp(s.modified)
	s.summaryChanged(changes)
	return true
}
