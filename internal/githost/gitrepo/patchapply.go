package gitrepo

import (
	"context"
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// ApplyPatch writes what of a patch fits and the targets cover. Ranges are in
// the coordinates of PatchResult.BeforeData and AfterData. Conflict markers are
// never written: hunks that do not fit are left out and named in
// Outcome.Skipped. ErrConflict if nothing fits; ErrNothing if it is there
// already or the targets cover nothing.
func (r *Repo) ApplyPatch(ctx context.Context, files []PatchFile, targets []Target) (Outcome, error) {
	r.change.Lock()
	defer r.change.Unlock()
	results, err := r.PatchAfter(ctx, files)
	if err != nil {
		return Outcome{}, fmt.Errorf("apply: %w", err)
	}
	chosen, err := chooseResults(results, targets)
	if err != nil {
		return Outcome{}, fmt.Errorf("apply: %w", err)
	}
	rec := record{operation: "apply"}
	var skipped []string
	var done []fileTarget
	conflict := false
	for _, c := range chosen {
		if c.ranges == nil {
			for _, p := range c.result.Problems {
				skipped = append(skipped, c.result.problemText(p))
			}
		}
		switch c.result.State {
		case PatchFailed:
			conflict = true
			if c.ranges != nil {
				for _, p := range c.result.Problems {
					skipped = append(skipped, c.result.problemText(p))
				}
			}
			continue
		case PatchApplied:
			skipped = append(skipped, c.result.File.Path()+": it has the change already")
			continue
		}
		edits, err := r.planApply(c)
		if err == nil {
			err = fileTarget{diff: c.result.Diff, seen: c.seen}.stale()
		}
		if err != nil {
			return Outcome{}, fmt.Errorf("apply: %w", err)
		}
		rec.edits = append(rec.edits, edits...)
		done = append(done, fileTarget{diff: c.result.Diff, ranges: c.ranges})
	}
	if len(rec.edits) == 0 {
		kind := ErrNothing
		if conflict {
			kind = ErrConflict
		}
		return Outcome{Skipped: skipped}, fmt.Errorf("apply: %w: %s", kind, strings.Join(skipped, "; "))
	}
	if err := r.unfiltered(ctx, pathsOfEdits(rec.edits)); err != nil {
		return Outcome{}, fmt.Errorf("apply: %w", err)
	}
	rec.message = "applied " + summary(done)
	if len(skipped) > 0 {
		rec.message += fmt.Sprintf(", but not all (%d left out)", len(skipped))
	}
	out, err := r.perform(ctx, undoPrefix, rec)
	out.Skipped = skipped
	if err != nil {
		return out, fmt.Errorf("apply: %w", err)
	}
	return out, nil
}

type resultTarget struct {
	result PatchResult
	ranges []Range
	seen   []func(FileDiff) bool
}

func chooseResults(results []PatchResult, targets []Target) ([]resultTarget, error) {
	files := make([]FileDiff, len(results))
	at := map[string]int{}
	for i, p := range results {
		// By the patch's own names, which a failed file has too.
		files[i] = FileDiff{Kind: p.File.Kind}
		if p.File.OldPath != "" {
			files[i].Before = &Side{Path: p.File.OldPath}
		}
		if p.File.NewPath != "" {
			files[i].After = &Side{Path: p.File.NewPath}
		}
		at[p.File.Path()] = i
	}
	chosen, err := chooseTargets(files, targets)
	if err != nil {
		return nil, err
	}
	out := make([]resultTarget, len(chosen))
	for i, c := range chosen {
		out[i] = resultTarget{results[at[c.diff.Path()]], c.ranges, c.seen}
	}
	return out, nil
}

// problemText is a problem as a sentence of its own.
func (p PatchResult) problemText(q PatchProblem) string {
	if q.Hunk < 0 {
		return fmt.Sprintf("%s: %s", p.File.Path(), q.Reason)
	}
	return fmt.Sprintf("%s: hunk %d of %d: %s", p.File.Path(), q.Hunk+1, len(p.File.Hunks), q.Reason)
}

// planApply finds the edits that apply one file, or lines of it.
func (r *Repo) planApply(c resultTarget) ([]edit, error) {
	p, f := c.result, c.result.File
	want := p.after
	if c.ranges != nil {
		for _, v := range []worktree.Version{p.before, p.after} {
			if err := r.haveLines(f.Path(), v); err != nil {
				return nil, err
			}
		}
		cmp := lines.Compare(lines.Split(p.before.Data), lines.Split(p.after.Data))
		sel, err := choose(cmp, f.Path(), c.ranges)
		if err != nil {
			return nil, err
		}
		if !sel.All() {
			if f.Kind == Renamed || f.Kind == Copied {
				return nil, fmt.Errorf("%s: %w: it is renamed or copied by the patch; apply the whole file", f.Path(), ErrNoRange)
			}
			mode := p.before.Mode
			if mode == "" {
				mode = p.after.Mode
			}
			want = newVersion(mode, cmp.Apply(sel))
		}
	}
	if f.Kind == Deleted {
		return []edit{{f.OldPath, p.before, want}}, nil
	}
	if f.Kind == Renamed || f.Kind == Copied {
		// Where the patch goes there is nothing, or it would not fit.
		if want.Perm = p.before.Perm; f.Kind == Copied {
			return []edit{{f.NewPath, worktree.Version{}, want}}, nil
		}
		return []edit{{f.OldPath, p.before, worktree.Version{}}, {f.NewPath, worktree.Version{}, want}}, nil
	}
	return []edit{{f.Path(), p.before, want}}, nil
}
