package session

import (
	"time"
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

// Turns are the turns of a session, oldest first.
type Turns []Turn

// Active is the turn that runs, nil if none does.
func (ts Turns) Active() *Turn {
	if n := len(ts); n > 0 && ts[n-1].Running() {
		return &ts[n-1]
	}
	return nil
}

// Find is the turn with an id, nil if there is none.
func (ts Turns) Find(id string) *Turn {
	for i := range ts {
		if ts[i].ID == id {
			return &ts[i]
		}
	}
	return nil
}

func (ts Turns) isActive(id string) bool {
	t := ts.Find(id)
	return t != nil && t.Running()
}
