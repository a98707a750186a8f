package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Revert brings the before side of a comparison back into the work tree, so far
// as the targets cover the change. If After is not the work tree (a turn), and
// the file has changed since, the two are merged; a file where that would
// conflict is left alone. Untracked files are deleted. Errors: ErrNothing,
// ErrConflict, ErrNoRange, ErrTooLarge, ErrReadOnly, ErrNoSpace, ErrUnsafePath.
//
// If some files of a larger target cannot be reverted, the others are, and
// Outcome.Skipped says why those were not; a file that was named is an error.
func (r *Repo) Revert(ctx context.Context, of Trees, targets []Target) (Outcome, error) {
	r.change.Lock()
	defer r.change.Unlock()
	files, err := r.Compare(ctx, of.Before, of.After)
	if err != nil {
		return Outcome{}, fmt.Errorf("revert: %w", err)
	}
	chosen, err := chooseTargets(files, targets)
	if err != nil {
		return Outcome{}, fmt.Errorf("revert: %w", err)
	}
	var edits []edit
	var skipped []string
	var done []fileTarget
	var reasons []error
	for _, t := range chosen {
		e, err := r.planRevert(ctx, of, t)
		for i := 0; i < len(e) && err == nil; i++ {
			err = r.storable(e[i])
		}
		if err == nil {
			err = t.stale()
		}
		if ctx.Err() != nil {
			return Outcome{}, fmt.Errorf("revert: %w", ctx.Err())
		}
		if err != nil {
			if !everything(targets) {
				return Outcome{}, fmt.Errorf("revert: %w", err)
			}
			reasons = append(reasons, err)
			skipped = append(skipped, err.Error())
			continue
		}
		if len(e) > 0 {
			edits = append(edits, e...)
			done = append(done, t)
		}
	}
	if len(edits) == 0 {
		return Outcome{Skipped: skipped}, fmt.Errorf("revert: %w", errors.Join(append(reasons, fmt.Errorf("%w: the work tree has the old version already", ErrNothing))...))
	}
	verb := "reverted "
	if len(done) == 1 && done[0].ranges == nil && done[0].diff.Before == nil {
		verb = "deleted "
	}
	out, err := r.perform(ctx, undoPrefix, record{operation: "revert", message: verb + summary(done), edits: edits})
	out.Skipped = skipped
	if err != nil {
		return out, fmt.Errorf("revert: %w", err)
	}
	return out, nil
}

func everything(targets []Target) bool {
	for _, t := range targets {
		if t.Path == "" {
			return true
		}
	}
	return false
}

// planRevert finds the edits that revert one file; none if it is as it was.
func (r *Repo) planRevert(ctx context.Context, of Trees, t fileTarget) ([]edit, error) {
	if t.diff.Kind == Submodule || isSubmodule(t.diff.Before) || isSubmodule(t.diff.After) {
		return nil, fmt.Errorf("%s: %w: it is a repository of its own; use git submodule update, or change it there", t.diff.Path(), ErrNoRange)
	}
	if t.ranges != nil {
		return r.planRevertRange(ctx, of, t)
	}
	before, err := r.versionOf(ctx, t.diff.Before)
	if err != nil {
		return nil, err
	}
	var after version
	if of.After != WorkTree {
		if after, err = r.versionOf(ctx, t.diff.After); err != nil {
			return nil, err
		}
	}
	var edits []edit
	add := func(path string, was, want version) error {
		disk, was, err := r.settled(ctx, path, was, t.diff.After)
		if err != nil {
			return err
		}
		if t.diff.Kind == ModeOnly && disk.exists() {
			if !disk.regular() {
				return fmt.Errorf("%s: %w: it is no ordinary file any more; nothing was done to it", path, ErrConflict)
			}
			now := disk
			now.mode, now.perm = want.mode, 0
			if disk.large() {
				return r.tooLarge("change the mode of", path, disk.size)
			}
			want = now
		} else if of.After != WorkTree {
			if want, err = r.mergeOnDisk(ctx, path, was, disk, want); err != nil {
				return err
			}
		}
		if !disk.same(want) {
			edits = append(edits, edit{path, disk, want})
		}
		return nil
	}
	b, a := t.diff.Before, t.diff.After
	switch {
	case b == nil:
		err = add(a.Path, after, version{})
	case a == nil || a.Path == b.Path:
		err = add(b.Path, after, before)
	default:
		// A rename: the content goes back under the old name. What was changed
		// in it since under the new name is merged from there.
		if err = add(a.Path, after, version{}); err == nil {
			err = add(b.Path, version{}, before)
		}
	}
	return edits, err
}

func isSubmodule(s *Side) bool { return s != nil && s.Mode == ModeSubmodule }

