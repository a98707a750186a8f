package ahp

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
