package mapping

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLineEndHunks(t *testing.T) {
	type hunk struct {
		lines LineRange
		title string
	}
	for name, c := range map[string]struct {
		before, after string
		want          []hunk
	}{
		"a whole file": {"a\nb\nc\n", "a\r\nb\r\nc\r\n", []hunk{{LineRange{0, 3}, "lines 1–3: line ends only, LF → CRLF"}}},
		"back":         {"a\r\nb\r\n", "a\nb\n", []hunk{{LineRange{0, 2}, "lines 1–2: line ends only, CRLF → LF"}}},
		"one line":     {"a\nb\nc\n", "a\nb\r\nc\n", []hunk{{LineRange{1, 2}, "line 2: line ends only, LF → CRLF"}}},
		"two runs": {"a\nb\nc\nd\n", "a\r\nb\nc\nd\r\n", []hunk{
			{LineRange{0, 1}, "line 1: line ends only, LF → CRLF"}, {LineRange{3, 4}, "line 4: line ends only, LF → CRLF"}}},
		"mixed before": {"a\r\nb\rc\n", "a\nb\nc\n", []hunk{{LineRange{0, 2}, "lines 1–2: line ends only, mixed → LF"}}},
		"around a change": {"a\nb\nc\n", "a\r\nX\r\nc\r\n", []hunk{
			{LineRange{0, 1}, "line 1: line ends only, LF → CRLF"}, {LineRange{1, 2}, "line 2"}, {LineRange{2, 3}, "line 3: line ends only, LF → CRLF"}}},
		"an open last line": {"a\nb", "a\r\nb", []hunk{{LineRange{0, 1}, "line 1: line ends only, LF → CRLF"}}},
		"none":              {"a\r\nb\n", "a\r\nb\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := NewText(c.before), NewText(c.after)
			change := NewFileChange(before, after)
			placed := change.Place(After, after)
			var got []hunk
			for _, p := range placed {
				require.Equal(t, HunkLive, p.State)
				got = append(got, hunk{p.Lines, p.Title()})
				require.Equal(t, p.LineEnds == "", strings.HasPrefix(change.HunkMarkdown(p.Hunk), "```"))
			}
			require.Equal(t, c.want, got)
			require.Equal(t, c.before, after.Apply(change.RevertEdits(placed, after)).String())
		})
	}
}

// A buffer that an editor gave other line ends is never told to hold the change.
func TestLineEndHunksInABuffer(t *testing.T) {
	c := NewFileChange(NewText("a\nb\n"), NewText("a\r\nb\r\n"))
	for buffer, want := range map[string]HunkState{
		"a\r\nb\r\n": HunkLive, "a\nb\n": HunkUndone, "a\nb\r\n": HunkEdited, "new\r\na\r\nb\r\n": HunkLive, "a\r\nB\r\n": HunkEdited,
	} {
		require.Equal(t, want, c.Place(After, NewText(buffer))[0].State, "%q", buffer)
	}
	require.Equal(t, HunkLive, c.Place(Before, NewText("a\nb\n"))[0].State)
	require.NotEqual(t, c.Keys, NewFileChange(NewText("a\r\nb\r\n"), NewText("a\nb\n")).Keys)
}

// withEnds gives lines other ends: all of them, one run, or some at random.
func withEnds(text string, rng *rand.Rand) string {
	lines := strings.SplitAfter(text, "\n")
	from, to := 0, len(lines)
	if rng.IntN(2) == 0 {
		from = rng.IntN(len(lines))
		to = min(from+1+rng.IntN(8), len(lines))
	}
	sparse := rng.IntN(3) == 0
	for i := from; i < to; i++ {
		if strings.HasSuffix(lines[i], "\n") && (!sparse || rng.IntN(2) == 0) {
			lines[i] = strings.TrimSuffix(lines[i], "\n") + "\r\n"
		}
	}
	return strings.Join(lines, "")
}

// requireLineEnds: real changes to which a change of line ends was added are
// reverted to the byte, all at once, and each run alone.
func requireLineEnds(t *testing.T, name string, before, after *Text) {
	c := NewFileChange(before, after)
	placed := c.Place(After, after)
	require.Equal(t, before.String(), after.Apply(c.RevertEdits(placed, after)).String(), name)
	require.Equal(t, Hunks(before, after), contentOnly(c), "%s: hunks by content are what they were", name)
	x, y := fullLines(before), fullLines(after)
	for i, p := range placed {
		if p.LineEnds == "" || i%5 > 0 {
			continue
		}
		h := p.Hunk
		want := strings.Join(y[:h.After.Start], "") + strings.Join(x[h.Before.Start:h.Before.End], "") + strings.Join(y[h.After.End:], "")
		require.Equal(t, want, after.Apply(c.RevertEdits([]PlacedHunk{p}, after)).String(), "%s: run %d", name, i)
		for k := h.After.Start; k < h.After.End; k++ {
			require.NotEqual(t, x[h.Before.Start+k-h.After.Start], y[k], "%s: line %d did not change", name, k)
		}
		if part := SelectLines(after, []PlacedHunk{p}, LineRange{h.After.Start, h.After.Start + 1}); len(part) > 0 {
			k := h.After.Start
			want := strings.Join(y[:k], "") + x[h.Before.Start] + strings.Join(y[k+1:], "")
			require.Equal(t, want, after.Apply(c.RevertEdits(part, after)).String(), "%s: the first line of run %d", name, i)
		}
	}
}

func contentOnly(c *FileChange) (out []Hunk) {
	for i, h := range c.Hunks {
		if c.LineEnds[i] == "" {
			out = append(out, h)
		}
	}
	return out
}

func TestRevertLineEndsOfRealFiles(t *testing.T) {
	for i, p := range realPairs(t, 120) {
		rng := rand.New(rand.NewPCG(uint64(i), 12))
		crlf := NewText(strings.ReplaceAll(p.before.String(), "\n", "\r\n"))
		for k, texts := range [][2]*Text{
			{p.before, NewText(withEnds(p.after.String(), rng))},
			{NewText(withEnds(p.before.String(), rng)), p.after},
			{p.before, crlf},
			{crlf, p.before},
		} {
			requireLineEnds(t, fmt.Sprintf("%s (%d)", p.name, k), texts[0], texts[1])
		}
	}
}

func TestRevertLineEndsOfSmallFiles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		before, after := NewText(withEnds(drawFile(rt, "before"), rng)), NewText(withEnds(drawFile(rt, "after"), rng))
		requireLineEnds(t, fmt.Sprintf("%q → %q", before.String(), after.String()), before, after)
	})
}
