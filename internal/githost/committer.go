package githost

import (
	"errors"
	"sync"
	"time"

	"ahp-lsp/internal/githost/journal"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// committer makes what clients write durable before any client sees it. It is the
// only one that changes what is kept: annotations, reviewed flags, stashes and
// verdicts. Changes are queued, and one goroutine takes all that have come while
// the last batch was being written (group commit): each is checked against the
// state that those before it leave, the records of all are synced at once, and
// then they are applied and echoed in order. If that fails, all are refused: none
// of them is kept.
type committer struct {
	h     *Host
	woken chan struct{} // holds a token while the queue is not empty

	mu    sync.Mutex
	queue []change

	// The rest belongs to the goroutine in run.
	journal *journal.Journal[session.Record]
	// unkept is why nothing can be kept; nil if it can.
	unkept error
	// complete: what was kept could be read, all of it.
	complete bool
}

// maxWaiting is how many changes may wait to be written.
const maxWaiting = 1 << 16

// change is one thing to be done.
type change struct {
	// prepare runs on the committer's goroutine and without the Host's mutex.
	prepare func(*session.Batch) session.Change
	// The others, which may be nil, run with the mutex held.
	applied func()
	refuse  func(why string)
}

// newCommitter reads what has been kept. What cannot be kept from now on, and why,
// clients see in the session.
func newCommitter(h *Host, now time.Time) *committer {
	c := &committer{h: h, woken: make(chan struct{}, 1)}
	j, records, notice, err := journal.Open[session.Record](store.File(h.repo, "annotations", ".jsonl"), now)
	if err != nil {
		c.unkept = err
		h.state.AddNotices("Comments cannot be saved: " + err.Error() + ".")
		return c
	}
	c.journal, c.complete = j, notice == ""
	if notice != "" {
		h.state.AddNotices(notice)
	}
	h.state.Restore(records, h.tree)
	if err := j.Tidy(h.state.Kept().Records()); err != nil {
		h.opts.Log.Errorf("%v", err)
	}
	return c
}

// add queues a change; the error is a sentence for the user.
func (c *committer) add(ch change) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) >= maxWaiting {
		return errors.New("too many changes are waiting to be saved; try again in a moment")
	}
	c.queue = append(c.queue, ch)
	select {
	case c.woken <- struct{}{}:
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
		case <-c.woken:
			c.commit(c.take())
		case <-c.h.ctx.Done():
			// The last comment before an editor quits.
			c.commit(c.take())
			return
		}
	}
}

// commit carries out changes that came together.
func (c *committer) commit(changes []change) {
	if len(changes) == 0 {
		return
	}
	h := c.h
	var b *session.Batch
	h.with(func(s *session.State) { b = s.NewBatch(h.tree) })
	outcomes := make([]session.Change, 0, len(changes))
	var records []session.Record
	for _, ch := range changes {
		o := ch.prepare(b)
		if o.Refusal == "" && len(o.Records) > 0 && c.unkept != nil {
			o.Refusal = "it cannot be saved: " + c.unkept.Error()
		}
		if o.Refusal == "" {
			records = append(records, o.Records...)
		}
		outcomes = append(outcomes, o)
	}
	var failed string
	if c.unkept == nil {
		kept := h.state.Kept()
		if err := c.journal.Append(records, kept.Records(), kept.Len()); err != nil {
			failed = "it cannot be saved: " + err.Error()
			h.opts.Log.Errorf("%v", err)
		}
	}
	h.with(func(s *session.State) {
		for i, o := range outcomes {
			if o.Refusal == "" && failed != "" && len(o.Records) > 0 {
				o.Refusal = failed
			}
			changes[i].finish(s, o)
		}
	})
}

// finish applies or refuses a change; the Host's mutex is held.
func (ch change) finish(s *session.State, o session.Change) {
	if o.Refusal != "" {
		if ch.refuse != nil {
			ch.refuse(o.Refusal)
		}
		return
	}
	o.Apply(s)
	if ch.applied != nil {
		ch.applied()
	}
}

// recheck decides again which annotations are about another branch's versions. It
// reads their files, so that no comment waits for that; the worker calls it.
func (c *committer) recheck() {
	var paths []string
	c.h.with(func(s *session.State) { paths = s.Kept().Paths() })
	versions := make(map[string]string, len(paths))
	for _, p := range paths {
		versions[p] = c.h.tree.Version(p)
	}
	if err := c.add(change{prepare: func(b *session.Batch) session.Change { return b.Recheck(versions) }}); err != nil {
		c.h.opts.Log.Warningf("after a branch switch: %v", err)
	}
}

// keep makes a change durable, and waits for it. The worker calls it.
func (c *committer) keep(what session.Change) error {
	done := make(chan error, 1)
	if err := c.add(change{
		prepare: func(*session.Batch) session.Change { return what },
		applied: func() { done <- nil },
		refuse:  func(why string) { done <- errors.New(why) },
	}); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-c.h.ctx.Done():
		return errClosed
	}
}

func (c *committer) close() error {
	if c.journal == nil {
		return nil
	}
	return c.journal.Close()
}
