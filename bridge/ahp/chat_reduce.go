package ahp

import (
	"encoding/json"
	"slices"
)

// Apply reduces one chat/* action into the state and reports whether it
// changed anything. The error, of type Problems, says what could not be read.
// Turns that were taken from the state before stay as they were.
func (c *Chat) Apply(a Action) (changed bool, err error) {
	reduce := chatReducers[a.Type]
	if reduce == nil {
		return false, nil
	}
	d := newDecoder(a.Type, a.Raw)
	m := chatDecoder{d}.chatAction(a.Type)
	if d.broken {
		_, err = d.finish()
		return false, err
	}
	if m.turn.ID == "" && ofTurn[a.Type] {
		d.missing("turnId")
	} else {
		changed = reduce(c, d, &m)
	}
	_, err = d.finish()
	return changed, err
}

// chatReducers are the actions that are mirrored.
var chatReducers = map[string]func(*Chat, *decoder, *chatAction) bool{
	TypeChatTurnStarted:   (*Chat).turnStarted,
	TypeChatTurnComplete:  func(c *Chat, _ *decoder, m *chatAction) bool { return c.end(m, TurnComplete) },
	TypeChatTurnCancelled: func(c *Chat, _ *decoder, m *chatAction) bool { return c.end(m, TurnCancelled) },
	TypeChatError:         func(c *Chat, _ *decoder, m *chatAction) bool { return c.end(m, TurnError) },
	TypeChatTruncated:     func(c *Chat, _ *decoder, m *chatAction) bool { return c.truncate(m.turn.ID, m.hasTurn) },
	TypeChatTurnsLoaded: func(c *Chat, _ *decoder, m *chatAction) bool {
		changed := c.prepend(m.turns) || c.Partial != m.more
		c.Partial = m.more
		return changed
	},
	TypeChatChangesetsChanged: func(c *Chat, _ *decoder, m *chatAction) bool {
		if !m.badChangesets {
			c.Changesets = m.changesets
		}
		return !m.badChangesets
	},
	TypeChatUsage: (*Chat).setUsage,

	TypeChatResponsePart: (*Chat).addPart,
	TypeChatDelta:        func(c *Chat, d *decoder, m *chatAction) bool { return c.appendText(d, m, PartMarkdown) },
	TypeChatReasoning:    func(c *Chat, d *decoder, m *chatAction) bool { return c.appendText(d, m, PartReasoning) },

	TypeChatToolCallStart:           (*Chat).startCall,
	TypeChatToolCallDelta:           changeCall((*ToolCall).delta),
	TypeChatToolCallReady:           changeCall((*ToolCall).ready),
	TypeChatToolCallConfirmed:       changeCall((*ToolCall).confirmedBy),
	TypeChatToolCallComplete:        changeCall((*ToolCall).complete),
	TypeChatToolCallResultConfirmed: changeCall((*ToolCall).resultConfirmed),
	TypeChatToolCallContentChanged:  changeCall((*ToolCall).contentChanged),
	TypeChatToolCallAuthRequired:    changeCall((*ToolCall).authRequired),
	TypeChatToolCallAuthResolved:    changeCall((*ToolCall).authResolved),

	TypeChatInputRequested:     (*Chat).requestInput,
	TypeChatInputAnswerChanged: (*Chat).changeAnswer,
	TypeChatInputCompleted:     (*Chat).completeInput,

	TypeChatPendingMessageSet:       (*Chat).setPending,
	TypeChatPendingMessageRemoved:   (*Chat).removePending,
	TypeChatQueuedMessagesReordered: (*Chat).reorder,
}

// ofTurn are the actions that mean nothing without a turn.
var ofTurn = map[string]bool{
	TypeChatTurnStarted: true, TypeChatTurnComplete: true, TypeChatTurnCancelled: true, TypeChatError: true,
	TypeChatUsage: true, TypeChatResponsePart: true, TypeChatDelta: true, TypeChatReasoning: true,
	TypeChatToolCallStart: true, TypeChatToolCallDelta: true, TypeChatToolCallReady: true, TypeChatToolCallConfirmed: true,
	TypeChatToolCallComplete: true, TypeChatToolCallResultConfirmed: true, TypeChatToolCallContentChanged: true,
	TypeChatToolCallAuthRequired: true, TypeChatToolCallAuthResolved: true,
}

func (c *Chat) turnStarted(_ *decoder, m *chatAction) bool {
	if c.ended(m.turn.ID) {
		return false
	}
	turn := m.turn
	c.Active = &turn
	if m.queuedID != "" {
		if c.Steering != nil && c.Steering.ID == m.queuedID {
			c.Steering = nil
		}
		c.Queued = without(c.Queued, m.queuedID)
	}
	return true
}

// ended reports whether the turn with the id is over.
func (c *Chat) ended(id string) bool {
	return slices.ContainsFunc(c.Turns, func(t Turn) bool { return t.ID == id })
}

