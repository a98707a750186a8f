package ahp

import (
	"encoding/json"
	"strings"
)

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

func (d *decoder) chatAction(kind string) (m chatAction) {
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
func (d *decoder) chatActionMember(m *chatAction, key []byte) bool {
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
		m.turns, _ = d.turns()
	case "turnsNextCursor":
		m.more = d.str() != ""
	case "changesets":
		null, ok := d.peek() == 'n', false
		m.changesets, ok = d.catalogue()
		m.badChangesets = !null && !ok
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
func (d *decoder) inputActionMember(m *chatAction, key []byte) bool {
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
func (d *decoder) callActionMember(m *chatAction, key []byte) bool {
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

func (d *decoder) callResult(c *ToolCall) {
	if !d.object() {
		return
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		if !d.resultMember(c, key) {
			d.skip()
		}
	}
}
