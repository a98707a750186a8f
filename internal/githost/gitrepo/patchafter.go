package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
)

// PatchAfter holds a patch against the work tree, and changes nothing: the
// contents every file would have, or where and why it does not fit. The result
// has the order of files.
func (r *Repo) PatchAfter(ctx context.Context, files []PatchFile) ([]PatchResult, error) {
	results := make([]PatchResult, 0, len(files))
	for _, f := range files {
		res, err := r.patchOne(ctx, f)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("hold the patch against the work tree: %w", ctx.Err())
		}
		if err != nil {
			res = PatchResult{File: f, State: PatchFailed, Problems: []PatchProblem{{-1, -1, err.Error()}}}
		}
		res.settle()
		results = append(results, res)
	}
	return results, nil
}

// settle fills in what follows from the versions.
func (p *PatchResult) settle() {
	p.BeforeData, p.AfterData = p.before.data, p.after.data
	d := FileDiff{Kind: p.File.Kind}
	oldPath, newPath := p.File.OldPath, p.File.NewPath
	if oldPath == "" {
		oldPath = newPath
	}
	if newPath == "" {
		newPath = oldPath
	}
	if p.before.exists() {
		d.Before = &Side{Path: oldPath, Mode: p.before.mode, Disk: true}
	}
	if p.State == PatchApplied && d.Before != nil {
		d.Before.Path = newPath
	}
	if p.after.exists() {
		d.After = &Side{Path: newPath, Mode: p.after.mode}
	}
	if p.State == PatchFailed || p.State == PatchApplied {
		p.AfterData = p.BeforeData
		d.After = d.Before
	}
	d.Binary = p.File.Binary || isBinary(p.BeforeData) || isBinary(p.AfterData)
	if !d.Binary {
		for _, k := range compareLines(splitLines(p.BeforeData), splitLines(p.AfterData)).blocks {
			d.Added += k.after()
			d.Removed += k.before()
		}
	}
	p.Diff = d
}

func failed(f PatchFile, before version, reason string) PatchResult {
	return PatchResult{File: f, State: PatchFailed, before: before, Problems: []PatchProblem{{-1, -1, reason}}}
}

// patchOne finds what one file would become.
func (r *Repo) patchOne(ctx context.Context, f PatchFile) (PatchResult, error) {
	from := f.OldPath
	if f.Kind == Added {
		from = f.NewPath
	}
	disk, err := r.onDisk(from)
	if err != nil {
		return PatchResult{}, err
	}
	if f.Kind == Submodule || disk.mode == ModeSubmodule {
		return failed(f, version{}, "it changes the commit of a submodule; check that commit out in the submodule"), nil
	}
	if disk.large() {
		return failed(f, version{}, fmt.Sprintf("the file has %s, and at most %s are patched", sizeText(disk.size), sizeText(r.limits.text))), nil
	}
	if disk.link != "" {
		return failed(f, version{}, linkError(from, disk.link).Error()), nil
	}
	if disk.isDir {
		return failed(f, version{}, "there is a folder of that name"), nil
	}
	if f.Kind == Renamed || f.Kind == Copied {
		moved, err := r.onDisk(f.NewPath)
		if err != nil {
			return PatchResult{}, err
		}
		switch {
		case moved.link != "":
			return failed(f, disk, linkError(f.NewPath, moved.link).Error()), nil
		case moved.large():
			return failed(f, disk, fmt.Sprintf("%s exists already", f.NewPath)), nil
		case moved.exists() && (f.Kind == Renamed && !disk.exists() || f.Kind == Copied):
			return r.alreadyMoved(f, disk, moved), nil
		case moved.exists() || moved.isDir:
			return failed(f, disk, fmt.Sprintf("%s exists already", f.NewPath)), nil
		}
	}
	if f.Kind == Added {
		return r.patchAdded(ctx, f, disk)
	}
	if !disk.exists() {
		if f.Kind == Deleted {
			return PatchResult{File: f, State: PatchApplied}, nil
		}
		return failed(f, disk, fmt.Sprintf("there is no file %s", f.OldPath)), nil
	}
	return r.patchExisting(ctx, f, disk)
}

// alreadyMoved judges a rename or copy whose target exists: done already, or in
// the way.
func (r *Repo) alreadyMoved(f PatchFile, disk, moved version) PatchResult {
	got := fit(moved.data, f.Hunks, false)
	if !f.Binary && (stands(moved.data, f.Hunks) || len(got.problems) == 0 && got.fits == 0) {
		return PatchResult{File: f, State: PatchApplied, before: moved}
	}
	return failed(f, disk, fmt.Sprintf("%s exists already, with another content", f.NewPath))
}

func (r *Repo) patchAdded(ctx context.Context, f PatchFile, disk version) (PatchResult, error) {
	mode := f.NewMode
	if mode == "" {
		mode = ModeFile
	}
	var data []byte
	if f.Binary {
		var err error
		if data, err = r.patchBinary(ctx, f, version{}); err != nil {
			return PatchResult{}, err
		}
	} else {
		got := fit(nil, f.Hunks, false)
		if len(got.problems) > 0 {
			return failed(f, disk, "its hunks do not make a new file"), nil
		}
		data = got.text
		if mode != ModeSymlink {
			// In the form of the work tree, should git convert line ends there.
			var err error
			if data, err = r.asCheckedOut(ctx, f.NewPath, data); err != nil {
				return PatchResult{}, err
			}
		}
	}
	want := newVersion(mode, data)
	switch {
	case disk.same(want):
		return PatchResult{File: f, State: PatchApplied, before: disk}, nil
	case disk.exists() && disk.mode == mode && bytes.Equal(withoutCR(disk.data), withoutCR(data)):
		return PatchResult{File: f, State: PatchApplied, before: disk}, nil
	case disk.exists():
		return failed(f, disk, "the file exists already, with another content"), nil
	}
	return PatchResult{File: f, State: PatchExact, after: want}, nil
}

