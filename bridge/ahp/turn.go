package ahp

import "slices"

// States of a turn that has ended.
const (
	TurnComplete  = "complete"
	TurnCancelled = "cancelled"
	TurnError     = "error"
)

// Turn is one exchange with the agent.
type Turn struct {
	ID        string
	Text      string // what the user asked
	State     string // "" while it is active
	StartedAt string // RFC 3339
	Parts     []Part // the answer, in order
	Usage     *Usage
	Error     *ErrorInfo // with TurnError
}

// Usage is what the answer cost so far.
type Usage struct {
	Model        string `json:"model,omitempty"`
	InputTokens  int    `json:"inputTokens,omitempty"`
	OutputTokens int    `json:"outputTokens,omitempty"`
}

// Kinds of response parts that are mirrored. Parts of other kinds are left out.
const (
	PartMarkdown     = "markdown"
	PartReasoning    = "reasoning"
	PartToolCall     = "toolCall"
	PartInputRequest = "inputRequest"
	PartNotification = "systemNotification"
)

// Part is one piece of an answer.
type Part struct {
	Kind string
	ID   string     // of text that is still written to
	Text string     // PartMarkdown, PartReasoning, PartNotification
	Call *ToolCall  // PartToolCall
	Form *InputForm // PartInputRequest
	// Response is how the form was answered: accept, decline or cancel; "" while
	// it is open.
	Response string
}

// ChatMessage is what somebody says to the agent.
type ChatMessage struct {
	Text        string         `json:"text"`
	Origin      *MessageOrigin `json:"origin,omitempty"`
	Attachments []Attachment   `json:"attachments,omitempty"`
}

// MessageOrigin says who wrote a message; clients may only say "user".
type MessageOrigin struct {
	Kind string `json:"kind"`
}

// Attachment is what goes with a message.
type Attachment struct {
	Type          string   `json:"type"`
	Label         string   `json:"label"`
	DisplayKind   string   `json:"displayKind,omitempty"`
	Resource      string   `json:"resource,omitempty"`
	AnnotationIDs []string `json:"annotationIds,omitempty"`
}

// UserMessage is a message that a person wrote.
func UserMessage(text string, attachments ...Attachment) ChatMessage {
	return ChatMessage{Text: text, Origin: &MessageOrigin{Kind: "user"}, Attachments: attachments}
}

// AttachAnnotations attaches comments of the annotations channel to a message:
// the host tells its agent their ids. label is shown by other clients. The
// display kind is the reference host's.
func AttachAnnotations(channel, label string, ids []string) Attachment {
	return Attachment{Type: "annotations", Label: label, DisplayKind: "agentFeedback", Resource: channel, AnnotationIDs: ids}
}

// PendingMessage is a message that the agent has not taken up yet.
type PendingMessage struct {
	ID   string
	Text string
}

// Kinds of pending messages.
const (
	PendingSteering = "steering" // for the turn that is active
	PendingQueued   = "queued"   // for the next turn
)

func (t Turn) clone() *Turn {
	t.Parts = slices.Clone(t.Parts)
	return &t
}

// MarshalJSON writes the turn with the members that are mirrored.
func (t Turn) MarshalJSON() ([]byte, error) {
	e := newEncoder(nil)
	e["id"] = t.ID
	e["message"] = ChatMessage{Text: t.Text}
	if len(t.Parts) > 0 {
		e["responseParts"] = t.Parts
	}
	e.setStr("state", t.State)
	e.setStr("startedAt", t.StartedAt)
	if t.Usage != nil {
		e["usage"] = t.Usage
	}
	if t.Error != nil {
		e["error"] = t.Error
	}
	return e.encode()
}

// MarshalJSON writes the part with the members that are mirrored.
func (p Part) MarshalJSON() ([]byte, error) {
	e := newEncoder(nil)
	e["kind"] = p.Kind
	switch p.Kind {
	case PartToolCall:
		e["toolCall"] = p.Call
	case PartInputRequest:
		e["request"] = p.Form
		e.setStr("response", p.Response)
	default:
		e.setStr("id", p.ID)
		e["content"] = p.Text
	}
	return e.encode()
}

// MarshalJSON writes the message as a chat's state has it.
func (p PendingMessage) MarshalJSON() ([]byte, error) {
	return Marshal(map[string]any{"id": p.ID, "message": ChatMessage{Text: p.Text}})
}

func (d chatDecoder) turns() (turns []Turn) {
	if !d.array() {
		return nil
	}
	turns = []Turn{}
	for d.elem() {
		if t, ok := d.turn(); ok {
			turns = append(turns, t)
		}
	}
	return turns
}

func (d chatDecoder) turn() (t Turn, ok bool) {
	if !d.object() {
		return Turn{}, false
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			t.ID = d.str()
			d.named(t.ID)
		case "state":
			t.State = d.common()
		case "startedAt":
			t.StartedAt = d.str()
		case "message":
			t.Text = d.message()
		case "responseParts":
			t.Parts = d.parts()
		case "usage":
			t.Usage = d.usage()
		case "error":
			t.Error = d.errorInfo()
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

// message reads the text of a message.
func (d chatDecoder) message() (text string) {
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

func (d chatDecoder) parts() (parts []Part) {
	if !d.array() {
		return nil
	}
	for d.elem() {
		if p, ok := d.part(); ok {
			parts = append(parts, p)
		}
	}
	return parts
}

// part reads one part. ok is false for one that is not mirrored.
func (d chatDecoder) part() (p Part, ok bool) {
	if !d.object() {
		return Part{}, false
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "kind":
			p.Kind = d.common()
		case "id":
			p.ID = d.str()
		case "content":
			if c := d.peek(); c == '"' || c == '{' {
				t, _ := d.text()
				p.Text = t.Value
			} else {
				d.skip()
			}
		case "toolCall":
			p.Call = d.toolCall()
		case "request":
			p.Form = d.inputForm()
		case "response":
			p.Response = d.common()
		default:
			d.skip()
		}
	}
	switch p.Kind {
	case PartMarkdown, PartReasoning, PartNotification:
		p.Call, p.Form, p.Response = nil, nil, ""
		return p, true
	case PartToolCall:
		return Part{Kind: p.Kind, Call: p.Call}, p.Call != nil
	case PartInputRequest:
		return Part{Kind: p.Kind, Form: p.Form, Response: p.Response}, p.Form != nil
	}
	return Part{}, false
}

func (d chatDecoder) usage() *Usage {
	if !d.object() {
		return nil
	}
	u := &Usage{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "model":
			u.Model = d.common()
		case "inputTokens":
			u.InputTokens = d.int()
		case "outputTokens":
			u.OutputTokens = d.int()
		default:
			d.skip()
		}
	}
	return u
}

func (d chatDecoder) pendingMessage() *PendingMessage {
	if !d.object() {
		return nil
	}
	p := &PendingMessage{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			p.ID = d.str()
		case "message":
			p.Text = d.message()
		default:
			d.skip()
		}
	}
	if p.ID == "" {
		d.missing("id")
		return nil
	}
	return p
}

func (d chatDecoder) pendingMessages() (out []PendingMessage) {
	if !d.array() {
		return nil
	}
	for d.elem() {
		if p := d.pendingMessage(); p != nil {
			out = append(out, *p)
		}
	}
	return out
}