// end moves the active turn to the ended ones. Calls that are still under way
// are cancelled with it.
func (c *Chat) end(m *chatAction, state string) bool {
	if c.Active == nil || c.Active.ID != m.turn.ID {
		return false
	}
	t := *c.Active.clone()
	t.State, t.Error = state, nil
	if state == TurnError {
		t.Error = m.turn.Error
	}
	for i, p := range t.Parts {
		if p.Call != nil && p.Call.Status != CallCompleted && p.Call.Status != CallCancelled {
			t.Parts[i].Call = p.Call.cancelled("skipped")
		}
	}
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

// active returns a copy of the active turn, which becomes the active one, if it
// is the one that the action is about.
func (c *Chat) active(m *chatAction) *Turn {
	if c.Active == nil || c.Active.ID != m.turn.ID {
		return nil
	}
	c.Active = c.Active.clone()
	return c.Active
}

func (c *Chat) setUsage(_ *decoder, m *chatAction) bool {
	t := c.active(m)
	if t == nil {
		return false
	}
	t.Usage = m.turn.Usage
	return true
}

func (c *Chat) addPart(_ *decoder, m *chatAction) bool {
	if m.part == nil {
		return false // of a kind that is not mirrored
	}
	t := c.active(m)
	if t == nil {
		return false
	}
	t.Parts = append(t.Parts, *m.part)
	return true
}

func (c *Chat) appendText(_ *decoder, m *chatAction, kind string) bool {
	if c.Active == nil || c.Active.ID != m.turn.ID || m.text == "" {
		return false
	}
	i := slices.IndexFunc(c.Active.Parts, func(p Part) bool { return p.ID == m.partID && p.Kind == kind })
	if i < 0 {
		return false
	}
	c.active(m).Parts[i].Text += m.text
	return true
}

func (c *Chat) startCall(d *decoder, m *chatAction) bool {
	if m.call.ID == "" {
		d.missing("toolCallId")
		return false
	}
	t := c.active(m)
	if t == nil {
		return false
	}
	call := m.call
	call.Status = CallStreaming
	t.Parts = append(t.Parts, Part{Kind: PartToolCall, Call: &call})
	return true
}

// changeCall reduces an action on one call of the active turn. change returns
// the call as it is then, or the same one if the action does not fit its status.
func changeCall(change func(*ToolCall, *chatAction) *ToolCall) func(*Chat, *decoder, *chatAction) bool {
	return func(c *Chat, d *decoder, m *chatAction) bool {
		if m.call.ID == "" {
			d.missing("toolCallId")
			return false
		}
		if c.Active == nil || c.Active.ID != m.turn.ID {
			return false
		}
		i := slices.IndexFunc(c.Active.Parts, func(p Part) bool { return p.Call != nil && p.Call.ID == m.call.ID })
		if i < 0 {
			return false
		}
		old := c.Active.Parts[i].Call
		next := change(old, m)
		if next == old {
			return false
		}
		c.active(m).Parts[i].Call = next
		return true
	}
}

// openForm is the place of the open form with the id in the active turn, or -1.
func (c *Chat) openForm(id string) int {
	if c.Active == nil {
		return -1
	}
	return slices.IndexFunc(c.Active.Parts, func(p Part) bool { return p.Form != nil && p.Form.ID == id && p.Response == "" })
}

func (c *Chat) requestInput(d *decoder, m *chatAction) bool {
	if m.form == nil {
		d.missing("request")
		return false
	}
	if c.Active == nil {
		return false
	}
	form, i := m.form, c.openForm(m.form.ID)
	c.Active = c.Active.clone()
	part := Part{Kind: PartInputRequest, Form: form}
	if i < 0 {
		c.Active.Parts = append(c.Active.Parts, part)
		return true
	}
	if form.Answers == nil {
		part.Form = form.withAnswers(c.Active.Parts[i].Form.Answers)
	}
	c.Active.Parts[i] = part
	return true
}

func (c *Chat) changeAnswer(_ *decoder, m *chatAction) bool {
	i := c.openForm(m.requestID)
	if i < 0 {
		return false
	}
	c.Active = c.Active.clone()
	form := c.Active.Parts[i].Form
	c.Active.Parts[i].Form = form.withAnswers(form.merged(map[string]json.RawMessage{m.questionID: m.answer}))
	return true
}

func (c *Chat) completeInput(d *decoder, m *chatAction) bool {
	if m.response == "" {
		d.missing("response")
		return false
	}
	i := c.openForm(m.requestID)
	if i < 0 {
		return false
	}
	c.Active = c.Active.clone()
	form := c.Active.Parts[i].Form
	c.Active.Parts[i].Form, c.Active.Parts[i].Response = form.withAnswers(form.merged(m.answers)), m.response
	return true
}

func (c *Chat) setPending(d *decoder, m *chatAction) bool {
	if m.id == "" {
		d.missing("id")
		return false
	}
	p := PendingMessage{ID: m.id, Text: m.turn.Text}
	if m.kind == PendingSteering {
		c.Steering = &p
		return true
	}
	c.Queued = slices.Clone(c.Queued)
	if i := slices.IndexFunc(c.Queued, func(q PendingMessage) bool { return q.ID == p.ID }); i >= 0 {
		c.Queued[i] = p
	} else {
		c.Queued = append(c.Queued, p)
	}
	return true
}

func (c *Chat) removePending(_ *decoder, m *chatAction) bool {
	if m.kind == PendingSteering {
		if c.Steering == nil || c.Steering.ID != m.id {
			return false
		}
		c.Steering = nil
		return true
	}
	n := len(c.Queued)
	c.Queued = without(c.Queued, m.id)
	return len(c.Queued) != n
}

func without(list []PendingMessage, id string) []PendingMessage {
	if !slices.ContainsFunc(list, func(p PendingMessage) bool { return p.ID == id }) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(p PendingMessage) bool { return p.ID == id })
}

// reorder sorts the queue; messages that are not named follow in their order.
func (c *Chat) reorder(_ *decoder, m *chatAction) bool {
	rest, next := slices.Clone(c.Queued), []PendingMessage(nil)
	for _, id := range m.order {
		if i := slices.IndexFunc(rest, func(p PendingMessage) bool { return p.ID == id }); i >= 0 {
			next, rest = append(next, rest[i]), slices.Delete(rest, i, i+1)
		}
	}
	next = append(next, rest...)
	if slices.Equal(next, c.Queued) {
		return false
	}
	c.Queued = next
	return true
}
