package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/worktree"
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
			err = r.log.storable(e[i])
		}
		if err == nil {
			err = t.stale()
		}
		if err == nil {
			err = r.unfiltered(ctx, pathsOfEdits(e))
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

func pathsOfEdits(edits []edit) []string {
	var paths []string
	for _, e := range edits {
		paths = append(paths, e.path)
	}
	return paths
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
	var after worktree.Version
	if of.After != WorkTree {
		if after, err = r.versionOf(ctx, t.diff.After); err != nil {
			return nil, err
		}
	}
	var edits []edit
	add := func(path string, was, want worktree.Version) error {
		disk, was, err := r.settled(ctx, path, was, t.diff.After)
		if err != nil {
			return err
		}
		if t.diff.Kind == ModeOnly && disk.Exists() {
			if !disk.Regular() {
				return fmt.Errorf("%s: %w: it is no longer a regular file; nothing was done to it", path, ErrConflict)
			}
			now := disk
			now.Mode, now.Perm = want.Mode, 0
			if disk.Large() {
				return r.content.tooLarge("change the mode of", path, disk.Size)
			}
			want = now
		} else if of.After != WorkTree {
			if want, err = r.mergeOnDisk(ctx, path, was, disk, want); err != nil {
				return err
			}
		}
		if !disk.Same(want) {
			edits = append(edits, edit{path, disk, want})
		}
		return nil
	}
	b, a := t.diff.Before, t.diff.After
	switch {
	case b == nil:
		err = add(a.Path, after, worktree.Version{})
	case a == nil || a.Path == b.Path:
		err = add(b.Path, after, before)
	default:
		// A rename: the content goes back under the old name. What was changed
		// in it since under the new name is merged from there.
		if err = add(a.Path, after, worktree.Version{}); err == nil {
			err = add(b.Path, worktree.Version{}, before)
		}
	}
	return edits, err
}

func isSubmodule(s *Side) bool { return s != nil && s.Mode == ModeSubmodule }

// versionOf is a side as it would be in the work tree; nil is no file.
func (r *Repo) versionOf(ctx context.Context, s *Side) (worktree.Version, error) {
	if s == nil {
		return worktree.Version{}, nil
	}
	if s.Disk {
		return r.files.Read(s.Path)
	}
	data, err := r.Content(ctx, *s)
	if errors.Is(err, ErrTooLarge) {
		size, err := r.content.blobSize(ctx, s.Blob)
		return worktree.Version{Mode: r.files.FileMode(s.Mode), Blob: s.Blob, Clean: true, Size: size}, err
	}
	return newVersion(r.files.FileMode(s.Mode), data), err
}

func newVersion(mode string, data []byte) worktree.Version {
	return worktree.Version{Mode: mode, Data: data, Size: int64(len(data))}
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
	var c *lines.Comparison
	if after.Info != nil {
		if c, err = r.compareDiskLines(ctx, t.diff.Before, before.Data, path, after.Data); err != nil {
			return nil, err
		}
	} else {
		c = lines.Compare(lines.Split(before.Data), lines.Split(after.Data))
	}
	sel, err := choose(c, path, t.ranges)
	if err != nil {
		return nil, err
	}
	want := newVersion(after.Mode, c.Revert(sel))
	switch {
	case sel.All() && !before.Exists():
		want = worktree.Version{}
	case !after.Exists():
		want.Mode = before.Mode
	}
	if want, err = r.mergeOnDisk(ctx, path, after, disk, want); err != nil {
		return nil, err
	}
	if disk.Same(want) {
		return nil, nil
	}
	return []edit{{path, disk, want}}, nil
}

// haveLines refuses what has no lines to choose from.
func (r *Repo) haveLines(path string, v worktree.Version) error {
	switch {
	case !v.Exists():
		return nil
	case v.Large() || v.Blob != "":
		return r.content.tooLarge("choose lines of", path, v.Size)
	case !v.Regular():
		return fmt.Errorf("%s: %w: it is a symbolic link; choose the whole file", path, ErrNoRange)
	case lines.IsBinary(v.Data):
		return fmt.Errorf("%s: %w: it is binary; choose the whole file", path, ErrNoRange)
	}
	return nil
}

// settled is what is on disk, and what was there after the change: the same,
// if git sees no difference between the two.
func (r *Repo) settled(ctx context.Context, path string, was worktree.Version, side *Side) (disk, after worktree.Version, err error) {
	if disk, err = r.files.Read(path); err != nil {
		return disk, was, err
	}
	if side == nil || side.Blob == "" || side.Path != path || disk.Mode != was.Mode || !disk.Regular() || disk.Same(was) {
		return disk, was, nil
	}
	same, err := r.content.holds(ctx, path, worktree.Version{Mode: side.Mode, Blob: side.Blob, Clean: true})
	if err != nil || !same {
		return disk, was, err
	}
	return disk, disk, nil
}

// holds reports whether the file on disk is the object of a version.
func (r *contents) holds(ctx context.Context, path string, v worktree.Version) (bool, error) {
	args := []string{"hash-object", "--", path}
	if !v.Clean {
		args = []string{"hash-object", "--no-filters", "--", path}
	}
	out, err := r.cmd.Output(ctx, args...)
	if err != nil {
		return false, fmt.Errorf("compare %s: %w", path, err)
	}
	return strings.TrimSpace(string(out)) == v.Blob, nil
}

// mergeOnDisk is what has to be in the work tree so that a change from was to
// want takes effect on what is there now.
func (r *Repo) mergeOnDisk(ctx context.Context, path string, was, disk, want worktree.Version) (worktree.Version, error) {
	if disk.Same(was) || disk.Same(want) || disk.Info != nil && disk.Info == was.Info {
		return want, nil
	}
	conflict := func(why string) error {
		return fmt.Errorf("%s: %w: %s; nothing was done to it", path, ErrConflict, why)
	}
	switch {
	case !disk.Exists() && disk.IsDir:
		return worktree.Version{}, conflict("there is a folder of that name now")
	case !disk.Exists():
		return worktree.Version{}, conflict("it has been deleted since")
	case !was.Exists():
		return worktree.Version{}, conflict("it has been made again since, with another content")
	case !want.Exists():
		return worktree.Version{}, conflict("its content has changed since")
	}
	merged, err := r.merge3(ctx, was, disk, want)
	if errors.Is(err, ErrConflict) {
		return worktree.Version{}, conflict("the same lines have changed since")
	}
	if err != nil {
		return worktree.Version{}, fmt.Errorf("%s: %w", path, err)
	}
	return merged, nil
}
