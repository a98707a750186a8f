package mapping

import "slices"

// Tracker keeps the placements of one document's anchors while the document
// changes. Edits are cheap when they come one by one; what they lead to is the
// same as placing every anchor from its base into the text as it is then, so
// nothing erodes however long the document is edited, and undoing a deletion
// brings back what it took.
//
// A Tracker is not safe for concurrent use. The zero value is not usable.
type Tracker struct {
	text    *Text
	tracked []tracked
	bases   []*baseline
	places  []Placement // of tracked, for text; nil if they must be computed
	memory  []*moment   // latest last
}

// tracked is an anchor and what depends on nothing but it.
type tracked struct {
	Anchor
	of    *baseline // nil if the anchor has no base
	block block
}

// baseline is a text anchors are in, and its alignment with a current text.
type baseline struct {
	base  *Text
	align *Alignment
	// pending is the one edit that lies between align's current text and the
	// tracker's; stale is set when there are more.
	pending *edit
	stale   bool
}

type edit struct {
	span   Span
	insert string
}

// moment is what the tracker knew about an earlier text.
type moment struct {
	text   *Text
	places []Placement
	aligns []*Alignment // parallel to bases
}

// remembered is the number of earlier texts of which the placements are kept.
const remembered = 6

// NewTracker tracks anchors in text. The order of the anchors is that of the
// placements.
func NewTracker(text *Text, anchors ...Anchor) *Tracker {
	t := &Tracker{text: text}
	t.Add(anchors...)
	return t
}

// Text is the current text.
func (t *Tracker) Text() *Text { return t.text }

// Add tracks more anchors, behind those there are.
func (t *Tracker) Add(anchors ...Anchor) {
	for _, an := range anchors {
		k := tracked{Anchor: an}
		if an.Base != nil && !an.WholeFile {
			k.of = t.baseline(an.Base)
			k.Span = an.Base.round(an.Span)
			k.block = blockOf(an.Base, k.Span)
		}
		t.tracked = append(t.tracked, k)
		if t.places != nil {
			t.places = append(t.places, t.place(k))
		}
	}
	t.memory = nil
}

// SetAnchors tracks anchors instead of those there are. Bases that stay keep
// what is known about them.
func (t *Tracker) SetAnchors(anchors ...Anchor) {
	t.tracked, t.places, t.memory = nil, nil, nil
	t.Add(anchors...)
	t.bases = slices.DeleteFunc(t.bases, func(b *baseline) bool {
		return !slices.ContainsFunc(t.tracked, func(k tracked) bool { return k.of == b })
	})
}

// baseline is the entry for base. Equal texts share one.
func (t *Tracker) baseline(base *Text) *baseline {
	for _, b := range t.bases {
		if equalTexts(b.base, base) {
			return b
		}
	}
	b := &baseline{base: base, stale: true}
	t.bases = append(t.bases, b)
	return b
}

// Edit replaces the bytes of s (clamped) by insert: one content change of the
// editor, in the coordinates of the text after the changes before it. A change
// of more than half of the text is treated as a new text.
func (t *Tracker) Edit(s Span, insert string) {
	s = s.clamp(t.text.Len())
	next := t.text.Edit(s, insert)
	if 2*s.Len() > t.text.Len() || 2*len(insert) > next.Len() {
		t.Replace(next)
		return
	}
	for _, b := range t.bases {
		if b.stale = b.stale || b.pending != nil; b.stale {
			b.pending = nil
		} else {
			b.pending = &edit{s, insert}
		}
	}
	t.text, t.places = next, nil
}

// Replace makes text the current text, whatever it has to do with the one
// before.
func (t *Tracker) Replace(text *Text) {
	if equalTexts(text, t.text) {
		t.text = text
		return
	}
	t.remember()
	t.text, t.places = text, nil
	for _, b := range t.bases {
		b.stale, b.pending = true, nil
	}
	t.recall()
}

// remember keeps what was computed for the current text.
func (t *Tracker) remember() {
	if t.places == nil {
		return
	}
	m := &moment{text: t.text, places: t.places}
	for _, b := range t.bases {
		m.aligns = append(m.aligns, b.align)
	}
	t.memory = append(slices.DeleteFunc(t.memory, func(o *moment) bool { return equalTexts(o.text, m.text) }), m)
	if len(t.memory) > remembered {
		t.memory = slices.Delete(t.memory, 0, 1)
	}
}

// recall restores what was computed for the current text, if it was.
func (t *Tracker) recall() {
	for _, m := range t.memory {
		if equalTexts(m.text, t.text) {
			t.places = m.places
			for k, a := range m.aligns {
				t.bases[k].align, t.bases[k].stale = a, a == nil
			}
			// The alignments are of that text, which is equal but not the same.
			t.text = m.text
			return
		}
	}
}

// Placements gives the placements in the current text, in the order of the
// anchors. The slice is the tracker's; it stays as it is.
func (t *Tracker) Placements() []Placement {
	if t.places == nil {
		places := make([]Placement, len(t.tracked))
		for i, k := range t.tracked {
			places[i] = t.place(k)
		}
		t.places = places
	}
	return slices.Clip(t.places)
}

// Alignment relates base, or an equal text, to the current text.
func (t *Tracker) Alignment(base *Text) *Alignment {
	return t.aligned(t.baseline(base))
}

func (t *Tracker) place(k tracked) Placement {
	switch {
	case k.WholeFile:
		return Placement{State: Live, Confidence: 1}
	case k.of == nil:
		return PlaceQuote(k.Anchor, t.text)
	}
	return t.aligned(k.of).place(k.Span, k.block)
}

// aligned brings the alignment of b up to date.
func (t *Tracker) aligned(b *baseline) *Alignment {
	switch {
	case b.stale && b.align == nil:
		b.align = Align(b.base, t.text)
	case b.stale:
		b.align = align(b.base, t.text, b.align.baseLines)
	case b.pending != nil:
		b.align = b.align.edit(t.text, b.pending.span, b.pending.insert)
	}
	b.stale, b.pending = false, nil
	return b.align
}
