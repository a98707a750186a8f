package mapping

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// smallParts makes the sizes small from which texts are cut, so that small
// inputs reach every branch.
func smallParts(tb testing.TB) {
	room, exact, part := slideRoom, exactLines, partLines
	slideRoom, exactLines, partLines = 2, 12, 8
	tb.Cleanup(func() { slideRoom, exactLines, partLines = room, exact, part })
}

// requireHunks holds hunks to the model: they are in order and apart, no one
// begins or ends with a line both sides have, and applying them to before gives
// after to the byte, where both use one kind of line end.
func requireHunks(t require.TestingT, before, after *Text, hunks []Hunk) {
	line := func(t *Text, i int) string { return t.Slice(t.FullLine(i)) }
	i, j := 0, 0
	for k, h := range hunks {
		require.False(t, h.Before.Empty() && h.After.Empty(), "hunk %d is empty", k)
		require.Equal(t, h.Before.Start-i, h.After.Start-j, "hunk %d: equal lines before it", k)
		require.True(t, k == 0 || h.Before.Start > i, "hunks %d and %d touch", k-1, k)
		for ; i < h.Before.Start; i, j = i+1, j+1 {
			if x, y := line(before, i), line(after, j); x != y {
				require.Equal(t, x, y, "lines %d and %d", i, j)
			}
		}
		i, j = h.Before.End, h.After.End
		if !h.Before.Empty() && !h.After.Empty() {
			require.NotEqual(t, line(before, h.Before.Start), line(after, h.After.Start), "hunk %d %v begins with an equal line", k, h)
			require.NotEqual(t, line(before, i-1), line(after, j-1), "hunk %d %v ends with an equal line", k, h)
		}
	}
	require.Equal(t, before.contentLines()-i, after.contentLines()-j)
	require.Equal(t, after.String(), applyHunks(before, after, hunks))
}

// changedLines is the number of lines removed and added.
func changedLines(hunks []Hunk) (n int) {
	for _, h := range hunks {
		n += h.Before.Len() + h.After.Len()
	}
	return n
}

// Ten lines changed all over a text of any size are ten hunks of one line: over
// 1 MiB, over 50 000 lines, where every line is unique, none is, or one line is
// everywhere.
func TestFewChangesInALargeText(t *testing.T) {
	for name, line := range map[string]func(i int) string{
		"unique lines": func(i int) string { return fmt.Sprintf("line %d of a text that is large", i) },
		"like source":  nil,
		"no unique":    func(i int) string { return fmt.Sprintf("\tvalue %d", i*i%997) },
		"one line":     func(i int) string { return "\t}" },
	} {
		t.Run(name, func(t *testing.T) {
			lines := sourceText(76_501)
			for i := range lines {
				if line != nil {
					lines[i] = line(i)
				}
			}
			changed := append([]string(nil), lines...)
			var want []Hunk
			for k := range 10 {
				i := k * (len(lines) - 1) / 9
				changed[i] += fmt.Sprintf(" // changed %d", k)
				want = append(want, Hunk{LineRange{i, i + 1}, LineRange{i, i + 1}})
			}
			require.Equal(t, want, Hunks(joined(lines), joined(changed)))
		})
	}
}

// Large texts with edits all over and a block moved over 49 000 lines.
func TestLargeTextsAgainstGit(t *testing.T) {
	if testing.Short() {
		t.Skip("compares large texts")
	}
	for name, lines := range map[string][]string{
		"like source": sourceText(80_000),
		"no unique":   numbered(80_000, 499),
		"random":      randomLines(60_000, 4000, 4),
	} {
		for _, edits := range []int{10, 300, 10_000} {
			t.Run(fmt.Sprintf("%s/%d", name, edits), func(t *testing.T) {
				changed := editLines(lines, edits)
				moved := append([]string(nil), changed[1000:1040]...)
				changed = append(changed[:1000:1000], changed[1040:]...)
				changed = append(changed[:50_000:50_000], append(moved, changed[50_000:]...)...)
				before, after := joined(lines), joined(changed)
				hunks := Hunks(before, after)
				requireHunks(t, before, after, hunks)
				require.LessOrEqual(t, changedLines(hunks), changedLines(minimalHunks(t, before, after))*21/20, "lines changed, against git diff --minimal")
			})
		}
	}
}

