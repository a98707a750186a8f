package githost

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Times of watching. A change is told when nothing has happened for settleTime,
// or settleMost after the first of a burst.
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
	h    *Host
	fs   *fsnotify.Watcher // nil: watching is not possible at all
	poll bool
	// ready is closed when everything is watched that can be.
	ready chan struct{}

	dirs    map[string]bool // watched, of the work tree; relative
	ignored map[string]bool // what git said about paths
	seen    map[string]bool // changed since the last flush, absolute
}

func newWatcher(h *Host) *watcher {
	return &watcher{h: h, ready: make(chan struct{}), dirs: map[string]bool{}, ignored: map[string]bool{}, seen: map[string]bool{}}
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
	close(w.ready)

	flush, every := time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	flush.Stop()
	defer flush.Stop()
	defer every.Stop()
	w.schedulePoll(every)
	var first time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.matters(e) {
				continue
			}
			if len(w.seen) == 0 {
				first = time.Now()
			}
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				w.forget(e.Name)
			}
			w.seen[e.Name] = true
			flush.Reset(min(settleTime, max(0, settleMost-time.Since(first))))
		case err := <-failures:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				// Something was lost: nobody knows what.
				w.rescan(ctx)
				w.h.noticed(dirty{worktree: true, index: true, head: true, turns: true, patchsets: true, undo: true})
				continue
			}
			w.h.log.Warningf("watch %s: %v", w.h.repo.Root(), err)
		case <-flush.C:
			w.flush(ctx)
		case <-every.C:
			w.pollOnce()
			w.schedulePoll(every)
		}
	}
}

func (w *watcher) startPolling(err error) {
	if !w.poll {
		w.poll = true
		w.h.log.Warningf("%s cannot be watched (%v); it is looked at every %s", w.h.repo.Root(), err, w.h.opts.PollEvery)
	}
}

func (w *watcher) schedulePoll(timer *time.Timer) {
	if w.poll {
		timer.Reset(w.h.opts.PollEvery)
	} else {
		timer.Stop()
	}
}

func (w *watcher) pollOnce() {
	w.h.mu.Lock()
	wanted := len(w.h.changesets) > 0
	w.h.mu.Unlock()
	if wanted {
		w.h.noticed(dirty{worktree: true, index: true, head: true, turns: true})
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

// forget takes that a directory has gone, and its watches with it: one that
// comes back under its name is another.
func (w *watcher) forget(name string) {
	rel, err := filepath.Rel(w.h.repo.Root(), name)
	if rel = filepath.ToSlash(rel); err != nil || !w.dirs[rel] || rel == "." {
		return
	}
	maps.DeleteFunc(w.dirs, func(dir string, _ bool) bool { return dir == rel || strings.HasPrefix(dir, rel+"/") })
}

// watchGit watches git's own directories.
func (w *watcher) watchGit() {
	gitDir, common := w.h.repo.GitDir(), w.h.repo.CommonDir()
	_ = makePrivateDir(stateDir(w.h.repo)) // where commands of ours leave word
	for _, dir := range []string{gitDir, common, filepath.Join(gitDir, "logs"), stateDir(w.h.repo), filepath.Join(common, "info"), filepath.Join(common, "reftable")} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			w.add(dir)
		}
	}
	for _, refs := range []string{"heads", "remotes"} {
		w.addBelow(filepath.Join(common, "refs", refs))
	}
}

// addBelow watches a directory and all below it.
func (w *watcher) addBelow(dir string) {
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			w.add(name)
		}
		return nil
	})
}

// rescan watches the directories of the work tree that are not watched yet.
func (w *watcher) rescan(ctx context.Context) {
	clear(w.ignored)
	dirs, err := listDirs(ctx, w.h.repo)
	if err != nil {
		w.h.logGit(ctx, "list the folders to watch", err)
		w.startPolling(err)
		return
	}
	for _, rel := range dirs {
		if !w.dirs[rel] {
			w.dirs[rel] = true
			w.add(filepath.Join(w.h.repo.Root(), filepath.FromSlash(rel)))
		}
	}
}

// matters reports whether an event is worth waking up for.
func (w *watcher) matters(e fsnotify.Event) bool {
	if e.Op == 0 {
		return false // the watcher is being closed
	}
	if rel, ok := w.inGit(e.Name); ok {
		return gitPart(rel).any()
	}
	return true
}

