package mapping

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// realPairs are two versions of real files: of the modules of which the module
// cache holds several versions, and of this package's sources, rewritten.
func realPairs(t *testing.T, most int) []filePair {
	var pairs []filePair
	for _, p := range append(rewrittenSources(t), cachedPairs(t)...) {
		if len(pairs) < most {
			pairs = append(pairs, p)
		}
	}
	require.GreaterOrEqual(t, len(pairs), min(most, 100))
	return pairs
}

func rewrittenSources(t *testing.T) (pairs []filePair) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for i, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		before := NewText(string(data))
		for k := range uint64(3) {
			lines, _ := rewrite(before, rand.New(rand.NewPCG(uint64(i), k)), true)
			after := strings.Join(lines, "\n")
			if k > 0 {
				after += "\n"
			}
			pairs = append(pairs, filePair{name: fmt.Sprintf("%s#%d", path, k), before: before, after: NewText(after)})
		}
	}
	return pairs
}

// cachedPairs looks for modules in several versions in the module cache.
func cachedPairs(t *testing.T) (pairs []filePair) {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	cache := strings.TrimSpace(string(out))
	var dirs []string
	for _, pattern := range []string{"*/*@*", "*/*/*@*"} {
		found, err := filepath.Glob(filepath.Join(cache, pattern))
		require.NoError(t, err)
		dirs = append(dirs, found...)
	}
	sort.Strings(dirs)
	for i := range len(dirs) - 1 {
		name, _, _ := strings.Cut(dirs[i], "@")
		if next, _, _ := strings.Cut(dirs[i+1], "@"); name != next {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dirs[i], "*", "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			rel, _ := filepath.Rel(dirs[i], path)
			x, err := os.ReadFile(path)
			y, err2 := os.ReadFile(filepath.Join(dirs[i+1], rel))
			if err == nil && err2 == nil && string(x) != string(y) && len(x) < 256<<10 {
				pairs = append(pairs, filePair{name: filepath.Base(name) + "/" + rel, before: NewText(string(x)), after: NewText(string(y))})
			}
		}
	}
	return pairs
}

// fullLines are the lines of a text with their line ends.
func fullLines(t *Text) []string {
	out := make([]string, t.contentLines())
	for i := range out {
		out[i] = t.Slice(t.FullLine(i))
	}
	return out
}

// revertedBytes is the model: it puts the lines together one by one. chosen says
// for a line of after whether it is taken back, and for a removal whether it is.
func revertedBytes(before, after *Text, hunks []Hunk, line func(hunk, k int) bool, removal func(hunk int) bool) string {
	x, y := fullLines(before), fullLines(after)
	var out []string
	j := 0
	for n, h := range hunks {
		out = append(out, y[j:h.After.Start]...)
		was, is := x[h.Before.Start:h.Before.End], y[h.After.Start:h.After.End]
		if len(is) == 0 && removal(n) {
			out = append(out, was...)
		}
		for k := range is {
			switch last := k == len(is)-1; {
			case !line(n, k):
				out = append(out, is[k])
			case last && k < len(was):
				out = append(out, was[k:]...)
			case k < len(was):
				out = append(out, was[k])
			}
		}
		j = h.After.End
	}
	out = append(out, y[j:]...)
	open := func(lines []string) bool { return len(lines) > 0 && !strings.HasSuffix(lines[len(lines)-1], "\n") }
	if n := len(hunks) - 1; n >= 0 && j == len(y) && len(out) > 0 && open(x) && open(y) && !hunks[n].After.Empty() && line(n, hunks[n].After.Len()-1) {
		// The text ended without a line end before the lines at its end were added.
		out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "\n")
	}
	var sb strings.Builder
	for i, s := range out {
		if sb.WriteString(s); i+1 < len(out) && !strings.HasSuffix(s, "\n") {
			sb.WriteString("\n") // the line ended its file, but does not end this one
		}
	}
	return sb.String()
}

