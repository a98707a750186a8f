package session

import (
	"time"

	"ahp-lsp/bridge/ahp"
)

// Turn is one exchange with an agent, as far as the work tree shows it.
type Turn struct {
	ID      string
	Title   string
	Agent   string // "" if it is not known
	Guessed bool   // nobody said that it began: the host saw a burst of writes
	Started time.Time
	Ended   time.Time // zero while it runs

	Start, End string // the trees before and after it; End is "" while it runs
}

// Running reports whether the turn has not ended.
func (t *Turn) Running() bool { return t.End == "" }

// message is what a turn was asked: an agent's own words, or ours where it was
// guessed.
func (t *Turn) message() map[string]any {
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
		m["_meta"] = map[string]any{MetaKey: meta}
	}
	return m
}

// ActiveTurn is the turn that runs, nil if none does.
func (s *State) ActiveTurn() *Turn {
	if n := len(s.turns); n > 0 && s.turns[n-1].Running() {
		return &s.turns[n-1]
	}
	return nil
}

// Turn is the turn with an id, nil if there is none.
func (s *State) Turn(id string) *Turn {
	for i := range s.turns {
		if s.turns[i].ID == id {
			return &s.turns[i]
		}
	}
	return nil
}

// RestoreTurns takes the turns of an earlier life, when the host starts. The
// session is as old as the first.
func (s *State) RestoreTurns(turns []Turn) {
	s.turns = turns
	if len(turns) > 0 {
		s.created = turns[0].Started
	}
}

func (s *State) chatSummary() map[string]any {
	return map[string]any{
		"resource": s.names.Chat, "title": s.title(), "status": s.status(),
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

// AddTurn takes a turn that has begun, and tells it.
func (s *State) AddTurn(t Turn) { s.setTurns(append(append([]Turn(nil), s.turns...), t)) }

// SetTurns takes the recorded turns as they are now and tells what is new; it
// reports whether anything was. The guessed turn that runs has no end, whatever
// is recorded.
func (s *State) SetTurns(turns []Turn) (changed bool) {
	if s.guess != nil && s.guess.turn != "" {
		for i := range turns {
			if turns[i].ID == s.guess.turn {
				turns[i].End, turns[i].Ended = "", time.Time{}
			}
		}
	}
	return s.setTurns(turns)
}

// setTurns tells which turns have begun or ended; nothing else happens to one.
// One that has gone is the oldest, and stays where clients have it until they ask
// again.
func (s *State) setTurns(now []Turn) (changed bool) {
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
			s.publish(s.names.Chat, action(ahp.TypeChatTurnStarted, map[string]any{
				"turnId": t.ID, "startedAt": timestamp(t.Started), "message": t.message(),
			}))
			changed = true
		}
		if !t.Running() && (!known || old.Running()) {
			s.publish(s.names.Chat, action(ahp.TypeChatTurnComplete, map[string]any{
				"turnId": t.ID, "duration": t.Ended.Sub(t.Started).Milliseconds(),
			}))
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
		s.publish(s.names.Session, action(ahp.TypeSessionChatUpdated, map[string]any{
			"chat": s.names.Chat, "changes": map[string]any{"status": status, "modifiedAt": timestamp(time.Now())},
		}))
	}
	s.modified = time.Now()
	changes["modifiedAt"] = timestamp(s.modified)
	s.summaryChanged(changes)
	return true
}
