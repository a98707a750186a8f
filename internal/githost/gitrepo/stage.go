package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// Stage makes the index as the work tree is, so far as the targets cover the
// uncommitted changes (ranges: before is HEAD, after is the work tree). git's
// filters and line end conversion apply. Files with unresolved conflicts
// (ErrUnmerged) and untracked repositories are not staged.
func (r *Repo) Stage(ctx context.Context, targets []Target) (Outcome, error) {
	r.change.Lock()
	defer r.change.Unlock()
	files, s, err := r.compareDisk(ctx, HEAD)
	if err != nil {
		return Outcome{}, fmt.Errorf("stage: %w", err)
	}
	files = withUnlisted(files, s)
	chosen, err := chooseTargets(files, targets)
	if err != nil {
		return Outcome{}, fmt.Errorf("stage: %w", err)
	}
	var skipped []string
	var whole []string
	var parts []fileTarget
	loose := setOf(s.untracked)
	for _, t := range chosen {
		if err := stageable(t.diff); err != nil {
			if !everything(targets) {
				return Outcome{}, fmt.Errorf("stage: %w", err)
			}
			skipped = append(skipped, err.Error())
			continue
		}
		if t.ranges != nil {
			parts = append(parts, t)
			continue
		}
		for _, side := range []*Side{t.diff.Before, t.diff.After} {
			if side != nil && (s.unstaged[side.Path] || loose[side.Path]) {
				whole = append(whole, side.Path)
			}
		}
	}
	slices.Sort(whole)
	whole = slices.Compact(whole)
	touched := slices.Clone(whole)
	for _, t := range parts {
		touched = append(touched, t.diff.Path())
	}
	if err := r.unfiltered(ctx, touched); err != nil {
		return Outcome{}, fmt.Errorf("stage: %w", err)
	}
	out, err := r.recordIndex(ctx, undoPrefix, func(index string) (record, error) {
		rec := record{operation: "stage", message: "staged " + summary(chosen)}
		before, err := r.index.indexEntries(ctx, index, touched)
		if err != nil {
			return rec, err
		}
		if err := r.index.add(ctx, index, whole); err != nil {
			return rec, err
		}
		set := map[string]indexEntry{}
		for _, t := range parts {
			e, err := r.stagedRange(ctx, t, before[t.diff.Path()])
			if err != nil {
				return rec, err
			}
			set[t.diff.Path()] = e
		}
		if err := r.index.setEntries(ctx, index, set); err != nil {
			return rec, err
		}
		for _, t := range chosen {
			if err := t.stale(); err != nil {
				return rec, err
			}
		}
		after, err := r.index.indexEntries(ctx, index, touched)
		rec.edits = entryEdits(touched, before, after)
		rec.intents = s.intents()
		return rec, err
	})
	out.Skipped = skipped
	if err == nil && out.Undo == "" {
		err = fmt.Errorf("%w: it is staged already", ErrNothing)
		if len(skipped) > 0 {
			err = fmt.Errorf("%w: %s", ErrNothing, strings.Join(skipped, "; "))
		}
	}
	if err != nil {
		return out, fmt.Errorf("stage: %w", err)
	}
	return out, nil
}

// withUnlisted adds the files that are as in HEAD on disk, but not in the index.
func withUnlisted(files []FileDiff, s *status) []FileDiff {
	listed := map[string]bool{}
	for _, f := range files {
		for _, side := range []*Side{f.Before, f.After} {
			if side != nil {
				listed[side.Path] = true
			}
		}
	}
	for _, p := range s.paths {
		if s.unstaged[p] && !listed[p] {
			side := &Side{Path: p, Mode: ModeFile, Disk: true}
			files = append(files, FileDiff{Kind: Modified, Before: side, After: side})
		}
	}
	return files
}

func stageable(f FileDiff) error {
	switch {
	case f.Conflict:
		return fmt.Errorf("%s: %w: resolve it and run git add on it", f.Path(), ErrUnmerged)
	case f.Kind == Submodule && f.Before == nil && f.After.Disk:
		return fmt.Errorf("%s: %w: it is a repository of its own; add it with git submodule add, or ignore it", f.Path(), ErrNoRange)
	}
	return nil
}

func entryEdits(paths []string, before, after map[string]indexEntry) []edit {
	var edits []edit
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		if before[p] != after[p] {
			edits = append(edits, edit{p, entryVersion(before[p]), entryVersion(after[p])})
		}
	}
	return edits
}

