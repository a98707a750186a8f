package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/patch"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// PatchAfter holds a patch against the work tree, and changes nothing: the
// contents every file would have, or where and why it does not fit. The result
// has the order of files.
func (r *Repo) PatchAfter(ctx context.Context, files []PatchFile) ([]PatchResult, error) {
	results := make([]PatchResult, 0, len(files))
	for _, f := range files {
		res, err := r.patchOne(ctx, f)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("compare the patch with the work tree: %w", ctx.Err())
		}
		if err != nil {
			res = PatchResult{File: f, State: PatchFailed, Problems: []PatchProblem{{Hunk: -1, Line: -1, Reason: err.Error()}}}
		}
		res.settle()
		results = append(results, res)
	}
	return results, nil
}

// settle fills in what follows from the versions.
func (p *PatchResult) settle() {
	p.BeforeData, p.AfterData = p.before.Data, p.after.Data
	d := FileDiff{Kind: p.File.Kind}
	oldPath, newPath := p.File.OldPath, p.File.NewPath
	if oldPath == "" {
		oldPath = newPath
	}
	if newPath == "" {
		newPath = oldPath
	}
	if p.before.Exists() {
		d.Before = &Side{Path: oldPath, Mode: p.before.Mode, Disk: true}
	}
	if p.State == PatchApplied && d.Before != nil {
		d.Before.Path = newPath
	}
	if p.after.Exists() {
		d.After = &Side{Path: newPath, Mode: p.after.Mode}
	}
	if p.State == PatchFailed || p.State == PatchApplied {
		p.AfterData = p.BeforeData
		d.After = d.Before
	}
	d.Binary = p.File.Binary || lines.IsBinary(p.BeforeData) || lines.IsBinary(p.AfterData)
	if !d.Binary {
		d.Added, d.Removed = lines.Compare(lines.Split(p.BeforeData), lines.Split(p.AfterData)).Counts()
	}
	p.Diff = d
}

func failed(f PatchFile, before worktree.Version, reason string) PatchResult {
	return PatchResult{File: f, State: PatchFailed, before: before, Problems: []PatchProblem{{Hunk: -1, Line: -1, Reason: reason}}}
}

// patchOne finds what one file would become.
func (r *Repo) patchOne(ctx context.Context, f PatchFile) (PatchResult, error) {
	from := f.OldPath
	if f.Kind == Added {
		from = f.NewPath
	}
	disk, err := r.files.Read(from)
	if err != nil {
		return PatchResult{}, err
	}
	if f.Kind == Submodule || disk.Mode == ModeSubmodule {
		return failed(f, worktree.Version{}, "it changes the commit of a submodule; check that commit out in the submodule"), nil
	}
	if disk.Large() {
		return failed(f, worktree.Version{}, fmt.Sprintf("the file has %s, and at most %s are patched", fault.SizeText(disk.Size), fault.SizeText(r.files.MaxText))), nil
	}
	if disk.Link != "" {
		return failed(f, worktree.Version{}, worktree.LinkError(from, disk.Link).Error()), nil
	}
	if disk.IsDir {
		return failed(f, worktree.Version{}, "there is a folder of that name"), nil
	}
	if f.Kind == Renamed || f.Kind == Copied {
		moved, err := r.files.Read(f.NewPath)
		if err != nil {
			return PatchResult{}, err
		}
		switch {
		case moved.Link != "":
			return failed(f, disk, worktree.LinkError(f.NewPath, moved.Link).Error()), nil
		case moved.Large():
			return failed(f, disk, fmt.Sprintf("%s exists already", f.NewPath)), nil
		case moved.Exists() && (f.Kind == Renamed && !disk.Exists() || f.Kind == Copied):
			return r.alreadyMoved(f, disk, moved), nil
		case moved.Exists() || moved.IsDir:
			return failed(f, disk, fmt.Sprintf("%s exists already", f.NewPath)), nil
		}
	}
	if f.Kind == Added {
		return r.patchAdded(ctx, f, disk)
	}
	if !disk.Exists() {
		if f.Kind == Deleted {
			return PatchResult{File: f, State: PatchApplied}, nil
		}
		return failed(f, disk, fmt.Sprintf("there is no file %s", f.OldPath)), nil
	}
	return r.patchExisting(ctx, f, disk)
}

// alreadyMoved judges a rename or copy whose target exists: done already, or in
// the way.
func (r *Repo) alreadyMoved(f PatchFile, disk, moved worktree.Version) PatchResult {
	got := patch.Fit(moved.Data, f.Hunks, false)
	if !f.Binary && (patch.Stands(moved.Data, f.Hunks) || len(got.Problems) == 0 && got.Fits == 0) {
		return PatchResult{File: f, State: PatchApplied, before: moved}
	}
	return failed(f, disk, fmt.Sprintf("%s exists already, with another content", f.NewPath))
}

func (r *Repo) patchAdded(ctx context.Context, f PatchFile, disk worktree.Version) (PatchResult, error) {
	mode := f.NewMode
	if mode == "" {
		mode = ModeFile
	}
	var data []byte
	if f.Binary {
		var err error
		if data, err = r.patchBinary(ctx, f, worktree.Version{}); err != nil {
			return PatchResult{}, err
		}
	} else {
		got := patch.Fit(nil, f.Hunks, false)
		if len(got.Problems) > 0 {
			return failed(f, disk, "its hunks do not make a new file"), nil
		}
		data = got.Text
		if mode != ModeSymlink {
			// In the form of the work tree, should git convert line ends there.
			var err error
			if data, err = r.content.asCheckedOut(ctx, f.NewPath, data); err != nil {
				return PatchResult{}, err
			}
		}
	}
	want := newVersion(mode, data)
	switch {
	case disk.Same(want):
		return PatchResult{File: f, State: PatchApplied, before: disk}, nil
	case disk.Exists() && disk.Mode == mode && bytes.Equal(withoutCR(disk.Data), withoutCR(data)):
		return PatchResult{File: f, State: PatchApplied, before: disk}, nil
	case disk.Exists():
		return failed(f, disk, "the file exists already, with another content"), nil
	}
	return PatchResult{File: f, State: PatchExact, after: want}, nil
}

