package gitrepo

import (
	"context"
	"errors"
	"strings"
)

// named reports whether the file on disk is the old or the new version by the
// object ids in the patch.
func (r *Repo) named(ctx context.Context, f PatchFile, disk version) (isOld, isNew bool, err error) {
	const fewest = 7 // digits that tell objects apart well enough
	if !disk.regular() || len(f.OldBlob) < fewest && len(f.NewBlob) < fewest {
		return false, false, nil
	}
	id, err := r.cleanID(ctx, f.OldPath, disk.data)
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
func (r *Repo) patchMerge(ctx context.Context, f PatchFile, disk version, mode string) (version, PatchState, error) {
	none := version{}
	if f.Kind == Deleted || f.Kind == TypeChange || !disk.regular() {
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
		id, err := r.resolve(ctx, rev)
		if ctx.Err() != nil {
			return none, PatchFailed, ctx.Err()
		}
		if err != nil || id == "" || tried[id] {
			continue // ambiguous or unknown: no base
		}
		tried[id] = true
		raw, err := r.Blob(ctx, id)
		if err != nil || isBinary(raw) {
			continue
		}
		got := fit(raw, f.Hunks, i == 0 || !named)
		if len(got.problems) > 0 || got.present > 0 {
			continue
		}
		base, err := r.asCheckedOut(ctx, f.OldPath, raw)
		if err != nil {
			return none, PatchFailed, err
		}
		theirs, err := r.asCheckedOut(ctx, f.OldPath, got.text)
		if err != nil {
			return none, PatchFailed, err
		}
		merged, err := r.merge3(ctx, newVersion(disk.mode, base), disk, newVersion(mode, theirs))
		if err == nil {
			return merged, PatchMerged, nil
		}
		if !errors.Is(err, ErrConflict) {
			return none, PatchFailed, err
		}
		if state == PatchPartial {
			continue
		}
		if data, err := r.mergeText(ctx, base, disk.data, theirs, "--ours"); err == nil {
			part, state = newVersion(disk.mode, data), PatchPartial
		}
	}
	return part, state, nil
}
