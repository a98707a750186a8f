package lines

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ahp-lsp/internal/githost/gitrepo/lines/linestest"
	"ahp-lsp/mapping"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// modelRevert is the rule of the package comment, written down once more: line
// by line, without regard to shifted positions and lines ends that go missing.
func modelRevert(c *Comparison, side string, start, end int) Lines {
	var out Lines
	in := func(i int) bool { return i >= start && i < end }
	sideLen := len(c.After)
	if side == BeforeSide {
		sideLen = len(c.Before)
	}
	gap := func(p int) bool { // is the place before line p of the side selected?
		if start == end {
			return p == start
		}
		return (p > start || p == 0 && start == 0) && (p < end || p == sideLen && end == sideLen)
	}
	b, a := 0, 0
	for _, k := range append(slices.Clone(c.blocks), block{b0: len(c.Before), b1: len(c.Before), a0: len(c.After), a1: len(c.After)}) {
		out = append(out, c.After[a:k.a0]...)
		own0, own1 := k.a0, k.a1
		if side == BeforeSide {
			own0, own1 = k.b0, k.b1
		}
		hit := 0
		for i := own0; i < own1; i++ {
			if in(i) {
				hit++
			}
		}
		m, n := k.b1-k.b0, k.a1-k.a0
		switch {
		case own0 == own1 && gap(own0), own0 < own1 && hit == own1-own0:
			out = append(out, c.Before[k.b0:k.b1]...)
		default:
			for u := 0; u < max(m, n); u++ {
				covered := own0+u < own1 && in(own0+u)
				if u < m && (covered || u >= n && covered) {
					out = append(out, c.Before[k.b0+u])
				} else if u < n && !covered {
					out = append(out, c.After[k.a0+u])
				}
			}
		}
		b, a = k.b1, k.a1
	}
	_ = b
	return out
}

// mended are the forms the joined lines may take where a line end is missing
// inside.
func mended(l Lines) []string {
	out := []string{""}
	for i, s := range l {
		ends := []string{""}
		if i+1 < len(l) && End(s) == "" {
			ends = []string{"\n", "\r\n", "\r"}
		}
		var next []string
		for _, o := range out {
			for _, e := range ends {
				next = append(next, o+s+e)
			}
		}
		out = next
	}
	return out
}

func TestAlignmentProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := linestest.Text(t, "before", 12)
		after := linestest.Edited(t, before)
		c := Compare(Split([]byte(before)), Split([]byte(after)))
		require.Equal(t, before, joined(c.Before))
		b, a := 0, 0
		for _, k := range c.blocks {
			require.Equal(t, c.Before[b:k.b0], c.After[a:k.a0])
			require.Positive(t, k.removed()+k.added())
			b, a = k.b1, k.a1
		}
		require.Equal(t, c.Before[b:], c.After[a:])
		none, every := NewChoice(c), NewChoice(c)
		for i := range every {
			every.selectBlock(i)
		}
		require.Equal(t, after, string(c.Revert(none)))
		require.Equal(t, before, string(c.Revert(every)))
		require.Equal(t, before, string(c.Apply(none)))
		require.Equal(t, after, string(c.Apply(every)))
	})
}

func TestRangeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := linestest.Text(t, "before", 12)
		after := linestest.Edited(t, before)
		c := Compare(Split([]byte(before)), Split([]byte(after)))
		side, start, end, n := linestest.Range(t, len(c.Before), len(c.After))
		g := Range{side, start, end}
		sel := NewChoice(c)
		v := CoverOf(g, n)
		require.True(t, sel.Add(c, v))
		got := string(c.Revert(sel))

		want := mended(modelRevert(c, g.Side, g.Start, g.End))
		if i := c.shiftedTo(v); i >= 0 {
			k := c.blocks[i]
			whole := block{b0: k.b0, b1: k.b1, a0: k.a0, a1: k.a1}
			want = mended(slices.Concat(c.After[:whole.a0], c.Before[whole.b0:whole.b1], c.After[whole.a1:]))
		}
		require.Contains(t, want, got)

		// Whatever the rule: what is outside stays, byte for byte.
		if g.Side == AfterSide {
			head, tail := joined(c.After[:g.Start]), joined(c.After[g.End:])
			require.True(t, strings.HasPrefix(got, head), "%q does not begin with %q", got, head)
			require.True(t, strings.HasSuffix(got, tail), "%q does not end with %q", got, tail)
		}
		rest := NewChoice(c)
		for i := range sel {
			for u := range sel[i] {
				rest[i][u] = !sel[i][u]
			}
		}
		require.Equal(t, got, string(c.Apply(rest)))
	})
}

// TestHunkSubsetProperty goes by the hunks that the editor's side finds.
func TestHunkSubsetProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := linestest.Text(t, "before", 14)
		after := linestest.Edited(t, before)
		bt, at := mapping.NewText(before), mapping.NewText(after)
		c := Compare(Split([]byte(before)), Split([]byte(after)))
		var want Lines
		sel := NewChoice(c)
		pos := 0
		for _, h := range mapping.Hunks(bt, at) {
			want = append(want, c.After[pos:h.After.Start]...)
			pos = h.After.End
			if !rapid.Bool().Draw(t, "revert") {
				want = append(want, c.After[h.After.Start:h.After.End]...)
				continue
			}
			want = append(want, c.Before[h.Before.Start:h.Before.End]...)
			g, n := Range{AfterSide, h.After.Start, h.After.End}, len(c.After)
			if h.After.Empty() {
				g, n = Range{BeforeSide, h.Before.Start, h.Before.End}, len(c.Before)
			}
			require.True(t, sel.Add(c, CoverOf(g, n)))
		}
		want = append(want, c.After[pos:]...)
		require.Contains(t, mended(want), string(c.Revert(sel)))
	})
}

