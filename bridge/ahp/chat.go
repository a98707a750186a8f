package ahp

import "slices"

// Chat is what this program needs of a chat channel's state: its turns, so
// that a comment can say which one it is about, and whether one is running.
// Tool calls, response parts and input requests are not mirrored.
type Chat struct {
	Turns      []Turn
	Active     *Turn
	Changesets []CatalogueEntry // from 0.9
	// Partial: Turns are the newest ones; the host has older ones that it has not
	// sent.
	Partial bool
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
	d := newDecoder(a.Type, a.Raw)
	m := d.chatAction()
	if d.broken {
		_, err = d.finish()
		return false, err
	}
	switch a.Type {
	case TypeChatTurnStarted, TypeChatTurnComplete, TypeChatTurnCancelled, TypeChatError:
		if m.turn.ID == "" {
			d.missing("turnId")
		}
	}
	switch a.Type {
	case TypeChatTurnStarted:
		if m.turn.ID != "" && !c.ended(m.turn.ID) {
			c.Active, changed = &m.turn, true
		}
	case TypeChatTurnComplete:
		changed = c.end(m.turn.ID, "complete")
	case TypeChatTurnCancelled:
		changed = c.end(m.turn.ID, "cancelled")
	case TypeChatError:
		changed = c.end(m.turn.ID, "error")
	case TypeChatTurnsLoaded:
		changed = c.prepend(m.turns) || c.Partial != m.more
		c.Partial = m.more
	case TypeChatTruncated:
		changed = c.truncate(m.turn.ID, m.hasTurn)
	case TypeChatChangesetsChanged:
		if m.badChangesets {
			break
		}
		c.Changesets, changed = m.changesets, true
	}
	_, err = d.finish()
	return changed, err
}

// ended reports whether the turn with the id is over.
func (c *Chat) ended(id string) bool {
	return slices.ContainsFunc(c.Turns, func(t Turn) bool { return t.ID == id })
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

// prepend puts older turns in front, but for those that are there already.
func (c *Chat) prepend(older []Turn) bool {
	known := make(map[string]bool, len(c.Turns)+len(older))
	for _, t := range c.Turns {
		known[t.ID] = true
	}
	var turns []Turn
	for _, t := range older {
		if !known[t.ID] {
			known[t.ID] = true
			turns = append(turns, t)
		}
	}
	if len(turns) == 0 {
		return false
	}
	c.Turns = append(turns, c.Turns...)
	return true
}

// truncate drops every turn behind the one with the id, or every turn if none
// is named, those that have not been sent included, and with them the active
// one. An unknown id changes nothing.
func (c *Chat) truncate(id string, named bool) bool {
	n := 0
	if named {
		i := slices.IndexFunc(c.Turns, func(t Turn) bool { return t.ID == id })
		if i < 0 {
			return false
		}
		n = i + 1
	}
	changed := n < len(c.Turns) || c.Active != nil || !named && c.Partial
	c.Partial = named && c.Partial
	// Without spare room: what is appended later must not end up in a slice that
	// someone else still holds.
	c.Turns, c.Active = c.Turns[:n:n], nil
	return changed
}

// chatAction is every member of the chat/* actions that matter here.
type chatAction struct {
	turn    Turn
	hasTurn bool // a turn is named, well or badly
	turns   []Turn
	more    bool // there are older ones still

	changesets    []CatalogueEntry
	badChangesets bool
}

func (d *decoder) chatAction() (m chatAction) {
	if !d.object() {
		return m
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "turnId":
			m.hasTurn = d.peek() != 'n'
			m.turn.ID = d.str()
		case "startedAt":
			m.turn.StartedAt = d.str()
		case "message":
			m.turn.Text = d.message()
		case "turns":
			m.turns, _ = d.turns()
		case "turnsNextCursor":
			m.more = d.str() != ""
		case "changesets":
			null, ok := d.peek() == 'n', false
			m.changesets, ok = d.catalogue()
			m.badChangesets = !null && !ok
		default:
			d.skip()
		}
	}
	d.end()
	return m
}

func (d *decoder) turns() (turns []Turn, ok bool) {
	if !d.array() {
		return nil, false
	}
	turns = []Turn{}
	for d.elem() {
		if t, ok := d.turn(); ok {
			turns = append(turns, t)
		}
	}
	return turns, true
}

func (d *decoder) turn() (t Turn, ok bool) {
	if !d.object() {
		return Turn{}, false
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			t.ID = d.str()
			d.named(t.ID)
		case "state":
			t.State = d.str()
		case "startedAt":
			t.StartedAt = d.str()
		case "message":
			t.Text = d.message()
		default:
			d.skip()
		}
	}
	if t.ID == "" {
		d.missing("id")
		return Turn{}, false
	}
	return t, true
}

// message reads what a user asked.
func (d *decoder) message() (text string) {
	if !d.object() {
		return ""
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) == "text" {
			t, _ := d.text()
			text = t.Value
		} else {
			d.skip()
		}
	}
	return text
}
