package ahp

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Chat is what this program needs of a chat channel's state: its turns, so
// that a comment can say which one it is about, and whether one is running.
// Tool calls, response parts and input requests are not mirrored.
type Chat struct {
	Turns      []Turn
	Active     *Turn
	Changesets []CatalogueEntry // from 0.9
}

// Turn is one exchange with the agent.
type Turn struct {
	ID        string
	Text      string // what the user asked
	State     string
	StartedAt string // RFC 3339
}

// DecodeChat reads a snapshot's state; never nil, faults in the error.
func DecodeChat(data []byte) (*Chat, error) {
	var d decoder
	c := &Chat{}
	o, ok := d.object("chat state", data)
	if !ok {
		return c, d.err()
	}
	c.Turns = d.turns("chat", o.take("turns"))
	if t, ok := d.turn("chat.activeTurn", o.take("activeTurn")); ok {
		c.Active = &t
	}
	c.Changesets, _ = d.catalogue("chat", o.take("changesets"))
	return c, d.err()
}

// Clone returns a copy that Apply may change.
func (c *Chat) Clone() *Chat {
	n := *c
	n.Turns = slices.Clone(c.Turns)
	return &n
}

// Turn returns the turn with the id and its place counted from one, 0 if it is
// unknown.
func (c *Chat) Turn(id string) (Turn, int) {
	for i, t := range c.Turns {
		if t.ID == id {
			return t, i + 1
		}
	}
	if c.Active != nil && c.Active.ID == id {
		return *c.Active, len(c.Turns) + 1
	}
	return Turn{}, 0
}

// Latest is the id of the newest turn that has ended, "" if there is none.
func (c *Chat) Latest() string {
	if n := len(c.Turns); n > 0 {
		return c.Turns[n-1].ID
	}
	return ""
}

// Apply reduces one chat/* action into the state and reports whether it
// changed anything. The error, of type Problems, says what could not be read.
func (c *Chat) Apply(a Action) (changed bool, err error) {
	switch a.Type {
	case TypeChatTurnStarted, TypeChatTurnComplete, TypeChatTurnCancelled, TypeChatError,
		TypeChatTurnsLoaded, TypeChatTruncated, TypeChatChangesetsChanged:
	default:
		return false, nil // most of a chat's traffic: not worth decoding
	}
	var d decoder
	o, _ := d.object(a.Type, a.Raw)
	switch a.Type {
	case TypeChatTurnStarted:
		t, ok := d.turnOf(a.Type, o, "turnId")
		if ok {
			c.Active, changed = &t, true
		}
	case TypeChatTurnComplete:
		changed = c.end(d.str(o, a.Type, "turnId"), "complete")
	case TypeChatTurnCancelled:
		changed = c.end(d.str(o, a.Type, "turnId"), "cancelled")
	case TypeChatError:
		changed = c.end(d.str(o, a.Type, "turnId"), "error")
	case TypeChatTurnsLoaded:
		loaded := d.turns(a.Type, o.take("turns"))
		loaded = slices.DeleteFunc(loaded, func(t Turn) bool { _, n := c.Turn(t.ID); return n > 0 })
		c.Turns, changed = append(loaded, c.Turns...), len(loaded) > 0
	case TypeChatTruncated:
		// Everything after the turn is dropped; without one, everything.
		id, n := d.str(o, a.Type, "turnId"), 0
		if id != "" {
			_, n = c.Turn(id)
		}
		if n <= len(c.Turns) {
			c.Turns, c.Active, changed = c.Turns[:n], nil, true
		}
	case TypeChatChangesetsChanged:
		c.Changesets, _ = d.catalogue(a.Type, o.take("changesets"))
		changed = true
	}
	return changed, d.err()
}

// end moves the active turn to the ended ones.
func (c *Chat) end(id, state string) bool {
	if c.Active == nil || c.Active.ID != id {
		return false
	}
	t := *c.Active
	t.State = state
	c.Active = nil
	c.Turns = append(c.Turns, t)
	return true
}

func (d *decoder) turns(path string, data []byte) []Turn {
	items, _ := d.array(path+".turns", data)
	out := make([]Turn, 0, len(items))
	for i, raw := range items {
		if t, ok := d.turn(fmt.Sprintf("%s.turns[%d]", path, i), raw); ok {
			out = append(out, t)
		}
	}
	return out
}

func (d *decoder) turn(path string, data []byte) (Turn, bool) {
	o, ok := d.object(path, data)
	if !ok {
		return Turn{}, false
	}
	return d.turnOf(path, o, "id")
}

func (d *decoder) turnOf(path string, o object, idKey string) (Turn, bool) {
	t := Turn{ID: d.str(o, path, idKey), State: d.str(o, path, "state"), StartedAt: d.str(o, path, "startedAt")}
	if m, ok := d.object(path+".message", o.take("message")); ok {
		var text Text
		_ = json.Unmarshal(m.take("text"), &text)
		t.Text = text.Value
	}
	if t.ID == "" {
		d.problem("%s.%s: missing", path, idKey)
		return Turn{}, false
	}
	return t, true
}
