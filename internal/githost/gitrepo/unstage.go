package gitrepo

import (
	"bytes"
	"context"
	"fmt"

	"ahp-lsp/internal/githost/gitrepo/lines"
)

// Unstage makes the index as HEAD is, so far as the targets cover the staged
// changes (ranges: before is HEAD, after is the index). Files with unresolved
// conflicts are ErrUnmerged.
func (r *Repo) Unstage(ctx context.Context, targets []Target) (Outcome, error) {
	r.change.Lock()
	defer r.change.Unlock()
	files, err := r.Staged(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("unstage: %w", err)
	}
	chosen, err := chooseTargets(files, targets)
	if err != nil {
		return Outcome{}, fmt.Errorf("unstage: %w", err)
	}
	var paths []string
	for _, t := range chosen {
		for _, s := range []*Side{t.diff.Before, t.diff.After} {
			if s != nil {
				paths = append(paths, s.Path)
			}
		}
	}
	out, err := r.recordIndex(ctx, undoPrefix, func(index string) (record, error) {
		rec := record{operation: "unstage", message: "unstaged " + summary(chosen)}
		now, err := r.index.indexEntries(ctx, index, paths)
		if err != nil {
			return rec, err
		}
		set := map[string]indexEntry{}
		for _, t := range chosen {
			if err := t.stale(); err != nil {
				return rec, err
			}
			if t.ranges != nil {
				if a := t.diff.After; a != nil && now[a.Path] != (indexEntry{a.Mode, a.Blob}) {
					return rec, staleError(a.Path) // the ranges count in what it was
				}
				e, err := r.unstagedRange(ctx, t, now[t.diff.Path()])
				if err != nil {
					return rec, err
				}
				set[t.diff.Path()] = e
				continue
			}
			if t.diff.After != nil {
				set[t.diff.After.Path] = indexEntry{}
			}
			if b := t.diff.Before; b != nil {
				set[b.Path] = indexEntry{b.Mode, b.Blob}
			}
		}
		if err := r.index.setEntries(ctx, index, set); err != nil {
			return rec, err
		}
		rec.edits = entryEdits(paths, now, merged(now, set))
		return rec, nil
	})
	if err == nil && out.Undo == "" {
		err = fmt.Errorf("%w: it is not staged any more", ErrNothing)
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("unstage: %w", err)
	}
	return out, nil
}

func merged(now, set map[string]indexEntry) map[string]indexEntry {
	out := map[string]indexEntry{}
	for p, e := range now {
		out[p] = e
	}
	for p, e := range set {
		out[p] = e
	}
	return out
}

// unstagedRange is the index entry with the chosen lines as in HEAD.
func (r *Repo) unstagedRange(ctx context.Context, t fileTarget, now indexEntry) (indexEntry, error) {
	path := t.diff.Path()
	head, err := r.headLines(ctx, t.diff.Before)
	if err != nil {
		return indexEntry{}, err
	}
	index, err := r.entryLines(ctx, path, now)
	if err != nil {
		return indexEntry{}, err
	}
	c := lines.Compare(head, index)
	sel, err := choose(c, path, t.ranges)
	if err != nil {
		return indexEntry{}, err
	}
	switch {
	case sel.All() && t.diff.Before == nil:
		return indexEntry{}, nil
	case sel.All() && t.diff.After == nil:
		return indexEntry{t.diff.Before.Mode, t.diff.Before.Blob}, nil
	}
	mode := now.Mode
	if mode == "" {
		mode = t.diff.Before.Mode
	}
	blob, err := r.content.storeRaw(ctx, bytes.NewReader(c.Revert(sel)))
	if err != nil {
		return indexEntry{}, fmt.Errorf("%s: %w", path, err)
	}
	return indexEntry{mode, blob}, nil
}
