package githost

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// worker runs everything that asks git, one thing at a time: a changeset is
// never computed from a work tree in the middle of an operation. Operations go
// first, then what has changed on disk, then guessing.
type worker struct {
	h     *Host
	scan  *gitrepo.Scan // what the work tree's status was; safe for concurrent use
	woken chan struct{} // holds a token while there may be something to do

	mu    sync.Mutex
	jobs  []func(context.Context)
	dirty session.Dirty
}

func newWorker(h *Host) *worker {
	return &worker{h: h, scan: h.repo.NewScan(), woken: make(chan struct{}, 1)}
}

// wake makes the worker look for something to do.
func (w *worker) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// do queues a job. It is dropped if the host ends first.
func (w *worker) do(job func(context.Context)) {
	w.mu.Lock()
	w.jobs = append(w.jobs, job)
	w.mu.Unlock()
	w.wake()
}

func (w *worker) next() func(context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.jobs) == 0 {
		return nil
	}
	job := w.jobs[0]
	w.jobs = w.jobs[1:]
	return job
}

func (w *worker) run() {
	ctx := w.h.ctx
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for ctx.Err() == nil {
		if job := w.next(); job != nil {
			job(ctx)
			continue
		}
		if w.look(ctx) || w.computeOne(ctx) {
			continue
		}
		if at := w.guess(ctx); !at.IsZero() {
			timer.Reset(max(time.Until(at), 0))
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
		case <-w.woken:
		case <-timer.C:
		}
	}
}

// changed takes what has changed, anywhere in the work tree.
func (w *worker) changed(d session.Dirty) {
	if d.WorkTree || d.Index || d.Head {
		w.scan.Forget()
	}
	w.mark(d)
}

// mark has the worker look at what has changed.
func (w *worker) mark(d session.Dirty) {
	w.mu.Lock()
	w.dirty = w.dirty.Or(d)
	w.mu.Unlock()
	w.wake()
}

// takeDirty is what has been marked since it was called last.
func (w *worker) takeDirty() session.Dirty {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dirty
	w.dirty = session.Dirty{}
	return d
}

// look brings what the session says up to date with what has changed and marks
// the changesets that are affected. It reports whether there was anything.
func (w *worker) look(ctx context.Context) bool {
	d := w.takeDirty()
	if !d.Any() {
		return false
	}
	if d.Head {
		d.Head = w.lookHead(ctx)
	}
	if d.Turns {
		w.loadTurns(ctx)
	}
	if d.Patchsets {
		w.loadPatchsets()
	}
	if d.Undo {
		w.loadUndo(ctx)
	}
	w.h.with(func(s *session.State) { s.Invalidate(d) })
	return true
}

// lookHead asks where the work tree stands and reports whether HEAD, or what
// the branch is compared with, has moved.
func (w *worker) lookHead(ctx context.Context) bool {
	git, err := w.h.repo.State(ctx)
	if err != nil {
		w.h.logGit(ctx, "read HEAD and the branch", err)
		return true
	}
	programs, err := w.h.repo.Programs(ctx)
	if err != nil {
		w.h.logGit(ctx, "read the repository's programs", err)
	}
	var branch, head bool
	w.h.with(func(s *session.State) {
		branch, head = s.SetGit(git)
		if err == nil {
			s.SetPrograms(programs)
		}
	})
	if branch {
		w.h.commits.recheck()
	}
	return head
}

// loadTurns reads the turns again.
func (w *worker) loadTurns(ctx context.Context) (changed bool) {
	turns, err := store.Turns(ctx, w.h.repo)
	if err != nil {
		w.h.logGit(ctx, "read the turns", err)
		return false
	}
	w.h.with(func(s *session.State) { changed = s.SetTurns(turns) })
	return changed
}

// loadPatchsets reads the proposals again.
func (w *worker) loadPatchsets() {
	list, notices := store.Patchsets(w.h.repo)
	w.h.with(func(s *session.State) {
		for _, n := range notices {
			s.Notify("%s", n)
		}
		s.SetPatchsets(list)
	})
}

// loadUndo reads what can be undone.
func (w *worker) loadUndo(ctx context.Context) {
	records, err := w.h.repo.UndoList(ctx)
	if err != nil {
		w.h.logGit(ctx, "list what can be undone", err)
		return
	}
	w.h.with(func(s *session.State) {
		if len(records) == 0 {
			s.SetUndo(nil)
		} else {
			s.SetUndo(&records[0])
		}
	})
}

// survive turns a panic into an error: the host is in a process that an editor
// needs, and other processes depend on it.
func (w *worker) survive(err *error) {
	if v := recover(); v != nil {
		w.h.opts.Log.Criticalf("panic: %v\n%s", v, debug.Stack())
		*err = fmt.Errorf("internal error in the embedded host: %v", v)
	}
}
