package session

import (
	"ahp-lsp/bridge/ahp"
)

// Disk is what a Batch asks of the work tree. It reads the disk, so it is asked
// without the Host's mutex.
type Disk interface {
	// Relative is the path of the file that a resource names, relative to the
	// work tree and with slashes.
	Relative(resource string) (rel string, ok bool)
	// Version identifies what a file holds now, "" if there is none.
	Version(rel string) string
}

// Batch works out what changes of annotations come to that are made durable
// together: each on top of those before it. It changes nothing itself. Only the
// goroutine that changes what is kept uses it, without the Host's mutex.
type Batch struct {
	names   Names
	kept    *Kept
	disk    Disk
	branch  string
	commit  string
	changed map[string]*ahp.Annotation // nil: removed
	made    map[string]*Provenance
}

// NewBatch starts a batch; the Host's mutex is held.
func (s *State) NewBatch(disk Disk) *Batch {
	return &Batch{
		names: s.names, kept: s.kept, disk: disk, branch: s.git.Branch, commit: s.git.Head,
		changed: map[string]*ahp.Annotation{}, made: map[string]*Provenance{},
	}
}

func (b *Batch) annotation(id string) *ahp.Annotation {
	if a, ok := b.changed[id]; ok {
		return a
	}
	return b.kept.annotations.Get(id)
}

func (b *Batch) provenance(id string) *Provenance {
	if m, ok := b.made[id]; ok {
		return m
	}
	return b.kept.made[id]
}

// Annotate is what a client's action on annotations comes to: one annotation is
// set, or removed, or nothing is different.
func (b *Batch) Annotate(echo ahp.Envelope) Change {
	a := echo.Action
	if why := checkAnnotation(b, a); why != "" {
		return Change{Refusal: why}
	}
	id, update, err := ahp.DecodeAnnotationChange(a)
	if update == nil {
		why := "it cannot be read"
		if err != nil {
			why += ": " + err.Error()
		}
		return Change{Refusal: why}
	}
	old := b.annotation(id)
	next := update(old)
	if next == old || next == nil && old == nil {
		return Change{apply: func(s *State) { s.out.echo(echo) }} // an action sent again
	}
	if next != nil && len(next.Entries) == 0 {
		// Clients' reducers would take the last entry, but the protocol forbids
		// annotations without: they all get it back.
		if set, err := ahp.SetAnnotation(old); err == nil {
			echo.Action = set
		}
		return Change{apply: func(s *State) { s.out.echo(echo) }}
	}
	if next == nil {
		b.changed[id], b.made[id] = nil, nil
		return Change{
			Records: []Record{{Removed: id}},
			apply: func(s *State) {
				s.kept.annotations.Remove(id)
				delete(s.kept.made, id)
				s.out.echo(echo)
			},
		}
	}
	made, moved := b.provenance(id), anchored(old, next)
	if made == nil || moved {
		made = b.provenanceOf(next)
	}
	next = made.mark(b.disk, b.canonical(old, next), b.branch)
	b.changed[id], b.made[id] = next, made
	if a.Type == ahp.TypeAnnotationsSet || moved || *old.Origin != *next.Origin {
		// Sent whole, with what the host has added.
		if set, err := ahp.SetAnnotation(next); err == nil {
			echo.Action = set
		}
	}
	return Change{
		Records: []Record{{Set: next, Made: made}},
		apply: func(s *State) {
			s.kept.annotations.Set(next)
			s.kept.made[id] = made
			s.out.echo(echo)
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
func (b *Batch) canonical(old, next *ahp.Annotation) *ahp.Annotation {
	next = b.names.withOrigin(next)
	if next.Origin != nil && next.Origin.Session != "" && next.TurnID == nil {
		return next
	}
	o := ahp.Origin{}
	if next.Origin != nil {
		o = *next.Origin
	}
	if o.Session == "" {
		o.Session = b.names.Session
		if old != nil && old.Origin != nil {
			o.Session, o.Chat = old.Origin.Session, old.Origin.Chat
		}
	}
	if o.TurnID = next.Turn(); o.TurnID != "" && o.Chat == "" && o.Session == b.names.Session {
		o.Chat = b.names.Chat
	}
	c := next.Clone()
	c.Origin, c.TurnID = &o, nil
	return c
}