func TestRangeCases(t *testing.T) {
	for _, c := range []struct {
		name, before, after, side string
		start, end                int
		want                      string
	}{
		{"one pair of three", "a\nb\nc\n", "A\nB\nC\n", AfterSide, 1, 2, "A\nb\nC\n"},
		{"pair and excess", "a\n", "A\nB\nC\n", AfterSide, 0, 2, "a\nC\n"},
		{"excess alone", "a\n", "A\nB\nC\n", AfterSide, 1, 3, "A\n"},
		{"excess of before needs the whole block", "x\na\nb\nc\n", "x\nA\n", AfterSide, 1, 2, "x\na\nb\nc\n"},
		{"excess of before stays away", "a\nb\nc\n", "A\nB\n", AfterSide, 0, 1, "a\nB\n"},
		{"excess of before by its own lines", "a\nb\nc\n", "A\nB\n", BeforeSide, 2, 3, "A\nB\nc\n"},
		{"deletion by its lines", "a\nb\nc\n", "a\nc\n", BeforeSide, 1, 2, "a\nb\nc\n"},
		{"part of a deletion", "a\nb\nc\nd\n", "a\nd\n", BeforeSide, 2, 3, "a\nc\nd\n"},
		{"deletion by its place", "a\nb\nc\n", "a\nc\n", AfterSide, 1, 1, "a\nb\nc\n"},
		{"deletion inside", "a\nb\nc\n", "a\nc\n", AfterSide, 0, 2, "a\nb\nc\n"},
		{"deletion touched", "a\nb\nc\n", "a\nc\n", AfterSide, 1, 2, "a\nc\n"},
		{"deletion at the end", "a\nb\n", "a\n", AfterSide, 0, 1, "a\nb\n"},
		{"insertion by its place", "a\nc\n", "a\nb\nc\n", BeforeSide, 1, 1, "a\nc\n"},
		{"the other of two equal lines", "a\n}\nb\n", "a\n}\n}\nb\n", AfterSide, 1, 2, "a\n}\nb\n"},
		{"and the one", "a\n}\nb\n", "a\n}\n}\nb\n", AfterSide, 2, 3, "a\n}\nb\n"},
		{"deleted one of two", "a\n}\n}\nb\n", "a\n}\nb\n", BeforeSide, 1, 2, "a\n}\n}\nb\n"},
		{"line end alone", "a\r\nb\r\n", "a\nb\n", AfterSide, 1, 2, "a\nb\r\n"},
		{"line end and text", "a\r\nb\r\nc\r\n", "a\nx\nc\n", AfterSide, 1, 2, "a\nb\r\nc\n"},
		{"final line end kept out", "a\nb", "a\nb\nc\n", AfterSide, 2, 3, "a\nb\n"},
		{"final line end with the rest", "a\nb", "a\nb\nc\n", AfterSide, 1, 3, "a\nb"},
		{"open line in the middle", "a\nb", "a\nb\nc\n", AfterSide, 1, 2, "a\nb\nc\n"},
		{"deleted behind an open line", "x\ny\nz\n", "x\ny", BeforeSide, 2, 3, "x\ny\nz\n"},
		{"byte order mark", "\ufeffa\n", "a\n", AfterSide, 0, 1, "\ufeffa\n"},
		{"not UTF-8", "\xff\n\xfe\n", "\xfd\n\xfc\n", AfterSide, 0, 1, "\xff\n\xfc\n"},
		{"all deleted", "a\nb\n", "", AfterSide, 0, 0, "a\nb\n"},
		{"beyond the end", "a\n", "a\nb\n", AfterSide, 1, 99, "a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmp := Compare(Split([]byte(c.before)), Split([]byte(c.after)))
			sel, n := NewChoice(cmp), len(cmp.After)
			if c.side == BeforeSide {
				n = len(cmp.Before)
			}
			sel.Add(cmp, CoverOf(Range{c.side, c.start, c.end}, n))
			require.Equal(t, c.want, string(cmp.Revert(sel)))
		})
	}
}

func TestLargeDifference(t *testing.T) {
	var b, a strings.Builder
	for i := range 120_000 {
		line := "line " + strconv.Itoa(i) + "\n"
		if i%40_000 == 7 {
			a.WriteString("added " + strconv.Itoa(i) + "\n")
		}
		b.WriteString(line)
		if i%1000 == 1 {
			line = "changed " + strconv.Itoa(i) + "\n"
		}
		a.WriteString(line)
	}
	before, after := b.String(), "first\n"+a.String()+"last\n"
	c := Compare(Split([]byte(before)), Split([]byte(after)))
	require.Len(t, c.blocks, 120+3+2)
	sel := NewChoice(c)
	require.True(t, sel.Add(c, CoverOf(Range{AfterSide, 60_000, 61_500}, len(c.After))))
	require.Equal(t, joined(modelRevert(c, AfterSide, 60_000, 61_500)), string(c.Revert(sel)))
}

func joined(l Lines) string { return strings.Join(l, "") }