func requireReverts(t *testing.T, p filePair, rng *rand.Rand) {
	c := NewFileChange(p.before, p.after)
	placed := c.Place(After, p.after)
	lines := p.after.contentLines()
	reverted := func(hunks []PlacedHunk) string { return p.after.Apply(c.RevertEdits(hunks, p.after)).String() }

	whole := LineRange{0, p.after.LineCount()}
	require.Equal(t, p.before.String(), reverted(SelectHunks(placed, whole)), "%s: every hunk", p.name)
	require.Equal(t, p.before.String(), reverted(SelectLines(p.after, placed, whole)), "%s: every line", p.name)
	for k := range min(len(placed), 10) {
		want := revertedBytes(p.before, p.after, c.Hunks, func(n, _ int) bool { return n == k }, func(n int) bool { return n == k })
		require.Equal(t, want, reverted(placed[k:k+1]), "%s: hunk %d", p.name, k)
	}
	for range 10 {
		from := rng.IntN(lines + 1)
		sel := LineRange{from, min(from+1+rng.IntN(60), lines+1)}
		touched := func(n int) bool { return placed[n].Touches(sel) }
		if sel.Len() > 1 {
			want := revertedBytes(p.before, p.after, c.Hunks, func(n, _ int) bool { return touched(n) }, touched)
			require.Equal(t, want, reverted(SelectHunks(placed, sel)), "%s: hunks on %v", p.name, sel)
		}
		selected := func(n, k int) bool { at := c.Hunks[n].After.Start + k; return sel.Start <= at && at < sel.End }
		between := func(n int) bool {
			at := c.Hunks[n].After.Start
			return (sel.Start < at || at == 0 && sel.Start == 0) && (at < sel.End || at == lines && sel.End >= lines)
		}
		want := revertedBytes(p.before, p.after, c.Hunks, selected, between)
		require.Equal(t, want, reverted(SelectLines(p.after, placed, sel)), "%s: lines %v", p.name, sel)
	}
	if k := len(placed); k > 0 {
		// Inside one hunk.
		h := placed[rng.IntN(k)]
		for i := h.Lines.Start; i < min(h.Lines.End, h.Lines.Start+10); i++ {
			sel := LineRange{i, i + 1}
			want := revertedBytes(p.before, p.after, c.Hunks, func(n, k int) bool { return c.Hunks[n].After.Start+k == i }, func(int) bool { return false })
			require.Equal(t, want, reverted(SelectLines(p.after, []PlacedHunk{h}, sel)), "%s: line %d", p.name, i)
		}
	}
}

func TestRevertRealFiles(t *testing.T) {
	pairs := realPairs(t, 400)
	for i, p := range pairs {
		requireReverts(t, p, rand.New(rand.NewPCG(uint64(i), 11)))
	}
	t.Logf("%d pairs of files", len(pairs))
}

func TestRevertSmallFiles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := filePair{before: NewText(drawFile(rt, "before")), after: NewText(drawFile(rt, "after"))}
		p.name = fmt.Sprintf("%q → %q", p.before.String(), p.after.String())
		requireReverts(t, p, rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)))
	})
}

// Of a range over several hunks those that only remove lines are reverted too,
// also at its ends; a cursor between two removals means the one above it.
func TestSelectHunks(t *testing.T) {
	before, after := NewText("z\na\nb\nc\nd\ne\nf\n"), NewText("a\nc\nD\ne\n")
	c := NewFileChange(before, after)
	placed := c.Place(After, after)
	index := func(from, to int) (out []int) {
		for _, p := range SelectHunks(placed, LineRange{from, to}) {
			out = append(out, p.Index)
		}
		return out
	}
	require.Len(t, placed, 4)
	require.Equal(t, []int{0, 1, 2, 3}, index(0, 4), "the whole file")
	require.Equal(t, []int{0}, index(0, 1))
	require.Equal(t, []int{1}, index(1, 2))
	require.Equal(t, []int{2}, index(2, 3))
	require.Equal(t, []int{1, 2}, index(1, 3))
	require.Equal(t, []int{2, 3}, index(2, 4))
	require.Equal(t, []int{3}, index(3, 4))
}
