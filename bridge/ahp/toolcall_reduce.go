package ahp

import "slices"

// Each of these is one step of a tool call: it returns the call as it is then,
// or the call itself where the step does not fit its status.

// delta is more of the input that the agent is writing.
func (c *ToolCall) delta(m *chatAction) *ToolCall {
	if c.Status != CallStreaming {
		return c
	}
	next := *c
	next.Input += m.text
	if m.has["invocationMessage"] {
		next.Message = m.call.Message
	}
	return &next
}

// ready: the input is complete. The call runs, or waits for a person; one that
// runs can come to wait again.
func (c *ToolCall) ready(m *chatAction) *ToolCall {
	if c.Status != CallStreaming && c.Status != CallRunning && c.Status != CallPendingConfirmation {
		return c
	}
	next := c.identity()
	next.Message, next.Input = m.call.Message, m.call.Input
	if m.has["intention"] {
		next.Intention = m.call.Intention
	}
	if m.call.Confirmed != "" {
		next.Status, next.Confirmed = CallRunning, m.call.Confirmed
		return next
	}
	next.Status = CallPendingConfirmation
	next.Title, next.Edits, next.Editable, next.Options = m.call.Title, m.call.Edits, m.call.Editable, m.call.Options
	if c.Status != CallPendingConfirmation {
		return next
	}
	// What is asked again without being repeated stays.
	if !m.has["toolInput"] {
		next.Input = c.Input
	}
	if !m.has["confirmationTitle"] {
		next.Title = c.Title
	}
	if !m.has["edits"] {
		next.Edits = c.Edits
	}
	if !m.has["editable"] {
		next.Editable = c.Editable
	}
	if !m.has["options"] {
		next.Options = c.Options
	}
	return next
}

// confirmedBy is a person's answer.
func (c *ToolCall) confirmedBy(m *chatAction) *ToolCall {
	if c.Status != CallPendingConfirmation {
		return c
	}
	next := c.identity()
	next.Message, next.Input = c.Message, c.Input
	if i := slices.IndexFunc(c.Options, func(o ConfirmationOption) bool { return o.ID == m.option }); i >= 0 {
		selected := c.Options[i]
		next.Selected = &selected
	}
	if !m.approved {
		next.Status, next.Reason = CallCancelled, m.call.Reason
		next.ReasonMessage, next.Suggestion = m.call.ReasonMessage, m.call.Suggestion
		return next
	}
	next.Status, next.Confirmed = CallRunning, m.call.Confirmed
	if m.edited != nil {
		next.Input = *m.edited
	}
	return next
}

// complete: the tool has returned.
func (c *ToolCall) complete(m *chatAction) *ToolCall {
	switch {
	case c.Status == CallAuthRequired && m.call.Success:
		return c // it never went on
	case c.Status != CallRunning && c.Status != CallPendingConfirmation && c.Status != CallAuthRequired:
		return c
	}
	next := c.identity()
	next.Message, next.Input, next.Confirmed, next.Selected = c.Message, c.Input, c.Confirmed, c.Selected
	if c.Status == CallPendingConfirmation {
		next.Confirmed = "not-needed"
	}
	next.Success, next.Outcome, next.Error, next.Wrote = m.call.Success, m.call.Outcome, m.call.Error, m.call.Wrote
	if c.Status == CallAuthRequired && next.Wrote == nil {
		next.Wrote = c.Wrote
	}
	next.Status = CallCompleted
	if m.review && c.Status != CallAuthRequired {
		next.Status = CallPendingResult
	}
	return next
}

// resultConfirmed is a person's verdict on the result.
func (c *ToolCall) resultConfirmed(m *chatAction) *ToolCall {
	if c.Status != CallPendingResult {
		return c
	}
	if !m.approved {
		return c.cancelled("result-denied")
	}
	next := *c
	next.Status = CallCompleted
	return &next
}

// contentChanged replaces what a running tool has returned so far.
func (c *ToolCall) contentChanged(m *chatAction) *ToolCall {
	if c.Status != CallRunning {
		return c
	}
	next := *c
	next.Wrote = m.call.Wrote
	return &next
}

func (c *ToolCall) authRequired(*chatAction) *ToolCall {
	if c.Status != CallRunning || c.Contributor != "mcp" {
		return c
	}
	next := *c
	next.Status = CallAuthRequired
	return &next
}

func (c *ToolCall) authResolved(*chatAction) *ToolCall {
	if c.Status != CallAuthRequired {
		return c
	}
	next := *c
	next.Status = CallRunning
	return &next
}

// cancelled is the call after it was given up.
func (c *ToolCall) cancelled(reason string) *ToolCall {
	next := c.identity()
	next.Status, next.Reason, next.Message, next.Selected = CallCancelled, reason, c.Message, c.Selected
	if c.Status != CallStreaming {
		next.Input = c.Input
	}
	return next
}

// identity is the call with nothing but what never changes.
func (c *ToolCall) identity() *ToolCall {
	return &ToolCall{
		ID: c.ID, Name: c.Name, DisplayName: c.DisplayName, Intention: c.Intention,
		Contributor: c.Contributor, ContributorID: c.ContributorID,
	}
}
