package mapping

import "slices"

// Tracker keeps a document's text, and how the texts that anchors are in, their
// bases, relate to it while it changes. Edits are cheap when they come one by
// one, and nothing is compared before it is asked for. What edits lead to is the
// same as comparing each base with the text as it is then, so no error
// builds up however long the document is edited, and undoing a deletion brings back what
// it took.
//
// A Tracker is not safe for concurrent use. The zero value is not usable.
type Tracker struct {
	text   *Text
	bases  []*baseline
	last   *baseline // asked for last
	memory []moment  // latest last
}

// baseline is a text anchors are in, and its alignment with a current text.
type baseline struct {
	base  *Text
	align *Alignment
	// pending is the one edit that lies between align's current text and the
	// tracker's; stale is set when there are more.
	pending *edit
	stale   bool
	used    bool // asked for since the text last changed
}

type edit struct {
	span   Span
	insert string
}

// moment is what the tracker knew about an earlier text.
type moment struct {
	text   *Text
	aligns map[*baseline]*Alignment
}

const (
	remembered = 6  // earlier texts of which the alignments are kept
	maxBases   = 16 // beyond which unused bases are dropped
)

// NewTracker tracks a document that starts as text.
func NewTracker(text *Text) *Tracker { return &Tracker{text: text} }

// Text is the current text.
func (t *Tracker) Text() *Text { return t.text }

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
	t.prune()
	for _, b := range t.bases {
		if b.stale = b.stale || b.pending != nil; b.stale {
			b.pending = nil
		} else {
			b.pending = &edit{s, insert}
		}
	}
	t.text = next
}

// Replace makes text the current text, whatever it has to do with the one
// before.
func (t *Tracker) Replace(text *Text) {
	if equalTexts(text, t.text) {
		t.text = text
		return
	}
	t.prune()
	t.remember()
	t.text = text
	for _, b := range t.bases {
		b.stale, b.pending = true, nil
	}
	t.recall()
}

// Alignment relates base, or an equal text, to the current text. It is good for
// that text only: ask again after Edit and Replace. Like the Tracker, it belongs to
// one goroutine at a time.
func (t *Tracker) Alignment(base *Text) *Alignment {
	b := t.last
	if b == nil || b.base != base {
		b = t.baseline(base)
		t.last = b
	}
	if b.used && !b.stale && b.pending == nil {
		return b.align
	}
	b.used = true
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

// Place finds an anchor in the current text: by the alignment with its base, see
// [Alignment.Place], or, without a base, by its quote, see [PlaceQuote].
func (t *Tracker) Place(an Anchor) Placement {
	if an.Base == nil || an.WholeFile {
		return PlaceQuote(an, t.text)
	}
	return t.Alignment(an.Base).placeAnchor(&an)
}

// baseline is the entry for base. Equal texts share one.
func (t *Tracker) baseline(base *Text) *baseline {
	same := func(b *baseline) bool { return b.base == base }
	equal := func(b *baseline) bool { return equalTexts(b.base, base) }
	for _, is := range []func(*baseline) bool{same, equal} {
		if i := slices.IndexFunc(t.bases, is); i >= 0 {
			return t.bases[i]
		}
	}
	b := &baseline{base: base, stale: true}
	t.bases = append(t.bases, b)
	return b
}

// prune drops bases that were not used since the last change, once there are
// many.
func (t *Tracker) prune() {
	if len(t.bases) > maxBases {
		t.bases = slices.DeleteFunc(t.bases, func(b *baseline) bool { return !b.used })
		t.last = nil
	}
	for _, b := range t.bases {
		b.used = false
	}
}

// remember keeps what is known about the current text.
func (t *Tracker) remember() {
	m := moment{t.text, map[*baseline]*Alignment{}}
	for _, b := range t.bases {
		if !b.stale && b.pending == nil {
			m.aligns[b] = b.align
		}
	}
	if len(m.aligns) == 0 {
		return
	}
	t.memory = append(slices.DeleteFunc(t.memory, func(o moment) bool { return equalTexts(o.text, m.text) }), m)
	if len(t.memory) > remembered {
		t.memory = slices.Delete(t.memory, 0, 1)
	}
}

// recall restores what was known about the current text, if it was there before.
func (t *Tracker) recall() {
	for _, m := range t.memory {
		if !equalTexts(m.text, t.text) {
			continue
		}
		for _, b := range t.bases {
			if a := m.aligns[b]; a != nil {
				b.align, b.stale = a, false
			}
		}
		return
	}
}