func withoutCR(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// asCheckedOut is a stored content in the form of the work tree.
func (r *contents) asCheckedOut(ctx context.Context, path string, data []byte) ([]byte, error) {
	blob, err := r.storeRaw(ctx, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return r.smudged(ctx, path, blob)
}

// patchExisting applies a patch to a file that is there.
func (r *Repo) patchExisting(ctx context.Context, f PatchFile, disk worktree.Version) (PatchResult, error) {
	res := PatchResult{File: f, State: PatchExact, before: disk}
	if f.Recreated != nil && disk.Same(newVersion(f.NewMode, patch.Fit(nil, f.Recreated.Hunks, false).Text)) {
		res.State = PatchApplied
		return res, nil
	}
	wasLink := f.OldMode == ModeSymlink
	if f.OldMode != "" && wasLink != (disk.Mode == ModeSymlink) {
		return failed(f, disk, "it is a symbolic link in one of the two and a file in the other"), nil
	}
	mode := disk.Mode
	if f.NewMode != "" {
		mode = f.NewMode
	}
	isOld, isNew, err := r.named(ctx, f, disk)
	if err != nil {
		return PatchResult{}, err
	}
	if isNew && !isOld && mode == disk.Mode && f.OldPath == f.NewPath {
		res.State = PatchApplied
		return res, nil
	}
	if f.Binary {
		if f.Kind == Deleted && f.OldBlob == "" {
			return failed(f, disk, "the patch does not hold the binary content, so there is no way to know whether it is the same"), nil
		}
		data, err := r.patchBinary(ctx, f, disk)
		if err != nil {
			return PatchResult{}, err
		}
		if f.Kind != Deleted {
			res.after = newVersion(mode, data)
		}
		return res, nil
	}
	if len(f.Hunks) > 0 && lines.IsBinary(disk.Data) {
		return failed(f, disk, "the file on disk is binary"), nil
	}
	got := patch.Fit(disk.Data, f.Hunks, isOld)
	if f.Kind == Modified && mode == disk.Mode && !isOld && (got.Moved || len(got.Problems) > 0) && patch.Stands(disk.Data, f.Hunks) {
		res.State = PatchApplied
		return res, nil
	}
	want := newVersion(mode, got.Text)
	if f.Kind == Deleted || f.Kind == TypeChange {
		if len(got.Text) > 0 && len(got.Problems) == 0 {
			got.Problems = []PatchProblem{{Hunk: -1, Line: 0, Reason: "the file has more lines than the patch deletes"}}
		}
		want = worktree.Version{}
		if f.Recreated != nil {
			again := patch.Fit(nil, f.Recreated.Hunks, false)
			want = newVersion(f.NewMode, again.Text)
			got.Problems = append(got.Problems, again.Problems...)
		}
	}
	switch {
	case len(got.Problems) == 0 && got.Fits == 0 && len(f.Hunks) > 0 && f.Kind == Modified && mode == disk.Mode,
		f.Kind == ModeOnly && mode == disk.Mode:
		res.State = PatchApplied
		return res, nil
	case len(got.Problems) == 0:
		res.after = want
		return res, nil
	}
	merged, state, err := r.patchMerge(ctx, f, disk, mode)
	if err != nil {
		return PatchResult{}, err
	}
	switch {
	case state == PatchMerged && merged.Same(disk):
		res.State = PatchApplied
		return res, nil
	case state == PatchMerged:
		res.State, res.after = PatchMerged, merged
		return res, nil
	case state == PatchPartial && !merged.Same(disk):
		want, got.Fits = merged, 1
	}
	res.Problems = got.Problems
	if got.Fits == 0 || f.Kind == Deleted || f.Kind == TypeChange {
		res.State = PatchFailed
		return res, nil
	}
	res.State, res.after = PatchPartial, want
	return res, nil
}

// patchBinary lets git apply do its work on a temporary index that holds the
// file alone.
func (r *Repo) patchBinary(ctx context.Context, f PatchFile, disk worktree.Version) ([]byte, error) {
	index, _, done, err := r.index.tempIndex("")
	if err != nil {
		return nil, err
	}
	defer done()
	if _, err := r.cmd.In(ctx, index, nil, "read-tree", "--empty"); err != nil {
		return nil, err
	}
	if disk.Exists() {
		blob, err := r.content.storeRaw(ctx, bytes.NewReader(disk.Data))
		if err != nil {
			return nil, err
		}
		mode := f.OldMode
		if mode == "" {
			mode = disk.Mode
		}
		if err := r.index.setEntries(ctx, index, map[string]indexEntry{f.OldPath: {mode, blob}}); err != nil {
			return nil, err
		}
	}
	if _, err := r.cmd.In(ctx, index, f.Raw, "apply", "--cached", "--whitespace=nowarn", "-p"+strconv.Itoa(f.Strip), "-"); err != nil {
		var g *gitcmd.Error
		if errors.As(err, &g) {
			return nil, fmt.Errorf("%s: the binary change does not fit: %s", f.Path(), g.Stderr)
		}
		return nil, err
	}
	entries, err := r.index.indexEntries(ctx, index, []string{f.Path()})
	if err != nil || entries[f.Path()].Mode == "" {
		return nil, err
	}
	return r.Blob(ctx, entries[f.Path()].Blob)
}
