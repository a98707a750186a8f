package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// UndoList lists what can be undone in this work tree, newest first.
func (r *Repo) UndoList(ctx context.Context) ([]UndoRecord, error) {
	refs, err := r.Refs(ctx, undoPrefix)
	if err != nil {
		return nil, err
	}
	var list []UndoRecord
	for _, ref := range slices.Backward(refs) {
		rec, _, _ := parseRecord(ref.Message)
		if !r.owns(rec) {
			continue
		}
		list = append(list, UndoRecord{Ref: ref.Name, Time: ref.Time, Operation: rec.operation,
			Message: rec.message, Paths: rec.paths, Index: rec.index})
	}
	return list, nil
}

// newestUndo is the newest record of this work tree.
func (r *Repo) newestUndo(ctx context.Context) (string, error) {
	refs, err := r.Refs(ctx, undoPrefix)
	if err != nil {
		return "", err
	}
	for _, ref := range slices.Backward(refs) {
		if rec, _, _ := parseRecord(ref.Message); r.owns(rec) {
			return ref.Name, nil
		}
	}
	return "", fmt.Errorf("%w: no operation of this work tree is recorded", ErrNothing)
}

// Undo brings back what an operation destroyed; ref is its Outcome.Undo, or ""
// for the newest of this work tree. Files that have changed since are merged; if
// one would conflict, nothing is done and the error (ErrConflict) says where the
// content is. The Outcome's own Undo does the operation again.
func (r *Repo) Undo(ctx context.Context, ref string) (Outcome, error) {
	r.change.Lock()
	defer r.change.Unlock()
	out, err := r.undo(ctx, ref)
	if err != nil {
		return out, fmt.Errorf("undo: %w", err)
	}
	return out, nil
}

func (r *Repo) undo(ctx context.Context, ref string) (out Outcome, err error) {
	if ref == "" {
		if ref, err = r.newestUndo(ctx); err != nil {
			return Outcome{}, err
		}
	}
	target := undonePrefix
	if strings.HasPrefix(ref, undonePrefix) {
		target = undoPrefix
	} else if !strings.HasPrefix(ref, undoPrefix) {
		return Outcome{}, fmt.Errorf("%s: %w: it is not the record of an operation", ref, ErrNotFound)
	}
	rec, err := r.log.load(ctx, ref)
	if err != nil {
		return Outcome{}, err
	}
	if !r.owns(rec) {
		return Outcome{}, fmt.Errorf("%s: %w: it belongs to another work tree of this repository; run it there", ref, ErrNotFound)
	}
	message := "undone: " + rec.message
	if m, ok := strings.CutPrefix(rec.message, "undone: "); ok {
		message = m
	}
	next := record{operation: rec.operation, message: message, index: rec.index, intents: rec.intents}
	if rec.index {
		out, err = r.undoIndex(ctx, ref, target, rec, next)
	} else {
		out, err = r.undoFiles(ctx, ref, target, rec, next)
	}
	if err != nil {
		return out, err
	}
	if err := r.records.Remove(ctx, ref); err != nil {
		return out, fmt.Errorf("it is done, but its record could not be removed: %w", err)
	}
	return out, nil
}

func (r *Repo) undoFiles(ctx context.Context, ref, target string, rec, next record) (Outcome, error) {
	var conflicts []string
	for _, e := range rec.edits {
		disk, err := r.files.Read(e.path)
		if err != nil {
			return Outcome{}, err
		}
		want, err := r.restore(ctx, e, disk)
		if errors.Is(err, ErrConflict) {
			where := "it was not there before"
			if e.old.Exists() {
				where = "its former content is in " + r.records.Show(ref, e.path)
			}
			conflicts = append(conflicts, fmt.Sprintf("%s (%s)", e.path, where))
			continue
		}
		if err != nil {
			return Outcome{}, fmt.Errorf("%s: %w", e.path, err)
		}
		if !disk.Same(want) {
			next.edits = append(next.edits, edit{e.path, disk, want})
		}
	}
	if len(conflicts) > 0 {
		return Outcome{}, fmt.Errorf("%w in the same lines: %s", ErrConflict, strings.Join(conflicts, "; "))
	}
	if len(next.edits) == 0 {
		return Outcome{Message: next.message}, nil // it has all been undone by hand
	}
	return r.perform(ctx, target, next)
}

