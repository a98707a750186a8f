package ahp

import "slices"

// Kinds of requests for input. Others may come.
const (
	InputToolConfirmation    = "toolConfirmation"
	InputChat                = "chatInput"
	InputToolClientExecution = "toolClientExecution" // a client has to run a tool, nobody has to answer
	InputToolAuthentication  = "toolAuthentication"
)

// InputNeeded is something that a session's agent waits for (specification:
// SessionInputRequest). It is immutable.
type InputNeeded struct {
	ID     string
	Kind   string
	Chat   string // URI
	TurnID string
	Call   *ToolCall  // nil for InputChat
	Form   *InputForm // nil but for InputChat

	raw object
}

// ofPerson reports whether somebody has to answer.
func (n InputNeeded) ofPerson() bool { return n.Kind != InputToolClientExecution }

// inputNeeded reads a request; ok is false if nothing identifies it.
func (d chatDecoder) inputNeeded() (n InputNeeded, ok bool) {
	o, ok := d.rawObject()
	if !ok {
		return n, false
	}
	n.raw = o
	d.with(o, "id", func() { n.ID = d.str() })
	d.with(o, "kind", func() { n.Kind = d.str() })
	d.with(o, "chat", func() { n.Chat = d.str() })
	d.with(o, "turnId", func() { n.TurnID = d.str() })
	d.with(o, "toolCall", func() { n.Call = d.toolCall() })
	d.with(o, "request", func() { n.Form = d.inputForm() })
	if n.ID == "" {
		d.missing("id")
		return n, false
	}
	return n, true
}

func (d chatDecoder) inputsNeeded() (out []InputNeeded, present bool) {
	if !d.array() {
		return nil, false
	}
	seen := map[string]int{}
	for d.elem() {
		n, ok := d.inputNeeded()
		if !ok {
			continue
		}
		if i, twice := seen[n.ID]; twice {
			out[i] = n
			continue
		}
		seen[n.ID] = len(out)
		out = append(out, n)
	}
	return out, true
}

func (s *Session) setInputNeeded(n InputNeeded) {
	s.InputNeeded = slices.Clone(s.InputNeeded)
	if i := s.inputIndex(n.ID); i >= 0 {
		s.InputNeeded[i] = n
	} else {
		s.InputNeeded = append(s.InputNeeded, n)
	}
	s.reflectInput()
}

func (s *Session) removeInputNeeded(id string) bool {
	i := s.inputIndex(id)
	if i < 0 {
		return false
	}
	s.InputNeeded = slices.Concat(s.InputNeeded[:i], s.InputNeeded[i+1:])
	s.reflectInput()
	return true
}

func (s *Session) inputIndex(id string) int {
	return slices.IndexFunc(s.InputNeeded, func(n InputNeeded) bool { return n.ID == id })
}

// reflectInput brings the status in line with what is waited for: a session
// that waits is in progress as well.
func (s *Session) reflectInput() {
	const activity = 1<<5 - 1
	if slices.ContainsFunc(s.InputNeeded, InputNeeded.ofPerson) {
		s.Status = s.Status&^activity | StatusInProgress | StatusInputNeeded
	} else {
		s.Status &^= StatusInputNeeded
	}
}
