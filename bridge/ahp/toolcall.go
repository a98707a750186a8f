package ahp

// Status values of a tool call.
const (
	CallStreaming           = "streaming" // the agent is writing its input
	CallPendingConfirmation = "pending-confirmation"
	CallRunning             = "running"
	CallAuthRequired        = "auth-required"
	CallPendingResult       = "pending-result-confirmation"
	CallCompleted           = "completed"
	CallCancelled           = "cancelled"
)

// ToolCall is one use of a tool by the agent: what it wants to do, or did. It is
// immutable.
type ToolCall struct {
	ID          string
	Name        string // of the tool, for machines
	DisplayName string
	Intention   string // what the agent says it is for
	Status      string
	Message     *Text  // what it does
	Input       string // of the tool; incomplete while streaming

	// What a person has to know to confirm it.
	Title    *Text
	Edits    []FileEdit // not on disk yet
	Editable bool       // the input can be changed
	Options  []ConfirmationOption

	Confirmed string // how: not-needed, user-action, setting
	Selected  *ConfirmationOption

	// What came of it.
	Success bool
	Outcome *Text
	Wrote   []FileEdit // the files it changed
	Error   string

	// Why it was cancelled: denied, skipped, result-denied.
	Reason        string
	ReasonMessage *Text
	Suggestion    string // of the person, what to do instead

	Contributor   string // kind of who brings the tool: client, mcp; "" for the host
	ContributorID string // the client's id where it is a client
}

// FileEdit is what a tool call does to one file: no Before means that it is
// created, no After deleted.
type FileEdit struct {
	Before  *FileSide `json:"before,omitempty"`
	After   *FileSide `json:"after,omitempty"`
	Added   int       `json:"-"` // lines, as the host counted them
	Removed int       `json:"-"`
}

// Kinds of confirmation options.
const (
	OptionApprove = "approve"
	OptionDeny    = "deny"
)

// ConfirmationOption is one way to answer a confirmation.
type ConfirmationOption struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Kind  string `json:"kind"`            // OptionApprove, OptionDeny
	Group int    `json:"group,omitempty"` // options of one group are shown together
}

// Open reports whether the call waits for a person.
func (c *ToolCall) Open() bool {
	return c.Status == CallPendingConfirmation || c.Status == CallPendingResult
}

// MarshalJSON writes the call as a chat's state has it, with the members that
// are mirrored.
func (c *ToolCall) MarshalJSON() ([]byte, error) {
	e := newEncoder(nil)
	e["toolCallId"], e["toolName"], e["displayName"], e["status"] = c.ID, c.Name, c.DisplayName, c.Status
	e.setStr("intention", c.Intention)
	e.setText("invocationMessage", c.Message)
	if c.Status == CallStreaming {
		e.setStr("partialInput", c.Input)
	} else {
		e.setStr("toolInput", c.Input)
	}
	e.setText("confirmationTitle", c.Title)
	if c.Edits != nil {
		e["edits"] = map[string]any{"items": c.Edits}
	}
	if c.Editable {
		e["editable"] = true
	}
	if c.Options != nil {
		e["options"] = c.Options
	}
	e.setStr("confirmed", c.Confirmed)
	if c.Selected != nil {
		e["selectedOption"] = c.Selected
	}
	if c.Status == CallCompleted || c.Status == CallPendingResult {
		e["success"] = c.Success
	}
	e.setText("pastTenseMessage", c.Outcome)
	if len(c.Wrote) > 0 {
		content := []any{}
		for _, f := range c.Wrote {
			content = append(content, f.result())
		}
		e["content"] = content
	}
	if c.Error != "" {
		e["error"] = map[string]any{"message": c.Error}
	}
	e.setStr("reason", c.Reason)
	e.setText("reasonMessage", c.ReasonMessage)
	if c.Suggestion != "" {
		e["userSuggestion"] = UserMessage(c.Suggestion)
	}
	if c.Contributor != "" {
		contributor := map[string]any{"kind": c.Contributor}
		if c.ContributorID != "" {
			contributor["clientId"] = c.ContributorID
		}
		e["contributor"] = contributor
	}
	return e.encode()
}

func (f FileEdit) members() encoder {
	e := newEncoder(nil)
	if f.Before != nil {
		e["before"] = f.Before
	}
	if f.After != nil {
		e["after"] = f.After
	}
	e["diff"] = map[string]int{"added": f.Added, "removed": f.Removed}
	return e
}

// MarshalJSON writes the edit as a confirmation has it.
func (f FileEdit) MarshalJSON() ([]byte, error) { return f.members().encode() }