// restore is what has to be on disk so that a recorded edit is taken back.
func (r *Repo) restore(ctx context.Context, e edit, disk worktree.Version) (worktree.Version, error) {
	conflict := fmt.Errorf("%w", ErrConflict)
	left := e.new // what the operation left there
	is := func(v worktree.Version) (bool, error) {
		if v.Blob == "" || disk.Mode != v.Mode || !v.Clean && disk.Size != v.Size {
			return disk.Same(v), nil
		}
		return r.content.holds(ctx, e.path, v)
	}
	asLeft, err := is(left)
	if err != nil {
		return worktree.Version{}, err
	}
	asBefore, err := is(e.old)
	if err != nil {
		return worktree.Version{}, err
	}
	switch {
	case asLeft:
		return e.old, nil
	case asBefore:
		return disk, nil
	case !disk.Exists() || !left.Exists() || !e.old.Exists():
		return worktree.Version{}, conflict
	}
	return r.merge3(ctx, left, disk, e.old)
}

// undoIndex brings index entries back that are still as the operation left them.
func (r *Repo) undoIndex(ctx context.Context, ref, target string, rec, next record) (Outcome, error) {
	var paths []string
	for _, e := range rec.edits {
		paths = append(paths, e.path)
	}
	return r.recordIndex(ctx, target, func(index string) (record, error) {
		next.edits = nil
		now, err := r.index.indexEntries(ctx, index, paths)
		if err != nil {
			return next, err
		}
		var conflicts []string
		set := map[string]indexEntry{}
		for _, e := range rec.edits {
			is := now[e.path]
			left, was := indexEntry{e.new.Mode, e.new.Blob}, indexEntry{e.old.Mode, e.old.Blob}
			switch is {
			case was:
			case left:
				set[e.path] = was
				next.edits = append(next.edits, edit{e.path, entryVersion(is), entryVersion(was)})
			default:
				conflicts = append(conflicts, fmt.Sprintf("%s (its former staged content is in %s)", e.path, r.records.Show(ref, e.path)))
			}
		}
		if len(conflicts) > 0 {
			return next, fmt.Errorf("what is staged has %w: %s", ErrConflict, strings.Join(conflicts, "; "))
		}
		if err := r.index.setEntries(ctx, index, set); err != nil {
			return next, err
		}
		return next, r.addIntents(ctx, index, rec.intents, set)
	})
}

// addIntents makes entries that were intents to add such again: as the empty files
// that they look like they would be committed. One whose file has gone is nothing.
func (r *Repo) addIntents(ctx context.Context, index string, intents map[string]bool, set map[string]indexEntry) error {
	var there bytes.Buffer
	none := map[string]indexEntry{}
	for p, e := range set {
		if !intents[p] || e.Blob != r.cmd.EmptyObject("blob") {
			continue
		}
		none[p] = indexEntry{}
		if _, err := os.Lstat(r.files.Abs(p)); err == nil {
			there.WriteString(p + "\x00")
		}
	}
	if err := r.index.setEntries(ctx, index, none); err != nil || there.Len() == 0 {
		return err
	}
	_, err := r.cmd.In(ctx, index, there.Bytes(), "add", "--intent-to-add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
}

func entryVersion(e indexEntry) worktree.Version { return worktree.Version{Mode: e.Mode, Blob: e.Blob} }

// What was destroyed is kept for a month, and the newest records for ever: a
// record goes when it is older than UndoAge and UndoCount others of its work tree
// are newer. The objects go with git's own garbage collection.
const (
	UndoCount = 200
	UndoAge   = 30 * 24 * time.Hour
)

// PruneUndo deletes the old records of operations, and of undone operations, of
// this work tree; see UndoCount. Those in keep stay, and those of other work
// trees, about which their own host knows. It returns what it deleted, all in one
// go.
func (r *Repo) PruneUndo(ctx context.Context, now time.Time, keep map[string]bool) (deleted []string, err error) {
	var old []Ref
	for _, prefix := range []string{undoPrefix, undonePrefix} {
		refs, err := r.Refs(ctx, prefix)
		if err != nil {
			return nil, fmt.Errorf("prune what can be undone: %w", err)
		}
		newer := 0
		for _, ref := range slices.Backward(refs) { // their names sort by time
			if rec, _, _ := parseRecord(ref.Message); !r.owns(rec) {
				continue
			}
			if newer++; newer > UndoCount && now.Sub(ref.Time) > UndoAge && !keep[ref.Name] {
				old = append(old, ref)
				deleted = append(deleted, ref.Name)
			}
		}
	}
	if err := r.DeleteRefs(ctx, old); err != nil {
		return nil, fmt.Errorf("prune what can be undone: %w", err)
	}
	r.change.Lock()
	defer r.change.Unlock()
	if err := r.records.TidyLarge(ctx); err != nil {
		return deleted, fmt.Errorf("let go of what was pruned: %w", err)
	}
	return deleted, nil
}
