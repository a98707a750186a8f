package ahp

import "encoding/json"

// Annotations is the state of a session's annotations channel
// (<session>/annotations). Order is the order of creation. Look-up, change and
// removal by id cost the same in a channel of a hundred and of a hundred
// thousand: removed items leave a hole, and the holes are closed when half of
// the places are holes.
//
// The zero value is an empty state.
type Annotations struct {
	items []*Annotation // nil: a hole
	index map[string]int
	extra map[string]json.RawMessage
}

// NewAnnotations returns an empty state.
func NewAnnotations() *Annotations { return &Annotations{} }

// DecodeAnnotations reads a snapshot's state. It is never nil; what could not
// be read is left out and described in the error, of type Problems.
func DecodeAnnotations(data []byte) (*Annotations, error) {
	s := NewAnnotations()
	if isNull(data) {
		return s, nil
	}
	d := newDecoder("annotations state", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			if string(key) == "annotations" {
				d.annotations(s)
			} else {
				d.other(&s.extra, key)
			}
		}
	}
	ok, err := d.finish()
	if !ok {
		return NewAnnotations(), err
	}
	return s, err
}

func (d *decoder) annotations(s *Annotations) {
	s.items, s.index = nil, nil
	if !d.array() {
		return
	}
	var items []*Annotation
	for d.elem() {
		if a := d.annotation(); a != nil {
			items = append(items, a)
		}
	}
	s.items = make([]*Annotation, 0, len(items))
	s.index = make(map[string]int, len(items))
	for _, a := range items {
		if s.Get(a.ID) != nil {
			d.problem("two have the id %q, the last one counts", short(a.ID))
		}
		s.Set(a)
	}
}

// MarshalJSON writes the state as a snapshot has it.
func (s *Annotations) MarshalJSON() ([]byte, error) {
	e := newEncoder(s.extra)
	items := make([]*Annotation, 0, len(s.index))
	for a := range s.All() {
		items = append(items, a)
	}
	e["annotations"] = items
	return e.encode()
}

// Len is the number of annotations.
func (s *Annotations) Len() int { return len(s.index) }

// Get returns the annotation with the id, or nil.
func (s *Annotations) Get(id string) *Annotation {
	if i, ok := s.index[id]; ok {
		return s.items[i]
	}
	return nil
}

// All yields the annotations in order. The state may be changed meanwhile: an
// annotation that is removed before its turn may still be yielded.
func (s *Annotations) All() func(yield func(*Annotation) bool) {
	return func(yield func(*Annotation) bool) {
		for _, a := range s.items {
			if a != nil && !yield(a) {
				return
			}
		}
	}
}

// Set puts a in the place of the annotation with its id, or at the end.
func (s *Annotations) Set(a *Annotation) {
	if i, ok := s.index[a.ID]; ok {
		s.items[i] = a
		return
	}
	if s.index == nil {
		s.index = map[string]int{}
	}
	s.index[a.ID] = len(s.items)
	s.items = append(s.items, a)
}

// Remove takes the annotation with the id out; an unknown id changes nothing.
func (s *Annotations) Remove(id string) {
	i, ok := s.index[id]
	if !ok {
		return
	}
	delete(s.index, id)
	s.items[i] = nil
	if len(s.items) < 32 || len(s.index)*2 >= len(s.items) {
		return
	}
	// Not in place: someone may be in the middle of All.
	live := make([]*Annotation, 0, len(s.index))
	for _, a := range s.items {
		if a != nil {
			s.index[a.ID] = len(live)
			live = append(live, a)
		}
	}
	s.items = live
}

// Apply reduces one action into the state and returns the id of the annotation
// it is about, "" if it changed nothing. The error, of type Problems, says what
// of the action could not be read; what could be read has been applied.
func (s *Annotations) Apply(a Action) (id string, err error) {
	id, change, err := DecodeAnnotationChange(a)
	if change == nil {
		return "", err
	}
	old := s.Get(id)
	next := change(old)
	switch {
	case next == old:
		return "", err
	case next == nil:
		s.Remove(id)
	default:
		s.Set(next)
	}
	return id, err
}

// annotationActions are the actions that are mirrored.
var annotationActions = map[string]bool{
	TypeAnnotationsSet: true, TypeAnnotationsUpdated: true, TypeAnnotationsRemoved: true,
	TypeAnnotationsEntrySet: true, TypeAnnotationsEntryRemoved: true,
}

