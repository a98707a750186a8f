package githost

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"ahp-lsp/internal/githost/gitrepo"
)

// worker runs everything that asks git, one thing at a time: a changeset is
// never computed from a work tree in the middle of an operation. Operations go
// first, then what has changed on disk, then guessing.
type worker struct {
	h    *Host
	wake chan struct{} // holds a token while there may be something to do

	mu   sync.Mutex
	jobs []func(context.Context)
}

func newWorker(h *Host) *worker { return &worker{h: h, wake: make(chan struct{}, 1)} }

// kick makes the worker look for something to do.
func (w *worker) kick() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// do queues a job. It is dropped if the host ends first.
func (w *worker) do(job func(context.Context)) {
	w.mu.Lock()
	w.jobs = append(w.jobs, job)
	w.mu.Unlock()
	w.kick()
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
	h := w.h
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for h.ctx.Err() == nil {
		if job := w.next(); job != nil {
			job(h.ctx)
			continue
		}
		if h.look(h.ctx) || h.computeOne(h.ctx) {
			continue
		}
		if at := h.guessStep(h.ctx); !at.IsZero() {
			timer.Reset(max(time.Until(at), 0))
		} else {
			timer.Stop()
		}
		select {
		case <-h.ctx.Done():
		case <-w.wake:
		case <-timer.C:
		}
	}
}

// dirty is what may have changed since it was last looked at.
type dirty struct {
	worktree  bool // files
	index     bool
	head      bool // HEAD, branches, an operation in progress
	turns     bool
	patchsets bool
	undo      bool
}

func (d dirty) any() bool { return d != dirty{} }

func (d dirty) or(e dirty) dirty {
	return dirty{
		worktree: d.worktree || e.worktree, index: d.index || e.index, head: d.head || e.head,
		turns: d.turns || e.turns, patchsets: d.patchsets || e.patchsets, undo: d.undo || e.undo,
	}
}

// noticed takes what has changed, in the work tree anywhere.
func (h *Host) noticed(d dirty) {
	if d.worktree || d.index || d.head {
		h.scan.Forget()
	}
	h.mark(d)
}

// mark has the worker look at what has changed.
func (h *Host) mark(d dirty) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dirty = h.dirty.or(d)
	h.work.kick()
}

