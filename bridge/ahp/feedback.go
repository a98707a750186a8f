package ahp

import (
	"encoding/json"
	"sync/atomic"
)

// FeedbackKey is the member of an annotation's (and an entry's) _meta under
// which the reference host keeps its review semantics. An annotation without
// it is invisible to that host's UI and to its agent.
const FeedbackKey = "vscode.agentFeedback"

// Feedback is what stands under FeedbackKey in an annotation's _meta.
type Feedback struct {
	Kind          string      `json:"kind,omitempty"`  // user, codeReview, prReview
	State         string      `json:"state,omitempty"` // created, accepted, submitted, resolved
	Session       string      `json:"sessionResource,omitempty"`
	CodeSelection string      `json:"codeSelection,omitempty"` // the quoted text
	Suggestion    *Suggestion `json:"suggestion,omitempty"`
}

// States of a feedback annotation. One in FeedbackCreated was written by an
// agent and not accepted by a person: the agent itself does not see it yet.
const (
	FeedbackCreated   = "created"
	FeedbackAccepted  = "accepted"
	FeedbackSubmitted = "submitted"
	FeedbackResolved  = "resolved"
)

// Suggestion is a change proposed by a comment.
type Suggestion struct {
	Edits []SuggestedEdit `json:"edits"`
}

// SuggestedEdit replaces OldText at Range by NewText.
type SuggestedEdit struct {
	Range   EditorRange `json:"range"`
	NewText string      `json:"newText"`
	OldText string      `json:"oldText"`
}

// EditorRange is VS Code's IRange: one-based lines and UTF-16 columns, end
// exclusive.
type EditorRange struct {
	StartLine   int `json:"startLineNumber"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLineNumber"`
	EndColumn   int `json:"endColumn"`
}

// Range returns r zero-based, in this protocol's own form.
func (r EditorRange) Range() Range {
	return Range{
		Start: Position{Line: r.StartLine - 1, Character: r.StartColumn - 1},
		End:   Position{Line: r.EndLine - 1, Character: r.EndColumn - 1},
	}
}

// Feedback reads the reference host's metadata; ok is false if there is none.
// It is decoded on demand: only annotations that are shown need it.
// It is kept for the next time; callers must not change what it points to.
func (a *Annotation) Feedback() (f Feedback, ok bool) {
	if len(a.Meta) == 0 {
		return Feedback{}, false
	}
	if a.memo != nil {
		if m := a.memo.Load(); m != nil && m.of == &a.Meta[0] {
			return m.feedback, m.ok
		}
	}
	if raw := feedbackMember(a.Meta); raw != nil {
		f, ok = newDecoder("feedback", raw).feedback(), true
	}
	if a.memo != nil {
		a.memo.Store(&decodedFeedback{of: &a.Meta[0], feedback: f, ok: ok})
	}
	return f, ok
}

// feedbackMemo keeps what Feedback decoded. Annotations are shared by
// goroutines; the first one to ask fills it in.
type feedbackMemo = atomic.Pointer[decodedFeedback]

type decodedFeedback struct {
	of       *byte // the first of the bytes it was decoded from: they are replaced, never changed
	feedback Feedback
	ok       bool
}

// ByAgent reports whether the entry says that an agent wrote it.
func (e Entry) ByAgent() bool { return e.Author() == "agent" }

// Author is the author named in the entry's metadata, "" if there is none.
func (e Entry) Author() (name string) {
	raw := feedbackMember(e.Meta)
	if raw == nil {
		return ""
	}
	d := newDecoder("feedback", raw)
	if !d.object() {
		return ""
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) == "author" {
			name = d.str()
		} else {
			d.skip()
		}
	}
	return name
}

// feedbackMember is the text of the feedback in a _meta, nil if there is none.
func feedbackMember(meta json.RawMessage) (member json.RawMessage) {
	if len(meta) == 0 {
		return nil
	}
	d := newDecoder("_meta", meta)
	if !d.object() {
		return nil
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) == FeedbackKey {
			member = d.raw()
		} else {
			d.skip()
		}
	}
	if !d.end() || isNull(member) {
		return nil
	}
	return member
}