// DecodeAnnotationChange reads an annotations/* action as a pure function on
// the one annotation it concerns: nil in means unknown, nil out means removed,
// the same pointer out means no change. A nil function means that the action
// is none of ours or could not be read. It lets a pending action be replayed on
// one annotation without touching the others.
func DecodeAnnotationChange(a Action) (id string, change func(*Annotation) *Annotation, err error) {
	if !annotationActions[a.Type] {
		return "", nil, nil
	}
	d := newDecoder(a.Type, a.Raw)
	m := d.annotationAction()
	if d.broken {
		_, err = d.finish()
		return "", nil, err
	}
	id = m.id
	switch a.Type {
	case TypeAnnotationsSet:
		// The annotation names itself.
		if id = ""; m.annotation != nil {
			id, change = m.annotation.ID, func(*Annotation) *Annotation { return m.annotation }
		} else if !m.hasAnnotation {
			d.missing("annotation")
		}
	case TypeAnnotationsRemoved:
		change = func(*Annotation) *Annotation { return nil }
	case TypeAnnotationsUpdated:
		change = m.update
	case TypeAnnotationsEntrySet:
		if m.entry != nil && m.entry.ID != "" {
			change = func(old *Annotation) *Annotation { return old.withEntry(*m.entry) }
		} else if m.entry == nil {
			d.missing("entry")
		}
	case TypeAnnotationsEntryRemoved:
		if m.hasEntryID {
			change = func(old *Annotation) *Annotation { return old.withoutEntry(m.entryID) }
		} else {
			d.missing("entryId")
		}
	}
	if id == "" {
		if a.Type != TypeAnnotationsSet {
			d.missing("annotationId")
		}
		change = nil
	}
	if change == nil {
		id = ""
	}
	_, err = d.finish()
	return id, change, err
}

// annotationAction is every member an annotations/* action may have.
type annotationAction struct {
	id string

	annotation    *Annotation
	hasAnnotation bool

	entry      *Entry
	entryID    string
	hasEntryID bool

	turn                              string
	hasTurn, hasResource, hasResolved bool
	resource                          string
	resolved                          bool
	part                              Annotation // Origin and Range, with their sources
}

func (d *decoder) annotationAction() annotationAction {
	var m annotationAction
	var source annotationSource
	if !d.object() {
		return m
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "annotationId":
			m.id = d.str()
		case "annotation":
			m.annotation, m.hasAnnotation = d.annotation(), true
		case "entry":
			m.entry = nil
			if e, ok := d.entry(); ok {
				m.entry = &e
			}
		case "entryId":
			m.entryID, m.hasEntryID = d.optStr()
		case "turnId":
			m.turn, m.hasTurn = d.optStr()
		case "origin":
			m.part.Origin, source.originText = d.readOrigin()
		case "resource":
			m.resource, m.hasResource = d.optStr()
		case "range":
			m.part.Range, source.rangeText = d.textRange()
		case "resolved":
			m.resolved, m.hasResolved = d.optBool()
		default:
			d.skip()
		}
	}
	m.part.setSource(source)
	d.end()
	return m
}

// update is annotations/updated: only the members that are present change
// anything, and a range cannot be cleared.
func (m *annotationAction) update(old *Annotation) *Annotation {
	if old == nil {
		return nil
	}
	// The members behind pointers are replaced, never written to, so that old
	// and next can share them.
	next, changed := *old, false
	// An annotation of 0.9 has an origin and no turnId, and its hosts ignore
	// one that an older client sends.
	if m.hasTurn && (old.TurnID != nil || old.Origin == nil) && (old.TurnID == nil || *old.TurnID != m.turn) {
		next.TurnID, changed = &m.turn, true
	}
	if o := m.part.Origin; o != nil && (old.Origin == nil || *old.Origin != *o) {
		next.Origin, changed = o, true
	}
	if m.hasResource && old.Resource != m.resource {
		next.Resource, changed = m.resource, true
	}
	if r := m.part.Range; r != nil && (old.Range == nil || *old.Range != *r) {
		next.Range, changed = r, true
	}
	if m.hasResolved && old.Resolved != m.resolved {
		next.Resolved, changed = m.resolved, true
	}
	if !changed {
		return old
	}
	next.source = mergeSources(old.source, m.part.source)
	return &next
}

// mergeSources joins the texts of an annotation and of an update to it. One
// that no longer goes with its value is never written, so it may stay.
func mergeSources(old, update *annotationSource) *annotationSource {
	if old == nil || update == nil {
		if update == nil {
			return old
		}
		return update
	}
	merged := *old
	if update.originText != nil {
		merged.originText, merged.origin = update.originText, update.origin
	}
	if update.rangeText != nil {
		merged.rangeText, merged.rng = update.rangeText, update.rng
	}
	return &merged
}

func (a *Annotation) withEntry(e Entry) *Annotation {
	if a == nil {
		return nil
	}
	next := a.Clone()
	for i := range next.Entries {
		if next.Entries[i].ID == e.ID {
			next.Entries[i] = e
			return next
		}
	}
	next.Entries = append(next.Entries, e)
	return next
}

// withoutEntry may leave a thread without entries: hosts let that happen.
func (a *Annotation) withoutEntry(id string) *Annotation {
	if a == nil {
		return nil
	}
	for i := range a.Entries {
		if a.Entries[i].ID == id {
			next := a.Clone()
			next.Entries = append(next.Entries[:i], next.Entries[i+1:]...)
			return next
		}
	}
	return a
}