// look brings what the session says up to date with what has changed and marks
// the changesets that are affected. It reports whether there was anything.
func (h *Host) look(ctx context.Context) bool {
	h.mu.Lock()
	d := h.dirty
	h.dirty = dirty{}
	h.mu.Unlock()
	if !d.any() {
		return false
	}
	if d.head {
		d.head = h.lookHead(ctx)
	}
	if d.turns {
		h.syncTurns(ctx)
		h.mu.Lock()
		h.dirty.turns = false // set by what has just been looked at
		h.mu.Unlock()
	}
	if d.patchsets {
		h.syncPatchsets()
	}
	if d.undo {
		h.loadUndo(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.changesets {
		c.stale = c.stale || h.affects(d, c.ref)
		if d.undo && !c.stale {
			h.tellOperations(c)
		}
	}
	return true
}

// lookHead asks where the work tree stands and reports whether HEAD, or what
// the branch is compared with, has moved.
func (h *Host) lookHead(ctx context.Context) bool {
	state, err := h.repo.State(ctx)
	if err != nil {
		h.logGit(ctx, "read where the work tree stands", err)
		return true
	}
	h.mu.Lock()
	branch, head := h.moved(state)
	if head && h.guess != nil {
		h.guess.moved(time.Now())
	}
	h.mu.Unlock()
	if branch {
		h.commits.recheck()
	}
	return head
}

// affects reports whether a change can make a difference to a changeset; h.mu
// is held.
func (h *Host) affects(d dirty, r changesetRef) bool {
	active := func(id string) bool {
		t := h.turn(id)
		return t != nil && t.end == ""
	}
	switch r.kind {
	case kindUncommitted:
		return d.worktree || d.index || d.head
	case kindStaged:
		return d.index || d.head
	case kindBranch:
		return d.worktree || d.index || d.head
	case kindSession:
		return d.worktree || d.index || d.turns
	case kindTurn:
		return d.turns || (d.worktree || d.index) && active(r.id)
	case kindCompare:
		return d.turns || (d.worktree || d.index) && active(r.other)
	case kindPatchset:
		return d.worktree || d.patchsets
	}
	return false
}

// computeOne brings the most wanted stale changeset up to date: the one that was
// acted on last, which somebody looks at and may act on again. It reports whether
// there was one.
func (h *Host) computeOne(ctx context.Context) bool {
	order := []string{kindUncommitted, kindStaged, kindBranch, kindSession, kindTurn, kindCompare, kindPatchset}
	h.mu.Lock()
	var stale []*changeset
	for _, c := range h.changesets {
		if c.stale {
			stale = append(stale, c)
		}
	}
	if len(stale) == 0 {
		h.mu.Unlock()
		return false
	}
	c := slices.MinFunc(stale, func(a, b *changeset) int {
		if (a.uri == h.acted) != (b.uri == h.acted) {
			if a.uri == h.acted {
				return -1
			}
			return 1
		}
		return cmp.Or(slices.Index(order, a.ref.kind)-slices.Index(order, b.ref.kind), cmp.Compare(a.uri, b.uri))
	})
	c.stale = false
	h.mu.Unlock()
	h.compute(ctx, c)
	return true
}

// compute brings a changeset up to date.
func (h *Host) compute(ctx context.Context, c *changeset) {
	files, err := h.computed(ctx, c.ref)
	if ctx.Err() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changesets[c.uri] != c {
		return // nobody is looking any more
	}
	if err != nil {
		h.failed(c, err)
		return
	}
	h.reviewed(c.ref, files)
	h.take(c, files)
}

// trees are what a changeset compares; ok is false for those that are computed
// in another way.
func (h *Host) trees(ctx context.Context, r changesetRef) (t gitrepo.Trees, ok bool, err error) {
	if r.kind == kindBranch {
		base, err := h.repo.Base(ctx)
		return gitrepo.Trees{Before: base, After: gitrepo.WorkTree}, err == nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch r.kind {
	case kindUncommitted:
		return gitrepo.Trees{Before: gitrepo.HEAD, After: gitrepo.WorkTree}, true, nil
	case kindSession:
		if len(h.turns) > 0 {
			return gitrepo.Trees{Before: h.turns[0].start, After: gitrepo.WorkTree}, true, nil
		}
	case kindTurn:
		if t := h.turn(r.id); t != nil {
			return gitrepo.Trees{Before: t.start, After: t.end}, true, nil // an end of "" is the work tree
		}
	case kindCompare:
		a, b := h.turn(r.id), h.turn(r.other)
		if a != nil && b != nil && a.end != "" {
			return gitrepo.Trees{Before: a.end, After: b.end}, true, nil
		}
	}
	return gitrepo.Trees{}, false, nil
}

// survive turns a panic into an error: the host is in a process that an editor
// needs, and other processes depend on it.
func (h *Host) survive(err *error) {
	if v := recover(); v != nil {
		h.log.Criticalf("panic: %v\n%s", v, debug.Stack())
		*err = fmt.Errorf("a fault in the embedded host: %v", v)
	}
}

// computed asks git for the files of a changeset.
func (h *Host) computed(ctx context.Context, r changesetRef) (files []*changesetFile, err error) {
	defer h.survive(&err)
	var diffs []gitrepo.FileDiff
	switch r.kind {
	case kindStaged:
		diffs, err = h.repo.Staged(ctx)
	case kindPatchset:
		return h.patchsetFiles(ctx, r.id)
	default:
		t, ok, terr := h.trees(ctx, r)
		if terr != nil || !ok {
			return []*changesetFile{}, terr
		}
		if t.After == gitrepo.WorkTree {
			diffs, err = h.scan.Compare(ctx, t.Before)
		} else {
			diffs, err = h.repo.Compare(ctx, t.Before, t.After)
		}
	}
	if err != nil {
		return nil, err
	}
	files = make([]*changesetFile, 0, len(diffs))
	for _, d := range diffs {
		files = append(files, h.wireFile(d, r.kind == kindBranch))
	}
	return files, nil
}
