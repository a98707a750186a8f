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