func withoutCR(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// asCheckedOut is a stored content in the form of the work tree.
func (r *Repo) asCheckedOut(ctx context.Context, path string, data []byte) ([]byte, error) {
	blob, err := r.storeRaw(ctx, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return r.smudged(ctx, path, blob)
}

// patchExisting applies a patch to a file that is there.
func (r *Repo) patchExisting(ctx context.Context, f PatchFile, disk version) (PatchResult, error) {
	res := PatchResult{File: f, State: PatchExact, before: disk}
	if f.recreated != nil && disk.same(newVersion(f.NewMode, fit(nil, f.recreated.Hunks, false).text)) {
		res.State = PatchApplied
		return res, nil
	}
	wasLink := f.OldMode == ModeSymlink
	if f.OldMode != "" && wasLink != (disk.mode == ModeSymlink) {
		return failed(f, disk, "it is a symbolic link in one of the two and a file in the other"), nil
	}
	mode := disk.mode
	if f.NewMode != "" {
		mode = f.NewMode
	}
	isOld, isNew, err := r.named(ctx, f, disk)
	if err != nil {
		return PatchResult{}, err
	}
	if isNew && !isOld && mode == disk.mode && f.OldPath == f.NewPath {
		res.State = PatchApplied
		return res, nil
	}
	if f.Binary {
		if f.Kind == Deleted && f.OldBlob == "" {
			return failed(f, disk, "the patch does not hold the binary content, so it cannot be told whether it is the same"), nil
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
	if len(f.Hunks) > 0 && isBinary(disk.data) {
		return failed(f, disk, "the file on disk is binary"), nil
	}
	got := fit(disk.data, f.Hunks, isOld)
	if f.Kind == Modified && mode == disk.mode && !isOld && (got.moved || len(got.problems) > 0) && stands(disk.data, f.Hunks) {
		res.State = PatchApplied
		return res, nil
	}
	want := newVersion(mode, got.text)
	if f.Kind == Deleted || f.Kind == TypeChange {
		if len(got.text) > 0 && len(got.problems) == 0 {
			got.problems = []PatchProblem{{-1, 0, "the file has more lines than the patch deletes"}}
		}
		want = version{}
		if f.recreated != nil {
			again := fit(nil, f.recreated.Hunks, false)
			want = newVersion(f.NewMode, again.text)
			got.problems = append(got.problems, again.problems...)
		}
	}
	switch {
	case len(got.problems) == 0 && got.fits == 0 && len(f.Hunks) > 0 && f.Kind == Modified && mode == disk.mode,
		f.Kind == ModeOnly && mode == disk.mode:
		res.State = PatchApplied
		return res, nil
	case len(got.problems) == 0:
		res.after = want
		return res, nil
	}
	merged, state, err := r.patchMerge(ctx, f, disk, mode)
	if err != nil {
		return PatchResult{}, err
	}
	switch {
	case state == PatchMerged && merged.same(disk):
		res.State = PatchApplied
		return res, nil
	case state == PatchMerged:
		res.State, res.after = PatchMerged, merged
		return res, nil
	case state == PatchPartial && !merged.same(disk):
		want, got.fits = merged, 1
	}
	res.Problems = got.problems
	if got.fits == 0 || f.Kind == Deleted || f.Kind == TypeChange {
		res.State = PatchFailed
		return res, nil
	}
	res.State, res.after = PatchPartial, want
	return res, nil
}

// patchBinary lets git apply do its work on a temporary index that holds the
// file alone.
func (r *Repo) patchBinary(ctx context.Context, f PatchFile, disk version) ([]byte, error) {
	index, _, done, err := r.tempIndex("")
	if err != nil {
		return nil, err
	}
	defer done()
	if _, err := r.gitIn(ctx, index, nil, "read-tree", "--empty"); err != nil {
		return nil, err
	}
	if disk.exists() {
		blob, err := r.storeRaw(ctx, bytes.NewReader(disk.data))
		if err != nil {
			return nil, err
		}
		mode := f.OldMode
		if mode == "" {
			mode = disk.mode
		}
		if err := r.setEntries(ctx, index, map[string]indexEntry{f.OldPath: {mode, blob}}); err != nil {
			return nil, err
		}
	}
	if _, err := r.gitIn(ctx, index, f.raw, "apply", "--cached", "--whitespace=nowarn", "-p"+strconv.Itoa(f.strip), "-"); err != nil {
		var g *gitError
		if errors.As(err, &g) {
			return nil, fmt.Errorf("%s: the binary change does not fit: %s", f.Path(), g.stderr)
		}
		return nil, err
	}
	entries, err := r.indexEntries(ctx, index, []string{f.Path()})
	if err != nil || entries[f.Path()].mode == "" {
		return nil, err
	}
	return r.Blob(ctx, entries[f.Path()].blob)
}
