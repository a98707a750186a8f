package gitrepo

import (
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/lines"
)

// fileTarget is a changed file and what of it is meant: all, or some ranges.
type fileTarget struct {
	diff   FileDiff
	ranges []Range // nil is the whole file
	seen   []func(FileDiff) bool
}

// stale is an error if the change is not the one that has been seen.
func (t fileTarget) stale() error {
	for _, seen := range t.seen {
		if !seen(t.diff) {
			return staleError(t.diff.Path())
		}
	}
	return nil
}

func staleError(path string) error {
	return fmt.Errorf("%s %w; look at it again, then retry", path, ErrStale)
}

// chooseTargets finds the changed files that the targets name, in the order of
// files, each once. Naming a file without a change is ErrNothing.
func chooseTargets(files []FileDiff, targets []Target) ([]fileTarget, error) {
	chosen := make([]*fileTarget, len(files))
	for _, t := range targets {
		if t.Path == "" {
			if t.Range != nil {
				return nil, fmt.Errorf("a range without a file: %w", ErrNothing)
			}
			for i := range files {
				chosen[i] = &fileTarget{diff: files[i]}
			}
			continue
		}
		i := findFile(files, t)
		if i < 0 {
			return nil, fmt.Errorf("%s: %w: it has no change here; it may have been undone already", t.Path, ErrNothing)
		}
		first := chosen[i] == nil
		if first {
			chosen[i] = &fileTarget{diff: files[i]}
		}
		c := chosen[i]
		switch {
		case t.Range == nil:
			c.ranges = nil
		case first || c.ranges != nil:
			c.ranges = append(c.ranges, *t.Range)
		}
		if t.Seen != nil {
			c.seen = append(c.seen, t.Seen)
		}
	}
	var out []fileTarget
	for _, c := range chosen {
		if c != nil {
			out = append(out, *c)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: there are no changes", ErrNothing)
	}
	return out, nil
}

// findFile prefers the side that a range names: of a rename and a new file at
// its old path, either could be meant.
func findFile(files []FileDiff, t Target) int {
	after, before := -1, -1
	for i, f := range files {
		if f.After != nil && f.After.Path == t.Path {
			after = i
		}
		if f.Before != nil && f.Before.Path == t.Path {
			before = i
		}
	}
	if after < 0 || before >= 0 && t.Range != nil && t.Range.Side == BeforeSide {
		return before
	}
	return after
}

// choose turns ranges into a choice of lines. ErrNothing if they cover no
// change.
func choose(c *lines.Comparison, path string, ranges []Range) (lines.Choice, error) {
	sel := lines.NewChoice(c)
	for _, g := range ranges {
		n := len(c.After)
		if g.Side == BeforeSide {
			n = len(c.Before)
		}
		if !sel.Add(c, lines.CoverOf(g, n)) {
			return nil, coarseError(path)
		}
	}
	if !sel.Any() {
		return nil, fmt.Errorf("%s: %w: there is no change in %s", path, ErrNothing, rangesText(ranges))
	}
	return sel, nil
}

func coarseError(path string) error {
	return fmt.Errorf("%s: %w to compare line by line; choose the whole file", path, ErrTooLarge)
}

// rangesText names ranges for people, who count lines from one.
func rangesText(ranges []Range) string {
	var parts []string
	for _, g := range ranges {
		var s string
		switch n := g.End - g.Start; {
		case n <= 0:
			s = fmt.Sprintf("the place before line %d", g.Start+1)
		case n == 1:
			s = fmt.Sprintf("line %d", g.Start+1)
		default:
			s = fmt.Sprintf("lines %d–%d", g.Start+1, g.End)
		}
		if g.Side == BeforeSide {
			s += " of the old version"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// summary is what an operation's message says it was done to.
func summary(targets []fileTarget) string {
	if len(targets) != 1 {
		return fmt.Sprintf("%d files", len(targets))
	}
	t := targets[0]
	if t.ranges != nil {
		return fmt.Sprintf("%s of %s", rangesText(t.ranges), t.diff.Path())
	}
	return t.diff.Path()
}
