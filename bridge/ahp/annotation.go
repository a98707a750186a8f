package ahp

import (
	"encoding/json"
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

	extra  map[string]json.RawMessage
	source *annotationSource
	memo   *feedbackMemo // shared with clones; nil in one that was made by hand
}

// annotationSource is the text of the members that have members we do not know;
// it is written back as long as the value is the one that was read.
type annotationSource struct {
	originText, rangeText json.RawMessage
	origin                Origin
	rng                   Range
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

	extra  map[string]json.RawMessage
	source *entrySource
}

// entrySource is to an entry's text what annotationSource is to a range.
type entrySource struct {
	raw  json.RawMessage
	text Text
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

// Clone returns a copy that may be changed before it is shared, in every
// exported member but the bytes of Meta: replace those as a whole.
func (a *Annotation) Clone() *Annotation {
	c := *a
	c.TurnID, c.Origin, c.Range = copied(a.TurnID), copied(a.Origin), copied(a.Range)
	c.Entries = slices.Clone(a.Entries)
	return &c
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
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
		if a.source != nil && a.source.originText != nil && *a.Origin == a.source.origin {
			e["origin"] = a.source.originText
		}
	}
	if a.Range != nil {
		e["range"] = a.Range
		if a.source != nil && a.source.rangeText != nil && *a.Range == a.source.rng {
			e["range"] = a.source.rangeText
		}
	}
	e.setRaw("_meta", a.Meta)
	return e.encode()
}

// MarshalJSON writes the entry with the members it was read with.
func (en Entry) MarshalJSON() ([]byte, error) {
	e := newEncoder(en.extra)
	e["id"] = en.ID
	e["text"] = en.Text
	if en.source != nil && en.Text == en.source.text {
		e["text"] = en.source.raw
	}
	e.setRaw("_meta", en.Meta)
	return e.encode()
}

// DecodeAnnotation reads one annotation. It is nil only if there is no object
// with an id; every other fault is in the error, of type Problems.
func DecodeAnnotation(data []byte) (*Annotation, error) {
	d := newDecoder("annotation", data)
	a := d.annotation()
	ok, err := d.finish()
	if !ok {
		return nil, err
	}
	return a, err
}

// annotation reads one annotation, nil if it has no id: it could be neither
// shown as one nor acted on.
func (d *decoder) annotation() *Annotation {
	if c := d.peek(); c == 'n' || c == 0 {
		d.problem("missing")
	}
	if !d.object() {
		return nil
	}
	a, source := &Annotation{}, annotationSource{}
	hasResource := false
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			a.ID = d.str()
			d.named(a.ID)
		case "turnId":
			a.TurnID = nil
			if turn, ok := d.optCommon(); ok {
				a.TurnID = &turn
			}
		case "origin":
			a.Origin, source.originText = d.readOrigin()
		case "resource":
			a.Resource, hasResource = d.optCommon()
		case "range":
			a.Range, source.rangeText = d.textRange()
		case "resolved":
			a.Resolved = d.bool()
		case "entries":
			a.Entries = d.entries()
		case "_meta":
			a.Meta, a.memo = d.keep(), &feedbackMemo{}
		default:
			d.other(&a.extra, key)
		}
	}
	if a.ID == "" {
		d.missing("id")
		return nil
	}
	if !hasResource {
		d.missing("resource")
	}
	if len(a.Entries) == 0 {
		d.note(".entries", "none")
	}
	a.setSource(source)
	return a
}

// setSource remembers the texts that go with the values just read.
func (a *Annotation) setSource(s annotationSource) {
	a.source = nil
	if s.originText == nil && s.rangeText == nil {
		return
	}
	if a.Origin != nil {
		s.origin = *a.Origin
	}
	if a.Range != nil {
		s.rng = *a.Range
	}
	a.source = &s
}

// readOrigin reads where an annotation comes from. source is its text if that
// says more.
func (d *decoder) readOrigin() (o *Origin, source json.RawMessage) {
	d.peek()
	from, problems := d.i, len(d.problems)+d.more
	if !d.object() {
		return nil, nil
	}
	var read Origin
	odd, hasSession := false, false
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "session":
			read.Session, hasSession = d.optCommon()
		case "chat":
			read.Chat = d.common()
			odd = odd || read.Chat == ""
		case "turnId":
			read.TurnID = d.common()
			odd = odd || read.TurnID == ""
		default:
			odd = true
			d.skip()
		}
	}
	if odd = odd || !hasSession; odd && !d.broken && problems == len(d.problems)+d.more {
		source = clone(d.data[from:d.i])
	}
	// Most annotations of a channel have the same one.
	if d.origin == nil || *d.origin != read {
		own := read
		d.origin = &own
	}
	return d.origin, source
}

func (d *decoder) entries() []Entry {
	if !d.array() {
		return nil
	}
	var out []Entry
	for d.elem() {
		if e, ok := d.entry(); ok {
			out = append(out, e)
		}
	}
	return out
}

func (d *decoder) entry() (e Entry, ok bool) {
	if !d.object() {
		return Entry{}, false
	}
	hasText := false
	var source json.RawMessage
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			e.ID = d.str()
			d.named(e.ID)
		case "text":
			e.Text, source = d.text()
			hasText = true
		case "_meta":
			e.Meta = d.keep()
		default:
			d.other(&e.extra, key)
		}
	}
	if e.ID == "" {
		d.missing("id")
	}
	if !hasText {
		d.missing("text")
	}
	if source != nil {
		e.source = &entrySource{raw: source, text: e.Text}
	}
	return e, true
}
