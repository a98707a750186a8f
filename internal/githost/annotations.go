package githost

import (
	"ahp-lsp/bridge/ahp"
)

// dispatch takes a client's action; h.mu is held. What is kept goes to the
// committer, everything else is refused at once.
func (h *Host) dispatch(p *peer, d ahp.DispatchParams) {
	d.Action = received(d.Action)
	ref, isChangeset := h.parseChangeset(d.Channel)
	var ch change
	switch {
	case d.Channel == h.annotationsURI:
		ch = &annotating{h, p, d}
	case isChangeset && ref.kind == kindBranch:
		ch = &reviewing{h, p, d, ref}
	case isChangeset:
		h.refuse(p, d, "this changeset has no reviewed flags, and nothing else of a changeset can be dispatched: operations are invoked")
		return
	case h.exists(d.Channel):
		h.refuse(p, d, "clients cannot dispatch anything on "+d.Channel+"; annotations go to "+h.annotationsURI)
		return
	default:
		h.refuse(p, d, "there is no channel "+d.Channel)
		return
	}
	if err := h.commits.add(ch); err != nil {
		h.refuse(p, d, err.Error())
	}
}

// annotating is a client's action on annotations.
type annotating struct {
	h  *Host
	by *peer
	d  ahp.DispatchParams
}

// prepare checks the action and works out what it comes to: one annotation is
// set, or removed, or nothing is different.
func (ch *annotating) prepare(b *batch) outcome {
	h := ch.h
	refuse := func(why string) { h.refuse(ch.by, ch.d, why) }
	if why := checkAnnotation(b, ch.d.Action); why != "" {
		return outcome{refusal: why, refuse: refuse}
	}
	a := ch.d.Action
	id, apply, err := ahp.DecodeAnnotationChange(a)
	if apply == nil {
		why := "it cannot be read"
		if err != nil {
			why += ": " + err.Error()
		}
		return outcome{refusal: why, refuse: refuse}
	}
	old := b.annotation(id)
	next := apply(old)
	echo := ahp.Envelope{Channel: ch.d.Channel, Action: a, Origin: &ahp.ActionOrigin{ClientID: ch.by.id, ClientSeq: ch.d.ClientSeq}}
	if next == old || next == nil && old == nil {
		return outcome{apply: func() { h.emit(echo) }, refuse: refuse} // an action sent again
	}
	if next == nil {
		b.changed[id], b.made[id] = nil, nil
		return outcome{
			records: []record{{Removed: id}}, refuse: refuse,
			apply: func() {
				h.annotations.Remove(id)
				delete(h.commits.made, id)
				h.emit(echo)
			},
		}
	}
	made, moved := b.provenance(id), anchored(old, next)
	if made == nil || moved {
		made = b.provenanceOf(next)
	}
	next = made.mark(h, h.canonical(old, next), b.branch)
	b.changed[id], b.made[id] = next, made
	if a.Type == ahp.TypeAnnotationsSet || moved || *old.Origin != *next.Origin {
		// Told whole, with what the host has added.
		if set, err := ahp.SetAnnotation(next); err == nil {
			echo.Action = set
		}
	}
	return outcome{
		records: []record{{Set: next, Made: made}}, refuse: refuse,
		apply: func() {
			h.annotations.Set(next)
			h.commits.made[id] = made
			h.emit(echo)
		},
	}
}

// anchored reports whether an annotation is new, or about another place.
func anchored(old, next *ahp.Annotation) bool {
	if old == nil || old.Resource != next.Resource || (old.Range == nil) != (next.Range == nil) {
		return true
	}
	return old.Range != nil && *old.Range != *next.Range
}

// canonical gives an annotation that was old the newest shape: an origin that
// names this session, and no turnId.
func (h *Host) canonical(old, next *ahp.Annotation) *ahp.Annotation {
	if next.Origin != nil && next.Origin.Session != "" && next.TurnID == nil {
		return next
	}
	o := ahp.Origin{}
	if next.Origin != nil {
		o = *next.Origin
	}
	if o.Session == "" {
		o.Session = h.session
		if old != nil && old.Origin != nil {
			o.Session, o.Chat = old.Origin.Session, old.Origin.Chat
		}
	}
	if o.TurnID = next.Turn(); o.TurnID != "" && o.Chat == "" && o.Session == h.session {
		o.Chat = h.chatURI
	}
	c := next.Clone()
	c.Origin, c.TurnID = &o, nil
	return c
}