// versionOf is a side as it would be in the work tree; nil is no file.
func (r *Repo) versionOf(ctx context.Context, s *Side) (version, error) {
	if s == nil {
		return version{}, nil
	}
	if s.Disk {
		return r.onDisk(s.Path)
	}
	data, err := r.Content(ctx, *s)
	if errors.Is(err, ErrTooLarge) {
		size, err := r.blobSize(ctx, s.Blob)
		return version{mode: r.fileMode(s.Mode), blob: s.Blob, clean: true, size: size}, err
	}
	return newVersion(r.fileMode(s.Mode), data), err
}

func newVersion(mode string, data []byte) version {
	return version{mode: mode, data: data, size: int64(len(data))}
}

// planRevertRange reverts lines of one file.
func (r *Repo) planRevertRange(ctx context.Context, of Trees, t fileTarget) ([]edit, error) {
	path := t.diff.Path()
	before, err := r.versionOf(ctx, t.diff.Before)
	if err != nil {
		return nil, err
	}
	after, err := r.versionOf(ctx, t.diff.After)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.haveLines(path, before), r.haveLines(path, after)); err != nil {
		return nil, err
	}
	disk := after
	if of.After != WorkTree || t.diff.After == nil {
		if disk, after, err = r.settled(ctx, path, after, t.diff.After); err != nil {
			return nil, err
		}
	}
	var c *comparison
	if after.info != nil {
		if c, err = r.compareDiskLines(ctx, t.diff.Before, before.data, path, after.data); err != nil {
			return nil, err
		}
	} else {
		c = compareLines(splitLines(before.data), splitLines(after.data))
	}
	sel, err := choose(c, path, t.ranges)
	if err != nil {
		return nil, err
	}
	want := newVersion(after.mode, c.revert(sel))
	switch {
	case sel.all() && !before.exists():
		want = version{}
	case !after.exists():
		want.mode = before.mode
	}
	if want, err = r.mergeOnDisk(ctx, path, after, disk, want); err != nil {
		return nil, err
	}
	if disk.same(want) {
		return nil, nil
	}
	return []edit{{path, disk, want}}, nil
}

// haveLines refuses what has no lines to choose from.
func (r *Repo) haveLines(path string, v version) error {
	switch {
	case !v.exists():
		return nil
	case v.large() || v.blob != "":
		return r.tooLarge("choose lines of", path, v.size)
	case !v.regular():
		return fmt.Errorf("%s: %w: it is a symbolic link; choose the whole file", path, ErrNoRange)
	case isBinary(v.data):
		return fmt.Errorf("%s: %w: it is binary; choose the whole file", path, ErrNoRange)
	}
	return nil
}

// settled is what is on disk, and what was there after the change: the same,
// if git sees no difference between the two.
func (r *Repo) settled(ctx context.Context, path string, was version, side *Side) (disk, after version, err error) {
	if disk, err = r.onDisk(path); err != nil {
		return disk, was, err
	}
	if side == nil || side.Blob == "" || side.Path != path || disk.mode != was.mode || !disk.regular() || disk.same(was) {
		return disk, was, nil
	}
	same, err := r.holds(ctx, path, version{mode: side.Mode, blob: side.Blob, clean: true})
	if err != nil || !same {
		return disk, was, err
	}
	return disk, disk, nil
}

// holds reports whether the file on disk is the object of a version.
func (r *Repo) holds(ctx context.Context, path string, v version) (bool, error) {
	args := []string{"hash-object", "--", path}
	if !v.clean {
		args = []string{"hash-object", "--no-filters", "--", path}
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return false, fmt.Errorf("compare %s: %w", path, err)
	}
	return strings.TrimSpace(string(out)) == v.blob, nil
}

// mergeOnDisk is what has to be in the work tree so that a change from was to
// want takes effect on what is there now.
func (r *Repo) mergeOnDisk(ctx context.Context, path string, was, disk, want version) (version, error) {
	if disk.same(was) || disk.same(want) || disk.info != nil && disk.info == was.info {
		return want, nil
	}
	conflict := func(why string) error {
		return fmt.Errorf("%s: %w: %s; nothing was done to it", path, ErrConflict, why)
	}
	switch {
	case !disk.exists() && disk.isDir:
		return version{}, conflict("there is a folder of that name now")
	case !disk.exists():
		return version{}, conflict("it has been deleted since")
	case !was.exists():
		return version{}, conflict("it has been made again since, with another content")
	case !want.exists():
		return version{}, conflict("its content has changed since")
	}
	merged, err := r.merge3(ctx, was, disk, want)
	if errors.Is(err, ErrConflict) {
		return version{}, conflict("the same lines have changed since")
	}
	if err != nil {
		return version{}, fmt.Errorf("%s: %w", path, err)
	}
	return merged, nil
}
