package session

import (
	"encoding/json"
	"fmt"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// checkAnnotation says why an action on annotations is not taken, "" if it is.
// Other hosts take everything, and their clients then meet annotations that have
// no entries or lie nowhere. What names an annotation that is not there is taken
// where the specification's reducers ignore it, but for an entry: its text would be
// lost without a word.
func checkAnnotation(b *Batch, a ahp.Action) string {
	m := wire.Parse(a.Raw)
	switch a.Type {
	case ahp.TypeAnnotationsSet:
		return checkSet(m)
	case ahp.TypeAnnotationsUpdated, ahp.TypeAnnotationsRemoved, ahp.TypeAnnotationsEntrySet, ahp.TypeAnnotationsEntryRemoved:
	case "":
		return "the action has no type"
	default:
		return fmt.Sprintf("%s is no action of an annotations channel", a.Type)
	}
	id := wire.Text(m["annotationId"])
	if id == "" {
		return "the action names no annotation: annotationId is missing"
	}
	known := b.annotation(id)
	if known == nil {
		if a.Type != ahp.TypeAnnotationsEntrySet {
			return ""
		}
		return fmt.Sprintf("the annotation %q does not exist (any more)", id)
	}
	switch a.Type {
	case ahp.TypeAnnotationsUpdated:
		if r, ok := m["range"]; ok && string(r) != "null" {
			if why := checkRange(r); why != "" {
				return why
			}
		}
		if r, ok := m["resource"]; ok && wire.Text(r) == "" {
			return "resource names no file"
		}
		if r, ok := m["resolved"]; ok && string(r) != "true" && string(r) != "false" {
			return "resolved is neither true nor false"
		}
	case ahp.TypeAnnotationsEntrySet:
		return checkEntry(m["entry"])
	case ahp.TypeAnnotationsEntryRemoved:
		if wire.Text(m["entryId"]) == "" {
			return "the action names no entry: entryId is missing"
		}
	}
	return ""
}

func checkSet(m wire.Members) string {
	raw, ok := m["annotation"]
	if !ok || len(raw) == 0 || raw[0] != '{' {
		return "the action has no annotation"
	}
	a := wire.Parse(raw)
	if wire.Text(a["id"]) == "" {
		return "the annotation has no id"
	}
	if wire.Text(a["resource"]) == "" {
		return "the annotation names no file: resource is missing"
	}
	if r, ok := a["range"]; ok && string(r) != "null" {
		if why := checkRange(r); why != "" {
			return why
		}
	}
	var entries []json.RawMessage
	if json.Unmarshal(a["entries"], &entries) != nil || len(entries) == 0 {
		return "the annotation has no entries"
	}
	taken := map[string]bool{}
	for _, e := range entries {
		if why := checkEntry(e); why != "" {
			return why
		}
		id := wire.Text(wire.Parse(e)["id"])
		if taken[id] {
			return fmt.Sprintf("two entries have the id %q", id)
		}
		taken[id] = true
	}
	if _, err := ahp.DecodeAnnotation(raw); err != nil {
		return "it cannot be read in full: " + err.Error()
	}
	return ""
}

func checkEntry(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '{' {
		return "the action has no entry"
	}
	e := wire.Parse(raw)
	if wire.Text(e["id"]) == "" {
		return "the entry has no id"
	}
	if t := e["text"]; len(t) > 0 && t[0] == '"' {
		return ""
	}
	if md := wire.Parse(e["text"])["markdown"]; len(md) > 0 && md[0] == '"' {
		return ""
	}
	return "the entry has no text: neither a string nor {markdown}"
}

// checkRange says what is wrong with a range, which must be there as a whole.
func checkRange(raw json.RawMessage) string {
	var r struct {
		Start, End *struct{ Line, Character *int }
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "the range cannot be read: lines and characters are whole numbers"
	}
	switch {
	case r.Start == nil || r.Start.Line == nil || r.Start.Character == nil:
		return "the range has no start with line and character"
	case r.End == nil || r.End.Line == nil || r.End.Character == nil:
		return "the range has no end with line and character"
	}
	return badRange(ahp.Range{
		Start: ahp.Position{Line: *r.Start.Line, Character: *r.Start.Character},
		End:   ahp.Position{Line: *r.End.Line, Character: *r.End.Character},
	})
}

func badRange(r ahp.Range) string {
	s, e := r.Start, r.End
	switch {
	case s.Line < 0 || s.Character < 0 || e.Line < 0 || e.Character < 0:
		return fmt.Sprintf("range %d:%d to %d:%d is negative: lines and characters are counted from 0", s.Line, s.Character, e.Line, e.Character)
	case e.Line < s.Line || e.Line == s.Line && e.Character < s.Character:
		return fmt.Sprintf("range ends (%d:%d) before it starts (%d:%d)", e.Line, e.Character, s.Line, s.Character)
	}
	return ""
}
