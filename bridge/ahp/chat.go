package ahp

import (
	"encoding/json"
	"slices"
	"strings"
)

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
	d := chatDecoder{newDecoder("chat state", data)}
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			switch string(key) {
			case "turns":
				c.Turns = d.turns()
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

// chatDecoder reads the values of a chat.
type chatDecoder struct{ *decoder }

// chatAction is every member of the chat/* actions that are mirrored.
type chatAction struct {
	turn     Turn // its id, time, text, usage and error
	hasTurn  bool // a turn is named, well or badly
	turns    []Turn
	more     bool   // there are older ones still
	queuedID string // of the message that started the turn

	partID, text string
	part         *Part

	call     ToolCall // the members that the action has
	has      map[string]bool
	approved bool
	edited   *string // the tool's input as the person changed it
	option   string  // id of the selected one
	review   bool    // the result has to be confirmed

	form                  *InputForm
	requestID, questionID string
	answer                json.RawMessage
	answers               map[string]json.RawMessage
	response              string

	kind, id string // of a pending message
	order    []string

	changesets    []CatalogueEntry
	badChangesets bool
}

func (d chatDecoder) chatAction(kind string) (m chatAction) {
	if !d.object() {
		return m
	}
	ofCall := strings.HasPrefix(kind, "chat/toolCall")
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch {
		case ofCall && d.callActionMember(&m, key):
		case !ofCall && d.chatActionMember(&m, key):
		case string(key) == "turnId":
			m.hasTurn = d.peek() != 'n'
			m.turn.ID = d.str()
		default:
			d.skip()
		}
	}
	d.end()
	return m
}

// chatActionMember reads one member of an action that is not about a tool call;
// false if it is none.
func (d chatDecoder) chatActionMember(m *chatAction, key []byte) bool {
	switch string(key) {
	case "startedAt":
		m.turn.StartedAt = d.str()
	case "message":
		m.turn.Text = d.message()
	case "queuedMessageId":
		m.queuedID = d.str()
	case "usage":
		m.turn.Usage = d.usage()
	case "error":
		m.turn.Error = d.errorInfo()
	case "turns":
		m.turns = d.turns()
	case "turnsNextCursor":
		m.more = d.str() != ""
	case "changesets":
		null := d.peek() == 'n'
		list, ok := d.catalogue()
		m.changesets, m.badChangesets = list, !null && !ok
	case "part":
		m.part = nil
		if p, ok := d.part(); ok {
			m.part = &p
		}
	case "partId":
		m.partID = d.str()
	case "content":
		m.text = d.str()
	default:
		return d.inputActionMember(m, key)
	}
	return true
}

// inputActionMember reads one member of an action about a form or a pending
// message; false if it is none.
func (d chatDecoder) inputActionMember(m *chatAction, key []byte) bool {
	switch string(key) {
	case "request":
		m.form = d.inputForm()
	case "requestId":
		m.requestID = d.str()
	case "questionId":
		m.questionID = d.str()
	case "answer":
		m.answer = d.keep()
	case "answers":
		m.answers, _ = d.rawObject()
	case "response":
		m.response = d.common()
	case "kind":
		m.kind = d.common()
	case "id":
		m.id = d.str()
	case "order":
		m.order = d.strings()
	default:
		return false
	}
	return true
}

// callActionMember reads one member of an action about a tool call; false if it
// is none.
func (d chatDecoder) callActionMember(m *chatAction, key []byte) bool {
	null := d.peek() == 'n'
	name := string(key)
	switch name {
	case "approved":
		m.approved = d.bool()
	case "editedToolInput":
		if s, ok := d.optStr(); ok {
			m.edited = &s
		}
	case "selectedOptionId":
		m.option = d.str()
	case "requiresResultConfirmation":
		m.review = d.bool()
	case "content":
		if d.peek() == '"' { // of a delta: text
			m.text = d.str()
			return true
		}
		m.call.Wrote = d.written()
	case "result":
		d.callResult(&m.call)
	default:
		if !d.callMember(&m.call, key) {
			return false
		}
	}
	if m.has == nil {
		m.has = map[string]bool{}
	}
	m.has[name] = !null
	return true
}

func (d chatDecoder) callResult(c *ToolCall) {
	if !d.object() {
		return
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		if !d.resultMember(c, key) {
			d.skip()
		}
	}
}