// inGit is the path of a file of git's own, relative to its directory. Of the
// directory that all work trees of a repository share, it is "" where the file
// belongs to another work tree.
func (w *watcher) inGit(name string) (string, bool) {
	own, common := w.h.repo.GitDir(), w.h.repo.CommonDir()
	if rel, err := filepath.Rel(own, name); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	rel, err := filepath.Rel(common, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	if rel == "index" || strings.ToUpper(rel) == rel || strings.HasPrefix(rel, "logs/") || strings.HasPrefix(rel, "rebase-") {
		return "", true // HEAD and the like
	}
	return rel, true
}

// gitPart says what a file of git's own is about. Locks, temporary files and
// objects are about nothing.
func gitPart(rel string) (d dirty) {
	switch rel {
	case "index":
		d.index = true
	case "HEAD", "packed-refs", "config", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG",
		"rebase-merge", "rebase-apply", "logs/HEAD", "refs/heads", "refs/remotes", "reftable/tables.list":
		d.head = true
	case "info/exclude":
		d.worktree = true
	case "ahp/poke-" + pokeTurns:
		d.turns = true
	case "ahp/poke-" + pokePatchsets:
		d.patchsets = true
	case "ahp/poke-" + pokeUndo:
		d.undo = true
	}
	if (strings.HasPrefix(rel, "refs/heads/") || strings.HasPrefix(rel, "refs/remotes/")) && !strings.HasSuffix(rel, ".lock") {
		d.head = true
	}
	return d
}

// flush tells what has been seen.
func (w *watcher) flush(ctx context.Context) {
	var d dirty
	var paths []string
	root := w.h.repo.Root()
	rules := false
	for name := range w.seen {
		if rel, ok := w.inGit(name); ok {
			part := gitPart(rel)
			d = d.or(part)
			rules = rules || part.index || rel == "info/exclude"
			if part.head && strings.HasPrefix(rel, "refs/") {
				w.addBelow(name) // a branch with a slash in its name
			}
			continue
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if rel = filepath.ToSlash(rel); rel == "." || !allowed(rel) {
			continue
		}
		rules = rules || filepath.Base(name) == ".gitignore"
		paths = append(paths, rel)
	}
	clear(w.seen)
	if rules {
		clear(w.ignored)
	}
	paths = w.expand(ctx, w.wanted(ctx, paths))
	if rules {
		w.rescan(ctx)
	}
	slices.Sort(paths)
	w.changed(d, paths)
}

// changed tells the host, and the guesser, what has changed.
func (w *watcher) changed(d dirty, paths []string) {
	h := w.h
	if len(paths) > 0 {
		d.worktree = true
	}
	if !d.any() {
		return
	}
	if h.guess != nil && len(paths) > 0 {
		h.mu.Lock()
		h.guess.wrote(time.Now(), paths)
		h.mu.Unlock()
	}
	h.noticed(d)
}

// wanted leaves out what git ignores.
func (w *watcher) wanted(ctx context.Context, paths []string) []string {
	var unknown []string
	for _, p := range paths {
		if _, known := w.ignored[p]; !known {
			unknown = append(unknown, p)
		}
	}
	if len(unknown) > 0 {
		if len(w.ignored) > 1<<16 {
			clear(w.ignored)
		}
		ignored, err := listIgnored(ctx, w.h.repo, unknown)
		if err != nil {
			w.h.logGit(ctx, "ask what is ignored", err)
		}
		for _, p := range unknown {
			w.ignored[p] = ignored[p]
		}
	}
	return slices.DeleteFunc(paths, func(p string) bool { return w.ignored[p] })
}

// expand watches new directories, and puts what is in them in their place:
// files may have been written there before they were watched.
func (w *watcher) expand(ctx context.Context, paths []string) (files []string) {
	for len(paths) > 0 {
		var inside []string
		for _, rel := range paths {
			name := filepath.Join(w.h.repo.Root(), filepath.FromSlash(rel))
			info, err := os.Lstat(name)
			if err != nil || !info.IsDir() {
				files = append(files, rel)
				continue
			}
			if w.dirs[rel] {
				continue // only its time has changed
			}
			w.dirs[rel] = true
			w.add(name)
			entries, _ := os.ReadDir(name)
			for _, e := range entries {
				if sub := rel + "/" + e.Name(); allowed(sub) {
					inside = append(inside, sub)
				}
			}
		}
		paths = w.wanted(ctx, inside)
	}
	return files
}
