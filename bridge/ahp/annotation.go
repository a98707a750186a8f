package ahp

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Annotation is a review thread anchored to a file, or to a range of it
// (specification: Annotations). A nil Range means the whole file.
//
// Up to 0.8 the turn that produced the file version is TurnID, from 0.9 it is
// in Origin; hosts send either, both or neither.
type Annotation struct {
	ID       string
	TurnID   *string // nil: absent. The agent's own carry "".
	Origin   *Origin
	Resource string // as the host wrote it: a URI, at times a plain path
	Range    *Range
	Resolved bool
	Entries  []Entry
	Meta     json.RawMessage // the object under _meta, verbatim

	extra map[string]json.RawMessage
}

// Origin says where an annotation comes from (0.9 and later).
type Origin struct {
	Session string `json:"session"`
	Chat    string `json:"chat,omitempty"`
	TurnID  string `json:"turnId,omitempty"`
}

// Entry is one contribution to a thread.
type Entry struct {
	ID   string
	Text Text
	Meta json.RawMessage

	extra map[string]json.RawMessage
}

// Turn returns the id of the turn the annotation belongs to, "" if unknown.
func (a *Annotation) Turn() string {
	if a.Origin != nil && a.Origin.TurnID != "" {
		return a.Origin.TurnID
	}
	if a.TurnID != nil {
		return *a.TurnID
	}
	return ""
}

// Clone returns a copy that may be changed before it is shared. Entries are
// copied, the raw members are not: they are never written to.
func (a *Annotation) Clone() *Annotation {
	c := *a
	c.Entries = slices.Clone(a.Entries)
	return &c
}

// MarshalJSON writes the annotation with the members it was read with.
func (a *Annotation) MarshalJSON() ([]byte, error) {
	e := newEncoder(a.extra)
	e["id"] = a.ID
	e["resource"] = a.Resource
	e["resolved"] = a.Resolved
	entries := a.Entries
	if entries == nil {
		entries = []Entry{}
	}
	e["entries"] = entries
	if a.TurnID != nil {
		e["turnId"] = *a.TurnID
	}
	if a.Origin != nil {
		e["origin"] = a.Origin
	}
	if a.Range != nil {
		e["range"] = a.Range
	}
	e.setRaw("_meta", a.Meta)
	return e.encode()
}

// MarshalJSON writes the entry with the members it was read with.
func (en Entry) MarshalJSON() ([]byte, error) {
	e := newEncoder(en.extra)
	e["id"] = en.ID
	e["text"] = en.Text
	e.setRaw("_meta", en.Meta)
	return e.encode()
}

// DecodeAnnotation reads one annotation. It is nil only if there is no object
// with an id; every other fault is in the error, of type Problems.
func DecodeAnnotation(data []byte) (*Annotation, error) {
	var d decoder
	a := d.annotation("annotation", data)
	return a, d.err()
}

func (d *decoder) annotation(path string, data []byte) *Annotation {
	o, ok := d.object(path, data)
	if !ok {
		if isNull(data) {
			d.problem("%s: missing", path)
		}
		return nil
	}
	a := &Annotation{}
	if a.ID = d.str(o, path, "id"); a.ID == "" {
		d.problem("%s.id: missing", path)
		return nil
	}
	path = fmt.Sprintf("%s %q", path, a.ID)
	if turn, ok := d.optStr(o, path, "turnId"); ok {
		a.TurnID = &turn
	}
	a.Origin = d.origin(path, o.take("origin"))
	if a.Resource = d.str(o, path, "resource"); a.Resource == "" {
		d.problem("%s.resource: missing", path)
	}
	a.Range = d.textRange(path+".range", o.take("range"))
	a.Resolved = d.bool(o, path, "resolved")
	entries, _ := d.array(path+".entries", o.take("entries"))
	if len(entries) == 0 {
		d.problem("%s.entries: empty", path)
	}
	for i, raw := range entries {
		if e, ok := d.entry(fmt.Sprintf("%s.entries[%d]", path, i), raw); ok {
			a.Entries = append(a.Entries, e)
		}
	}
	a.Meta = o.take("_meta")
	a.extra = o.rest()
	return a
}

func (d *decoder) origin(path string, data []byte) *Origin {
	o, ok := d.object(path+".origin", data)
	if !ok {
		return nil
	}
	return &Origin{
		Session: d.str(o, path+".origin", "session"),
		Chat:    d.str(o, path+".origin", "chat"),
		TurnID:  d.str(o, path+".origin", "turnId"),
	}
}

func (d *decoder) entry(path string, data []byte) (Entry, bool) {
	o, ok := d.object(path, data)
	if !ok {
		return Entry{}, false
	}
	e := Entry{ID: d.str(o, path, "id"), Text: d.text(path+".text", o.take("text")), Meta: o.take("_meta")}
	e.extra = o.rest()
	return e, true
}
