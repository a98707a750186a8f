package store

import (
	"context"
	"maps"
	"slices"
	"time"
)

// keptRecord is which hunks of a session are kept.
type keptRecord struct {
	Version int                 `json:"version"`
	Scope   string              `json:"scope"`
	Saved   time.Time           `json:"saved"`
	Files   map[string][]string `json:"files"` // sorted keys by file
}

var keptKind = kind[keptRecord]{
	folder:  keptFolder,
	version: 1,
	header:  func(r *keptRecord) (*int, *string) { return &r.Version, &r.Scope },
	empty:   func(r *keptRecord) bool { return len(r.Files) == 0 },
}

// Kept returns the keys of the hunks that are kept in a scope, which is a
// session's URI: sorted, by the URI of their file.
func (s *Store) Kept(ctx context.Context, scope string) (map[string][]string, error) {
	files := map[string][]string{}
	err := keptKind.view(ctx, s, scope, func(r *keptRecord) { maps.Copy(files, r.Files) })
	return files, failed("read which hunks are kept", err)
}

// Keep stores by file and key which hunks of a scope are kept (true) or given up
// (false). All others stay as they are.
func (s *Store) Keep(ctx context.Context, scope string, changes map[string]map[string]bool) error {
	err := keptKind.update(ctx, s, scope, func(r *keptRecord) (bool, error) {
		changed := false
		if r.Files == nil {
			r.Files = map[string][]string{}
		}
		for file, keys := range changes {
			all := map[string]bool{}
			for _, key := range r.Files[file] {
				all[key] = true
			}
			for key, keep := range keys {
				if all[key] != keep {
					changed = true
				}
				all[key] = keep
			}
			maps.DeleteFunc(all, func(_ string, keep bool) bool { return !keep })
			if len(all) == 0 {
				delete(r.Files, file)
				continue
			}
			r.Files[file] = slices.Sorted(maps.Keys(all))
		}
		r.Saved = time.Now().UTC()
		return changed, nil
	})
	return failed("save which hunks are kept", err)
}
