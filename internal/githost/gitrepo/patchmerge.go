package gitrepo

import (
	"context"
	"errors"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/patch"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// named reports whether the file on disk is the old or the new version by the
// object ids in the patch.
func (r *Repo) named(ctx context.Context, f PatchFile, disk worktree.Version) (isOld, isNew bool, err error) {
	const fewest = 7 // digits that tell objects apart well enough
	if !disk.Regular() || len(f.OldBlob) < fewest && len(f.NewBlob) < fewest {
		return false, false, nil
	}
	id, err := r.content.cleanID(ctx, f.OldPath, disk.Data)
	if err != nil {
		return false, false, err
	}
	isOld = len(f.OldBlob) >= fewest && strings.HasPrefix(id, f.OldBlob)
	isNew = len(f.NewBlob) >= fewest && strings.HasPrefix(id, f.NewBlob)
	return isOld, isNew, nil
}

// patchMerge tries the versions the patch may have been made against: the one it
// names, the index's and HEAD's. If it fits one of them exactly, the change is
// merged into the file on disk: all of it (PatchMerged), or what does not
// conflict (PatchPartial). Without a base the state is PatchFailed.
func (r *Repo) patchMerge(ctx context.Context, f PatchFile, disk worktree.Version, mode string) (worktree.Version, PatchState, error) {
	none := worktree.Version{}
	if f.Kind == Deleted || f.Kind == TypeChange || !disk.Regular() {
		return none, PatchFailed, nil
	}
	var revs []string
	named := len(f.OldBlob) >= 4 && strings.Trim(f.OldBlob, "0123456789abcdef") == ""
	if named {
		revs = append(revs, f.OldBlob+"^{blob}")
	}
	revs = append(revs, ":0:"+f.OldPath, "HEAD:"+f.OldPath)
	tried := map[string]bool{}
	part, state := none, PatchFailed
	for i, rev := range revs {
		id, err := r.cmd.Resolve(ctx, rev)
		if ctx.Err() != nil {
			return none, PatchFailed, ctx.Err()
		}
		if err != nil || id == "" || tried[id] {
			continue // ambiguous or unknown: no base
		}
		tried[id] = true
		raw, err := r.Blob(ctx, id)
		if err != nil || lines.IsBinary(raw) {
			continue
		}
		got := patch.Fit(raw, f.Hunks, i == 0 || !named)
		if len(got.Problems) > 0 || got.Present > 0 {
			continue
		}
		base, err := r.content.asCheckedOut(ctx, f.OldPath, raw)
		if err != nil {
			return none, PatchFailed, err
		}
		theirs, err := r.content.asCheckedOut(ctx, f.OldPath, got.Text)
		if err != nil {
			return none, PatchFailed, err
		}
		merged, err := r.merge3(ctx, newVersion(disk.Mode, base), disk, newVersion(mode, theirs))
		if err == nil {
			return merged, PatchMerged, nil
		}
		if !errors.Is(err, ErrConflict) {
			return none, PatchFailed, err
		}
		if state == PatchPartial {
			continue
		}
		if data, err := r.mergeText(ctx, base, disk.Data, theirs, "--ours"); err == nil {
			part, state = newVersion(disk.Mode, data), PatchPartial
		}
	}
	return part, state, nil
}