func numbered(n, mod int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("\tvalue %d", i*i%mod)
	}
	return lines
}

// randomLines is n lines out of kinds different ones.
func randomLines(n, kinds int, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, seed))
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprint("\tvalue ", rng.IntN(kinds))
	}
	return lines
}

// minimalHunks is what git diff --minimal says.
func minimalHunks(t *testing.T, before, after *Text) []Hunk {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	x, y := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	require.NoError(t, os.WriteFile(x, []byte(before.String()), 0o600))
	require.NoError(t, os.WriteFile(y, []byte(after.String()), 0o600))
	return gitHunks(t, x, y, "--minimal")
}

// Whatever the texts, the hunks are right, cut into parts or not.
func TestCutPartsAreRight(t *testing.T) {
	smallParts(t)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "}", "", "\tx", "\ty", "é𝒳", "u1", "u2", "u3", "u4"}), 0, 60)
		x := lines.Draw(t, "before")
		y := append([]string(nil), x...)
		if rapid.Bool().Draw(t, "unrelated") {
			y = lines.Draw(t, "after")
		}
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			i := rapid.IntRange(0, len(y)).Draw(t, "at")
			n := rapid.IntRange(0, min(5, len(y)-i)).Draw(t, "removed")
			y = append(append([]string(nil), y[:i]...), y[i+n:]...)
			if rapid.Bool().Draw(t, "add") {
				y = append(append(append([]string(nil), y[:i]...), "n", "}", "b"), y[i:]...)
			}
		}
		before, after := NewText(strings.Join(x, "\n")+"\n"), NewText(strings.Join(y, "\n")+"\n")
		hunks := Hunks(before, after)
		requireHunks(t, before, after, hunks)
	})
}

// FuzzLargeHunks compares any two texts, with the real sizes and with small ones.
func FuzzLargeHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd\n")
	f.Add(strings.Repeat("}\n", 40), strings.Repeat("}\n", 20)+"x\n"+strings.Repeat("}\n", 19))
	f.Add("", "a")
	smallParts(f)
	f.Fuzz(func(t *testing.T, x, y string) {
		if strings.Contains(x+y, "\r") || strings.Contains(x+y, byteOrderMark) {
			t.Skip("line ends and marks compare equal")
		}
		requireHunks(t, NewText(x), NewText(y), Hunks(NewText(x), NewText(y)))
	})
}

// BenchmarkLargeHunks compares texts beyond the size that the differ gets in one
// piece: with few changes, with many, and with nothing in common but blank lines
// and brackets.
func BenchmarkLargeHunks(b *testing.B) {
	source := sourceText(200_000)
	same := numbered(200_000, 499)
	other := make([]string, len(source))
	for i, s := range source {
		if len(s) > 20 {
			s = fmt.Sprintf("\tother%d := make(%d)", i, i)
		}
		other[len(other)-1-i] = s
	}
	for _, c := range []struct {
		name          string
		before, after []string
	}{
		{"10-changes", source, editLines(source, 10)},
		{"10000-changes", source, editLines(source, 10_000)},
		{"no-unique-line/10-changes", same, editLines(same, 10)},
		{"no-unique-line/10000-changes", same, editLines(same, 10_000)},
		{"rewritten", source, other},
		{"unrelated-without-unique-lines", randomLines(200_000, 50, 1), randomLines(200_000, 50, 2)},
	} {
		b.Run(c.name, func(b *testing.B) {
			before, after := joined(c.before), joined(c.after)
			for b.Loop() {
				Hunks(before, after)
			}
		})
	}
}

// An edit that keeps the hunks keeps those of texts compared in parts too.
func TestEditKeepsHunksOfParts(t *testing.T) {
	smallParts(t)
	TestAlignmentEditKeepsWhatItCan(t)
}
