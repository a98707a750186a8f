package githost

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"ahp-lsp/bridge/ahp"
)

// committer makes what clients write durable before anybody is told. It is the
// only one that changes annotations, reviewed flags and decisions: changes are
// queued, and one goroutine takes all that have come while the last batch was
// being written (group commit): each is checked against the state that those
// before it leave, the records of all are synced at once, and then they are
// applied and echoed in order. If that fails, all are refused: none of them is
// kept.
type committer struct {
	h    *Host
	wake chan struct{} // holds a token while the queue is not empty

	mu    sync.Mutex
	queue []change

	// The rest belongs to the goroutine in run.
	journal *journal
	// unkept is why nothing can be kept; nil if it can.
	unkept error
	// complete: what was kept could be read, all of it.
	complete bool
	made     map[string]*provenance // of annotations, by id
	stash    map[string]string      // turn → ref that brings back what was taken
	rulings
}

// maxWaiting is how many changes may wait to be written.
const maxWaiting = 1 << 16

// change is one thing to be done. Its prepare runs on the committer's goroutine
// and without the Host's mutex.
type change interface{ prepare(*batch) outcome }

// outcome is what a change comes to.
type outcome struct {
	refusal string   // "": it is taken
	records []record // to be made durable
	apply   func()   // afterwards; h.mu is held
	refuse  func(why string)
}

// batch is the state of annotations as the changes taken so far leave it.
type batch struct {
	h       *Host
	changed map[string]*ahp.Annotation // nil: removed
	made    map[string]*provenance
	branch  string
	commit  string
}

func (b *batch) annotation(id string) *ahp.Annotation {
	if a, ok := b.changed[id]; ok {
		return a
	}
	return b.h.annotations.Get(id) // only this goroutine changes it
}

func (b *batch) provenance(id string) *provenance {
	if m, ok := b.made[id]; ok {
		return m
	}
	return b.h.commits.made[id]
}

// add queues a change; the error is a sentence for the user.
func (c *committer) add(ch change) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) >= maxWaiting {
		return errors.New("too much is waiting to be written; try again in a moment")
	}
	c.queue = append(c.queue, ch)
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return nil
}

func (c *committer) take() []change {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.queue
	c.queue = nil
	return q
}

func (c *committer) run() {
	for {
		select {
		case <-c.wake:
			c.batch(c.take())
		case <-c.h.ctx.Done():
			// The last comment before an editor quits.
			c.batch(c.take())
			return
		}
	}
}

// batch carries out changes that came together.
func (c *committer) batch(changes []change) {
	if len(changes) == 0 {
		return
	}
	h := c.h
	b := &batch{h: h, changed: map[string]*ahp.Annotation{}, made: map[string]*provenance{}}
	h.mu.Lock()
	b.branch, b.commit = h.git.Branch, h.git.Head
	h.mu.Unlock()
	outcomes := make([]outcome, 0, len(changes))
	var records []record
	for _, ch := range changes {
		o := ch.prepare(b)
		if o.refusal == "" && len(o.records) > 0 && c.unkept != nil {
			o.refusal = "it cannot be kept: " + c.unkept.Error()
		}
		if o.refusal == "" {
			records = append(records, o.records...)
		}
		outcomes = append(outcomes, o)
	}
	var failed string
	if c.unkept == nil {
		if err := c.journal.append(records, c.live(), c.liveCount()); err != nil {
			failed = "it cannot be kept: " + err.Error()
			h.log.Errorf("%v", err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range outcomes {
		why := o.refusal
		if why == "" && failed != "" && len(o.records) > 0 {
			why = failed
		}
		if why != "" {
			if o.refuse != nil {
				o.refuse(why)
			}
			continue
		}
		if o.apply != nil {
			o.apply()
		}
	}
}

// live yields the records that count, without those of the current batch.
func (c *committer) live() iter.Seq[record] {
	return func(yield func(record) bool) {
		for a := range c.h.annotations.All() {
			if !yield(record{Set: a, Made: c.made[a.ID]}) {
				return
			}
		}
		for _, k := range slices.SortedFunc(maps.Keys(c.h.reviews), reviewKey.compare) {
			if !yield(record{Review: &review{Changeset: k.changeset, File: k.file, Version: c.h.reviews[k]}}) {
				return
			}
		}
		for _, turn := range slices.Sorted(maps.Keys(c.stash)) {
			if !yield(record{Stash: &stashed{Turn: turn, Undo: c.stash[turn]}}) {
				return
			}
		}
		for _, id := range slices.Sorted(maps.Keys(c.decided)) {
			if d := c.decided[id]; !yield(record{Decision: &d}) {
				return
			}
		}
	}
}

func (c *committer) liveCount() int {
	return c.h.annotations.Len() + len(c.h.reviews) + len(c.stash) + len(c.decided)
}

func (c *committer) close() error {
	if c.journal == nil {
		return nil
	}
	return c.journal.close()
}

// loadReview reads what has been kept. What cannot be kept from now on, and why,
// is told through the session.
func (h *Host) loadReview(now time.Time) {
	c := &committer{h: h, wake: make(chan struct{}, 1), made: map[string]*provenance{}, stash: map[string]string{}, rulings: newRulings()}
	h.commits = c
	path := fileOf(h.repo, "annotations", ".jsonl")
	j, records, notice, err := openJournal(path, now)
	if err != nil {
		c.unkept = err
		h.notices = append(h.notices, "Comments cannot be kept: "+err.Error()+".")
		return
	}
	c.journal, c.complete = j, notice == ""
	if notice != "" {
		h.notices = append(h.notices, notice)
	}
	for _, r := range records {
		c.restore(r)
	}
	for id, m := range c.made {
		if a := h.annotations.Get(id); a != nil {
			h.annotations.Set(m.mark(h, a, h.git.Branch))
		}
	}
	if err := j.tidy(c.live()); err != nil {
		h.log.Errorf("%v", err)
	}
}

// restore takes one record of an earlier life.
func (c *committer) restore(r record) {
	h := c.h
	switch {
	case r.Set != nil:
		a, made := r.Set, r.Made
		if made == nil {
			made = &provenance{}
		}
		if made.Path != "" {
			if uri := h.fileURI(made.Path); uri != a.Resource {
				a = a.Clone() // the work tree has been moved
				a.Resource = uri
			}
		}
		h.annotations.Set(a)
		c.made[a.ID] = made
	case r.Removed != "":
		h.annotations.Remove(r.Removed)
		delete(c.made, r.Removed)
	case r.Review != nil:
		h.setReview(r.Review)
	case r.Stash != nil:
		if r.Stash.Undo == "" {
			delete(c.stash, r.Stash.Turn)
		} else {
			c.stash[r.Stash.Turn] = r.Stash.Undo
		}
	case r.Decision != nil:
		c.decided[r.Decision.Patchset] = *r.Decision
	}
}
