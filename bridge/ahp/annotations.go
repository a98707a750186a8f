package ahp

import (
	"encoding/json"
	"fmt"
)

// Annotations is the state of a session's annotations channel
// (<session>/annotations). Order is the order of creation. Look-up, change and
// removal by id cost the same in a channel of a hundred and of a hundred
// thousand: removed items leave a hole that is closed when half are holes.
type Annotations struct {
	items []*Annotation // nil: a hole
	index map[string]int
	extra map[string]json.RawMessage
}

// NewAnnotations returns an empty state.
func NewAnnotations() *Annotations { return &Annotations{index: map[string]int{}} }

// DecodeAnnotations reads a snapshot's state. It is never nil; what could not
// be read is left out and described in the error, of type Problems.
func DecodeAnnotations(data []byte) (*Annotations, error) {
	var d decoder
	s := NewAnnotations()
	o, ok := d.object("annotations state", data)
	if !ok {
		return s, d.err()
	}
	items, _ := d.array("annotations", o.take("annotations"))
	s.items = make([]*Annotation, 0, len(items))
	s.index = make(map[string]int, len(items))
	for i, raw := range items {
		if a := d.annotation(fmt.Sprintf("annotations[%d]", i), raw); a != nil {
			s.Set(a)
		}
	}
	s.extra = o.rest()
	return s, d.err()
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

// All yields the annotations in order.
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
	live := s.items[:0]
	for _, a := range s.items {
		if a != nil {
			s.index[a.ID] = len(live)
			live = append(live, a)
		}
	}
	clear(s.items[len(live):])
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

// DecodeAnnotationChange reads an annotations/* action as a pure function on
// the one annotation it concerns: nil in means unknown, nil out means removed,
// the same pointer out means no change. A nil function means that the action
// is none of ours or could not be read. It lets a pending action be replayed on
// one annotation without touching the others.
func DecodeAnnotationChange(a Action) (id string, change func(*Annotation) *Annotation, err error) {
	var d decoder
	o, _ := d.object(a.Type, a.Raw)
	switch a.Type {
	case TypeAnnotationsSet:
		next := d.annotation(a.Type+": annotation", o.take("annotation"))
		if next == nil {
			return "", nil, d.err()
		}
		return next.ID, func(*Annotation) *Annotation { return next }, d.err()
	case TypeAnnotationsRemoved:
		change = func(*Annotation) *Annotation { return nil }
	case TypeAnnotationsUpdated:
		change = d.annotationUpdate(o)
	case TypeAnnotationsEntrySet:
		e, ok := d.entry(a.Type+": entry", o.take("entry"))
		if !ok || e.ID == "" {
			d.problem("%s: entry: missing, or without an id", a.Type)
			return "", nil, d.err()
		}
		change = func(old *Annotation) *Annotation { return old.withEntry(e) }
	case TypeAnnotationsEntryRemoved:
		entry := d.str(o, a.Type, "entryId")
		change = func(old *Annotation) *Annotation { return old.withoutEntry(entry) }
	default:
		return "", nil, nil
	}
	if id = d.str(o, a.Type, "annotationId"); id == "" {
		d.problem("%s: annotationId: missing", a.Type)
		return "", nil, d.err()
	}
	return id, change, d.err()
}

// annotationUpdate reads annotations/updated: only the members that are
// present change anything, and a range cannot be cleared.
func (d *decoder) annotationUpdate(o object) func(*Annotation) *Annotation {
	const path = TypeAnnotationsUpdated
	turn, hasTurn := d.optStr(o, path, "turnId")
	origin := d.origin(path, o.take("origin"))
	resource, hasResource := d.optStr(o, path, "resource")
	rng := d.textRange(path+": range", o.take("range"))
	resolved, hasResolved := d.optBool(o, path, "resolved")
	return func(old *Annotation) *Annotation {
		if old == nil {
			return nil
		}
		next := old.Clone()
		if hasTurn {
			next.TurnID = &turn
		}
		if origin != nil {
			next.Origin = origin
		}
		if hasResource {
			next.Resource = resource
		}
		if rng != nil {
			next.Range = rng
		}
		if hasResolved {
			next.Resolved = resolved
		}
		return next
	}
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
