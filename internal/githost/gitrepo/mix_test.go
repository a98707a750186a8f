package gitrepo

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ahp-lsp/mapping"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawText makes a text of few different lines, so that they repeat, with mixed
// line ends and sometimes none at the end.
func drawText(t *rapid.T, label string, most int) string {
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\n"}, {"\r\n"}, {"\n", "\r\n"}, {"\n", "\r\n", "\r"}}).Draw(t, label+" ends")
	var b strings.Builder
	for range rapid.IntRange(0, most).Draw(t, label+" lines") {
		b.WriteString(rapid.SampledFrom([]string{"", "a", "b", "c", "}", "\xff", "longer line"}).Draw(t, "line"))
		b.WriteString(rapid.SampledFrom(ends).Draw(t, "end"))
	}
	s := b.String()
	if rapid.IntRange(0, 3).Draw(t, label+" open") == 0 {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

// drawEdited is the text after a few random edits of whole lines.
func drawEdited(t *rapid.T, before string) string {
	l := slices.Clone(splitLines([]byte(before)))
	for range rapid.IntRange(0, 4).Draw(t, "edits") {
		i := rapid.IntRange(0, len(l)).Draw(t, "at")
		j := min(len(l), i+rapid.IntRange(0, 3).Draw(t, "deleted"))
		l = slices.Replace(l, i, j, splitLines([]byte(drawText(t, "inserted", 3)))...)
	}
	return string(l.join())
}

// modelRevert is the rule of the package comment, written down once more: line
// by line, without regard to shifted positions and lines ends that go missing.
func modelRevert(c *comparison, side string, start, end int) lines {
	var out lines
	in := func(i int) bool { return i >= start && i < end }
	sideLen := len(c.after)
	if side == BeforeSide {
		sideLen = len(c.before)
	}
	gap := func(p int) bool { // is the place before line p of the side selected?
		if start == end {
			return p == start
		}
		return (p > start || p == 0 && start == 0) && (p < end || p == sideLen && end == sideLen)
	}
	b, a := 0, 0
	for _, k := range append(slices.Clone(c.blocks), block{b0: len(c.before), b1: len(c.before), a0: len(c.after), a1: len(c.after)}) {
		out = append(out, c.after[a:k.a0]...)
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
			out = append(out, c.before[k.b0:k.b1]...)
		default:
			for u := 0; u < max(m, n); u++ {
				covered := own0+u < own1 && in(own0+u)
				if u < m && (covered || u >= n && covered) {
					out = append(out, c.before[k.b0+u])
				} else if u < n && !covered {
					out = append(out, c.after[k.a0+u])
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
func mended(l lines) []string {
	out := []string{""}
	for i, s := range l {
		ends := []string{""}
		if i+1 < len(l) && lineEnd(s) == "" {
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

func drawRange(t *rapid.T, c *comparison) (Range, int) {
	g := Range{Side: rapid.SampledFrom([]string{AfterSide, BeforeSide}).Draw(t, "side")}
	n := len(c.after)
	if g.Side == BeforeSide {
		n = len(c.before)
	}
	g.Start = rapid.IntRange(0, n).Draw(t, "start")
	g.End = rapid.IntRange(g.Start, n).Draw(t, "end")
	return g, n
}

func TestAlignmentProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawText(t, "before", 12)
		after := drawEdited(t, before)
		c := compareLines(splitLines([]byte(before)), splitLines([]byte(after)))
		require.Equal(t, before, string(c.before.join()))
		b, a := 0, 0
		for _, k := range c.blocks {
			require.Equal(t, c.before[b:k.b0], c.after[a:k.a0])
			require.Positive(t, k.before()+k.after())
			b, a = k.b1, k.a1
		}
		require.Equal(t, c.before[b:], c.after[a:])
		none, every := newChoice(c), newChoice(c)
		for i := range every {
			every.selectBlock(i)
		}
		require.Equal(t, after, string(c.revert(none)))
		require.Equal(t, before, string(c.revert(every)))
		require.Equal(t, before, string(c.apply(none)))
		require.Equal(t, after, string(c.apply(every)))
	})
}

func TestRangeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawText(t, "before", 12)
		after := drawEdited(t, before)
		c := compareLines(splitLines([]byte(before)), splitLines([]byte(after)))
		g, n := drawRange(t, c)
		sel := newChoice(c)
		v := coverOf(g, n)
		require.True(t, sel.add(c, v))
		got := string(c.revert(sel))

		want := mended(modelRevert(c, g.Side, g.Start, g.End))
		if i := c.shiftedTo(v); i >= 0 {
			k := c.blocks[i]
			whole := block{b0: k.b0, b1: k.b1, a0: k.a0, a1: k.a1}
			want = mended(slices.Concat(c.after[:whole.a0], c.before[whole.b0:whole.b1], c.after[whole.a1:]))
		}
		require.Contains(t, want, got)

		// Whatever the rule: what is outside stays, byte for byte.
		if g.Side == AfterSide {
			head, tail := c.after[:g.Start].join(), c.after[g.End:].join()
			require.True(t, strings.HasPrefix(got, string(head)), "%q does not begin with %q", got, head)
			require.True(t, strings.HasSuffix(got, string(tail)), "%q does not end with %q", got, tail)
		}
		rest := newChoice(c)
		for i := range sel {
			for u := range sel[i] {
				rest[i][u] = !sel[i][u]
			}
		}
		require.Equal(t, got, string(c.apply(rest)))
	})
}

// TestHunkSubsetProperty goes by the hunks that the editor's side finds.
func TestHunkSubsetProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawText(t, "before", 14)
		after := drawEdited(t, before)
		bt, at := mapping.NewText(before), mapping.NewText(after)
		c := compareLines(splitLines([]byte(before)), splitLines([]byte(after)))
		var want lines
		sel := newChoice(c)
		pos := 0
		for _, h := range mapping.Hunks(bt, at) {
			want = append(want, c.after[pos:h.After.Start]...)
			pos = h.After.End
			if !rapid.Bool().Draw(t, "revert") {
				want = append(want, c.after[h.After.Start:h.After.End]...)
				continue
			}
			want = append(want, c.before[h.Before.Start:h.Before.End]...)
			g, n := Range{AfterSide, h.After.Start, h.After.End}, len(c.after)
			if h.After.Empty() {
				g, n = Range{BeforeSide, h.Before.Start, h.Before.End}, len(c.before)
			}
			require.True(t, sel.add(c, coverOf(g, n)))
		}
		want = append(want, c.after[pos:]...)
		require.Contains(t, mended(want), string(c.revert(sel)))
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
			cmp := compareLines(splitLines([]byte(c.before)), splitLines([]byte(c.after)))
			sel, n := newChoice(cmp), len(cmp.after)
			if c.side == BeforeSide {
				n = len(cmp.before)
			}
			sel.add(cmp, coverOf(Range{c.side, c.start, c.end}, n))
			require.Equal(t, c.want, string(cmp.revert(sel)))
		})
	}
}

func TestLargeDifference(t *testing.T) {
	var b, a strings.Builder
	for i := range 120_000 {
		line := "line " + itoa(i) + "\n"
		if i%40_000 == 7 {
			a.WriteString("added " + itoa(i) + "\n")
		}
		b.WriteString(line)
		if i%1000 == 1 {
			line = "changed " + itoa(i) + "\n"
		}
		a.WriteString(line)
	}
	before, after := b.String(), "first\n"+a.String()+"last\n"
	c := compareLines(splitLines([]byte(before)), splitLines([]byte(after)))
	require.Len(t, c.blocks, 120+3+2)
	sel := newChoice(c)
	require.True(t, sel.add(c, coverOf(Range{AfterSide, 60_000, 61_500}, len(c.after))))
	require.Equal(t, modelRevert(c, AfterSide, 60_000, 61_500).join(), c.revert(sel))
}

func (l lines) join() []byte {
	var b bytes.Buffer
	for _, s := range l {
		b.WriteString(s)
	}
	return b.Bytes()
}
