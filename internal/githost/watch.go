package githost

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"ahp-lsp/internal/githost/disk"
	"ahp-lsp/internal/githost/session"
)

// Times of watching. A change counts when nothing has happened for settleTime, or
// settleMost after the first of a burst.
const (
	settleTime = 60 * time.Millisecond
	settleMost = 240 * time.Millisecond
)

// watcher notices what changes on disk: in the directories of the work tree that
// are not ignored, in git's own (HEAD, the index, branches), and what commands
// of ours leave a poke for. While nothing changes it does nothing. Where watches
// run out, the disk is looked at every Options.PollEvery instead, as long as
// somebody is subscribed to a changeset.
//
// Everything here belongs to the goroutine in run.
type watcher struct {
	h     *Host
	fs    *fsnotify.Watcher // nil: watching is not possible at all
	poll  bool
	every *time.Timer // to the next look, with poll
	// ready is closed when everything is watched that can be.
	ready chan struct{}

	dirs    map[string]bool // watched, of the work tree; relative
	ignored map[string]bool // what git said about paths
	touched map[string]bool // changed since the last flush, absolute
	// incomplete: git could not list the directories. The next event, at the
	// latest one in git's own files, is reason to ask again.
	incomplete bool
	// moved: since the last flush a folder has come or gone, or something else
	// that the names of files do not tell.
	moved bool
	// gapless: no change is missed, so that it suffices to look where one was.
	gapless bool
}

func newWatcher(h *Host) *watcher {
	every := time.NewTimer(time.Hour)
	every.Stop()
	return &watcher{h: h, every: every, ready: make(chan struct{}), dirs: map[string]bool{}, ignored: map[string]bool{}, touched: map[string]bool{}}
}

func (w *watcher) run() {
	ctx := w.h.ctx
	var events chan fsnotify.Event
	var failures chan error
	if fsw, err := fsnotify.NewWatcher(); err == nil {
		w.fs = fsw
		defer fsw.Close()
		events, failures = fsw.Events, fsw.Errors
	} else {
		w.startPolling(err)
	}
	w.watchGit()
	w.rescan(ctx)
	w.catchUp()
	close(w.ready)

	flush := time.NewTimer(time.Hour)
	flush.Stop()
	defer flush.Stop()
	defer w.every.Stop()
	var first time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.matters(e) {
				continue
			}
			if len(w.touched) == 0 {
				first = time.Now()
			}
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				w.forget(e.Name)
			}
			w.touched[e.Name] = true
			flush.Reset(min(settleTime, max(0, settleMost-time.Since(first))))
		case err := <-failures:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				// Something was lost: nobody knows what.
				w.rescan(ctx)
				w.h.work.changed(session.Dirty{WorkTree: true, Index: true, Head: true, Turns: true, Patchsets: true, Undo: true})
				continue
			}
			w.h.opts.Log.Warningf("watch %s: %v", w.h.repo.Root(), err)
		case <-flush.C:
			w.flush(ctx)
		case <-w.every.C:
			w.pollOnce()
		}
	}
}

func (w *watcher) startPolling(err error) {
	if !w.poll {
		w.poll = true
		w.every.Reset(w.h.opts.PollEvery)
		w.h.opts.Log.Warningf("%s cannot be watched (%v); checking it every %s instead", w.h.repo.Root(), err, w.h.opts.PollEvery)
		w.updateGapless()
	}
}

// updateGapless tells the worker's scan whether any change can be missed.
func (w *watcher) updateGapless() {
	if on := w.fs != nil && !w.poll && !w.incomplete; on != w.gapless {
		w.gapless = on
		w.h.work.scan.Watched(on)
	}
}

// catchUp has the worker read again what it read before everything was watched:
// what commands of ours have left meanwhile, and what clients look at.
func (w *watcher) catchUp() {
	w.h.work.mark(session.Dirty{Turns: true, Patchsets: true, Undo: true})
	if w.h.isWatched() {
		w.h.work.changed(session.Dirty{WorkTree: true, Index: true, Head: true})
	}
}

func (w *watcher) pollOnce() {
	w.every.Reset(w.h.opts.PollEvery)
	if w.h.isWatched() {
		w.h.work.changed(session.Dirty{WorkTree: true, Index: true, Head: true, Turns: true, Patchsets: true, Undo: true})
	}
}

// add watches one directory, absolute. One that has gone is none.
func (w *watcher) add(dir string) {
	if w.fs == nil {
		return
	}
	if err := w.fs.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.startPolling(err)
	}
}

// matters reports whether an event is worth waking up for.
func (w *watcher) matters(e fsnotify.Event) bool {
	if e.Op == 0 {
		return false // the watcher is being closed
	}
	if rel, ok := w.inGit(e.Name); ok {
		return gitPart(rel).Any()
	}
	return true
}

// flush passes on what has changed since the last one.
func (w *watcher) flush(ctx context.Context) {
	var d session.Dirty
	var paths []string
	root := w.h.repo.Root()
	rules := false
	for name := range w.touched {
		if rel, ok := w.inGit(name); ok {
			part := gitPart(rel)
			d = d.Or(part)
			rules = rules || part.Index || rel == "info/exclude"
			if part.Head && strings.HasPrefix(rel, "refs/") {
				w.addBelow(name) // a branch with a slash in its name
			}
			continue
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if rel = filepath.ToSlash(rel); rel == "." {
			continue
		}
		if !disk.Allowed(rel) {
			w.moved, d.WorkTree = true, true // a folder becomes a repository, or none
			continue
		}
		rules = rules || filepath.Base(name) == ".gitignore"
		paths = append(paths, rel)
	}
	clear(w.touched)
	if rules {
		clear(w.ignored)
	}
	paths = w.expand(ctx, w.wanted(ctx, paths))
	if rules || w.incomplete {
		w.rescan(ctx)
	}
	slices.Sort(paths)
	w.changed(d, paths)
}

// changed passes what has changed on to the worker and the guesser.
func (w *watcher) changed(d session.Dirty, paths []string) {
	h := w.h
	if w.moved || d.WorkTree || d.Index || d.Head {
		h.work.scan.Forget()
	}
	w.moved = false
	h.work.scan.Touch(paths)
	if len(paths) > 0 {
		d.WorkTree = true
	}
	if !d.Any() {
		return
	}
	if len(paths) > 0 {
		h.with(func(s *session.State) {
			if g := s.Guess(); g != nil {
				g.Wrote(time.Now(), paths)
			}
		})
	}
	h.work.mark(d)
}

// isWatched reports whether somebody looks at a changeset.
func (h *Host) isWatched() (yes bool) {
	h.with(func(s *session.State) { yes = len(s.Changesets()) > 0 })
	return yes
}
