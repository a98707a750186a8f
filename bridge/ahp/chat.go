package ahp

import "slices"

// Chat is the state of a chat channel (specification: Chats): its turns, what
// the agent does in the active one, and what waits to be taken up. Texts that a
// tool returned, drafts and the chat's own title are not mirrored.
type Chat struct {
	Turns      []Turn
	Active     *Turn
	Steering   *PendingMessage  // for the active turn
	Queued     []PendingMessage // for later turns
	Changesets []CatalogueEntry // from 0.9
	// Partial: Turns are the newest ones; the host has older ones that it has not
	// sent.
	Partial bool
}

// DecodeChat reads a snapshot's state; never nil, faults in the error.
func DecodeChat(data []byte) (*Chat, error) {
	c := &Chat{}
	if isNull(data) {
		return c, nil
	}
	d := newDecoder("chat state", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			switch string(key) {
			case "turns":
				c.Turns, _ = d.turns()
			case "activeTurn":
				c.Active = nil
				if t, ok := d.turn(); ok {
					c.Active = &t
				}
			case "steeringMessage":
				c.Steering = d.pendingMessage()
			case "queuedMessages":
				c.Queued = d.pendingMessages()
			case "changesets":
				c.Changesets, _ = d.catalogue()
			case "turnsNextCursor":
				c.Partial = d.str() != ""
			default:
				d.skip()
			}
		}
	}
	ok, err := d.finish()
	if !ok {
		return &Chat{}, err
	}
	return c, err
}

// MarshalJSON writes the state with the members that are mirrored.
func (c *Chat) MarshalJSON() ([]byte, error) {
	e := newEncoder(nil)
	e["turns"] = append([]Turn{}, c.Turns...)
	if c.Active != nil {
		e["activeTurn"] = c.Active
	}
	if c.Steering != nil {
		e["steeringMessage"] = c.Steering
	}
	if len(c.Queued) > 0 {
		e["queuedMessages"] = c.Queued
	}
	if c.Changesets != nil {
		entries := make([]object, 0, len(c.Changesets))
		for _, entry := range c.Changesets {
			entries = append(entries, entry.members())
		}
		e["changesets"] = entries
	}
	if c.Partial {
		e["turnsNextCursor"] = "older"
	}
	return e.encode()
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

// OpenCalls are the tool calls of the active turn that wait for a person.
func (c *Chat) OpenCalls() (calls []*ToolCall) {
	if c.Active == nil {
		return nil
	}
	for _, p := range c.Active.Parts {
		if p.Call != nil && p.Call.Open() {
			calls = append(calls, p.Call)
		}
	}
	return calls
}

// OpenForms are the questions of the active turn that wait for a person.
func (c *Chat) OpenForms() (forms []*InputForm) {
	if c.Active == nil {
		return nil
	}
	for _, p := range c.Active.Parts {
		if p.Form != nil && p.Response == "" {
			forms = append(forms, p.Form)
		}
	}
	return forms
}