// result is the edit as the result of a tool call has it.
func (f FileEdit) result() encoder {
	e := f.members()
	e["type"] = "fileEdit"
	return e
}

func (e encoder) setText(key string, t *Text) {
	if t != nil {
		e[key] = t
	}
}

// toolCall reads a call, nil if nothing identifies it.
func (d chatDecoder) toolCall() *ToolCall {
	if !d.object() {
		return nil
	}
	c := &ToolCall{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		if !d.callMember(c, key) {
			d.skip()
		}
	}
	if c.ID == "" {
		d.missing("toolCallId")
		return nil
	}
	return c
}

// callMember reads one member of a call, of an action about one, or of the
// result in one; false if it is none.
func (d chatDecoder) callMember(c *ToolCall, key []byte) bool {
	switch string(key) {
	case "toolCallId":
		c.ID = d.str()
		d.named(c.ID)
	case "toolName":
		c.Name = d.common()
	case "displayName":
		c.DisplayName = d.common()
	case "intention":
		c.Intention = d.str()
	case "status":
		c.Status = d.common()
	case "invocationMessage":
		c.Message = d.optText()
	case "toolInput", "partialInput":
		c.Input = d.str()
	case "confirmationTitle":
		c.Title = d.optText()
	case "edits":
		c.Edits = d.edits()
	case "editable":
		c.Editable = d.bool()
	case "options":
		c.Options = d.options()
	case "confirmed":
		c.Confirmed = d.common()
	case "selectedOption":
		c.Selected = d.option()
	case "reason":
		c.Reason = d.common()
	case "reasonMessage":
		c.ReasonMessage = d.optText()
	case "userSuggestion":
		c.Suggestion = d.suggestionText()
	case "contributor":
		c.Contributor, c.ContributorID = d.contributor()
	default:
		return d.resultMember(c, key)
	}
	return true
}

// resultMember reads one member of a call's result; false if it is none.
func (d chatDecoder) resultMember(c *ToolCall, key []byte) bool {
	switch string(key) {
	case "success":
		c.Success = d.bool()
	case "pastTenseMessage":
		c.Outcome = d.optText()
	case "content":
		c.Wrote = d.written()
	case "error":
		if e := d.errorInfo(); e != nil {
			c.Error = e.Message
		}
	default:
		return false
	}
	return true
}

// suggestionText reads a message, or its bare text, which the reference host
// takes too.
func (d chatDecoder) suggestionText() string {
	if d.peek() == '"' {
		return d.str()
	}
	return d.message()
}

func (d chatDecoder) contributor() (kind, id string) {
	if !d.object() {
		return "", ""
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "kind":
			kind = d.common()
		case "clientId":
			id = d.str()
		default:
			d.skip()
		}
	}
	return kind, id
}

func (d chatDecoder) edits() (edits []FileEdit) {
	if !d.object() {
		return nil
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) != "items" || !d.array() {
			d.skip()
			continue
		}
		edits = []FileEdit{}
		for d.elem() {
			if e, ok := d.fileEdit(); ok {
				edits = append(edits, e)
			}
		}
	}
	return edits
}

func (d chatDecoder) fileEdit() (FileEdit, bool) {
	f := &ChangesetFile{}
	d.edit(f)
	f.complete()
	return FileEdit{Before: f.Before, After: f.After, Added: f.Added, Removed: f.Removed}, f.ID != ""
}

// written reads the edits among the contents of a result.
func (d chatDecoder) written() (edits []FileEdit) {
	if !d.array() {
		return nil
	}
	for d.elem() {
		if d.peek() != '{' {
			d.skip()
			continue
		}
		raw := d.raw()
		var kind string
		d.inside(raw, func() {
			o, _ := d.rawObject()
			d.with(o, "type", func() { kind = d.common() })
		})
		if kind != "fileEdit" {
			continue
		}
		d.inside(raw, func() {
			if e, ok := d.fileEdit(); ok {
				edits = append(edits, e)
			}
		})
	}
	return edits
}

func (d chatDecoder) options() (options []ConfirmationOption) {
	if !d.array() {
		return nil
	}
	for d.elem() {
		if o := d.option(); o != nil {
			options = append(options, *o)
		}
	}
	return options
}

func (d chatDecoder) option() *ConfirmationOption {
	if !d.object() {
		return nil
	}
	o := &ConfirmationOption{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			o.ID = d.str()
		case "label":
			o.Label = d.str()
		case "kind":
			o.Kind = d.common()
		case "group":
			o.Group = d.int()
		default:
			d.skip()
		}
	}
	if o.ID == "" {
		d.missing("id")
		return nil
	}
	return o
}