// feedback reads what stands under FeedbackKey. A member of the wrong type
// leaves the others filled in.
func (d *decoder) feedback() (f Feedback) {
	if !d.object() {
		return f
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "kind":
			f.Kind = d.str()
		case "state":
			f.State = d.str()
		case "sessionResource":
			f.Session = d.str()
		case "codeSelection":
			f.CodeSelection = d.str()
		case "suggestion":
			f.Suggestion = d.suggestion()
		default:
			d.skip()
		}
	}
	return f
}

// suggestion reads a proposed change, nil unless all of it can be read: half of
// it, or at another place, is not what was proposed.
func (d *decoder) suggestion() *Suggestion {
	if !d.object() {
		return nil
	}
	var s *Suggestion
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) == "edits" {
			s = d.suggestedEdits()
		} else {
			d.skip()
		}
	}
	return s
}

func (d *decoder) suggestedEdits() *Suggestion {
	if !d.array() {
		return nil
	}
	s, sound := &Suggestion{}, true
	for d.elem() {
		e, ok := d.suggestedEdit()
		s.Edits, sound = append(s.Edits, e), sound && ok
	}
	if !sound {
		return nil
	}
	return s
}

// suggestedEdit reads one edit; an absent oldText is the empty one.
func (d *decoder) suggestedEdit() (e SuggestedEdit, ok bool) {
	if !d.object() {
		return e, false
	}
	hasRange, hasNew, oldText := false, false, true
	for key, more := d.next(); more; key, more = d.next() {
		switch string(key) {
		case "range":
			e.Range, hasRange = d.editorRange()
		case "newText":
			e.NewText, hasNew = d.optStr()
		case "oldText":
			null := d.peek() == 'n'
			e.OldText, oldText = d.optStr()
			oldText = oldText || null
		default:
			d.skip()
		}
	}
	return e, hasRange && hasNew && oldText
}

func (d *decoder) editorRange() (r EditorRange, ok bool) {
	if !d.object() {
		return r, false
	}
	for key, more := d.next(); more; key, more = d.next() {
		switch string(key) {
		case "startLineNumber":
			r.StartLine = d.int()
		case "startColumn":
			r.StartColumn = d.int()
		case "endLineNumber":
			r.EndLine = d.int()
		case "endColumn":
			r.EndColumn = d.int()
		default:
			d.skip()
		}
	}
	// They count from one.
	return r, min(r.StartLine, r.StartColumn, r.EndLine, r.EndColumn) > 0
}

// WithFeedbackState returns a copy of a whose metadata has the state; every
// other member of the metadata stays as it was.
func (a *Annotation) WithFeedbackState(state string) *Annotation {
	next := a.Clone()
	next.Meta = setFeedback(a.Meta, map[string]any{"state": state})
	return next
}

// NewFeedback builds the _meta of an annotation that a person wrote, so that
// the reference host's agent can see it.
func NewFeedback(session, codeSelection string) json.RawMessage {
	m := map[string]any{"kind": "user", "state": FeedbackSubmitted, "sessionResource": session}
	if codeSelection != "" {
		m["codeSelection"] = codeSelection
	}
	return setFeedback(nil, m)
}

func setFeedback(meta json.RawMessage, members map[string]any) json.RawMessage {
	outer, ok := parseObject(meta)
	if !ok {
		outer = object{}
	}
	inner, ok := parseObject(outer[FeedbackKey])
	if !ok {
		inner = object{}
	}
	for k, v := range members {
		raw, err := Marshal(v)
		if err != nil {
			continue // strings only: cannot happen
		}
		inner[k] = raw
	}
	raw, err := Marshal(inner)
	if err != nil {
		return meta
	}
	outer[FeedbackKey] = raw
	out, err := Marshal(outer)
	if err != nil {
		return meta
	}
	return out
}

// AgentEntryMeta is the _meta of an entry that an agent wrote.
func AgentEntryMeta() json.RawMessage {
	return setFeedback(nil, map[string]any{"author": "agent"})
}

// ByAgent returns a as a comment that an agent made: of the kind codeReview,
// not accepted by a person yet.
func ByAgent(a *Annotation) *Annotation {
	next := a.Clone()
	next.Meta = setFeedback(a.Meta, map[string]any{"kind": "codeReview", "state": FeedbackCreated})
	for i := range next.Entries {
		next.Entries[i].Meta = setFeedback(next.Entries[i].Meta, map[string]any{"author": "agent"})
	}
	return next
}
