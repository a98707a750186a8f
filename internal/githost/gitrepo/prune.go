package gitrepo

import (
	"context"
	"fmt"
	"slices"
	"time"
)

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
	return deleted, nil
}