// stagedRange is the index entry that has the chosen lines of the work tree and
// is otherwise as now. Both are compared in the form git stores, so that no
// byte of the index passes through a filter that was not chosen.
func (r *Repo) stagedRange(ctx context.Context, t fileTarget, now indexEntry) (indexEntry, error) {
	path := t.diff.Path()
	if t.diff.Kind == Renamed && now.Mode == "" {
		return indexEntry{}, fmt.Errorf("%s: %w before its renaming from %s is staged; stage the whole file first", path, ErrNoRange, t.diff.Before.Path)
	}
	disk, err := r.files.Read(path)
	if err != nil {
		return indexEntry{}, err
	}
	if err := r.haveLines(path, disk); err != nil {
		return indexEntry{}, err
	}
	added, err := r.addedEntry(ctx, path, disk)
	if err != nil {
		return indexEntry{}, err
	}
	nowData, err := r.entryLines(ctx, path, now)
	if err != nil {
		return indexEntry{}, err
	}
	addedData, err := r.entryLines(ctx, path, added)
	if err != nil {
		return indexEntry{}, err
	}
	diskLines := lines.Split(disk.Data)
	if disk.Exists() && !congruent(diskLines, addedData) {
		return indexEntry{}, fmt.Errorf("%s: %w: a filter gives it other lines in the repository than on disk; stage the whole file", path, ErrNoRange)
	}
	c := lines.Compare(nowData, addedData)
	sel := lines.NewChoice(c)
	for _, g := range t.ranges {
		v := lines.CoverOf(g, len(addedData))
		if g.Side == BeforeSide {
			head, err := r.headLines(ctx, t.diff.Before)
			if err != nil {
				return indexEntry{}, err
			}
			// The range counts in HEAD, which the index may differ from.
			v = lines.Compare(head, nowData).Carry(lines.CoverOf(g, len(head)), true)
		}
		if !sel.Add(c, v) {
			return indexEntry{}, coarseError(path)
		}
	}
	switch {
	case !sel.Any():
		return now, nil
	case sel.All() && (now.Mode == "" || added.Mode == ""):
		return added, nil
	}
	mode := now.Mode
	if mode == "" {
		mode = added.Mode
	}
	blob, err := r.content.storeRaw(ctx, bytes.NewReader(c.Apply(sel)))
	if err != nil {
		return indexEntry{}, fmt.Errorf("%s: %w", path, err)
	}
	return indexEntry{mode, blob}, nil
}

// addedEntry is what git add would make of the file on disk.
func (r *Repo) addedEntry(ctx context.Context, path string, disk worktree.Version) (indexEntry, error) {
	if !disk.Exists() {
		return indexEntry{}, nil
	}
	index, _, done, err := r.index.tempIndex("")
	if err != nil {
		return indexEntry{}, err
	}
	defer done()
	if err := r.index.add(ctx, index, []string{path}); err != nil {
		return indexEntry{}, err
	}
	entries, err := r.index.indexEntries(ctx, index, []string{path})
	return entries[path], err
}

// entryLines is the stored content of an entry, as lines.
func (r *Repo) entryLines(ctx context.Context, path string, e indexEntry) (lines.Lines, error) {
	switch e.Mode {
	case "":
		return nil, nil
	case ModeFile, ModeExecutable:
	default:
		return nil, fmt.Errorf("%s: %w: it is not a regular file in the index; stage or unstage the whole file", path, ErrNoRange)
	}
	if e.Blob == r.cmd.EmptyObject("blob") {
		return nil, nil // which need not be stored
	}
	data, err := r.Blob(ctx, e.Blob)
	if errors.Is(err, ErrTooLarge) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return nil, err
	}
	if lines.IsBinary(data) {
		return nil, fmt.Errorf("%s: %w: it is binary; stage or unstage the whole file", path, ErrNoRange)
	}
	return lines.Split(data), nil
}

func (r *Repo) headLines(ctx context.Context, s *Side) (lines.Lines, error) {
	if s == nil || s.Disk {
		return nil, nil
	}
	return r.entryLines(ctx, s.Path, indexEntry{s.Mode, s.Blob})
}

// congruent reports that line i of one form is line i of the other: as many
// Lines, and at least half of them with the same text.
func congruent(disk, stored lines.Lines) bool {
	if len(disk) != len(stored) {
		return false
	}
	same := 0
	for i := range disk {
		if lines.Text(disk[i]) == lines.Text(stored[i]) {
			same++
		}
	}
	return 2*same >= len(disk)
}
