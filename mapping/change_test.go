package mapping

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawFile is a small file out of few different lines, so that twins, moves and
// equal neighbours are common.
func drawFile(t *rapid.T, name string) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "}", "", "\tx", "é𝒳"}), 0, 12).Draw(t, name)
	text := strings.Join(lines, "\n")
	if text != "" && rapid.Bool().Draw(t, name+" ends") {
		text += "\n"
	}
	return text
}

func apply(t *Text, span Span, text string) *Text { return t.Edit(span, text) }

func TestRevertEveryHunkGivesTheBeforeText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := NewText(drawFile(t, "before")), NewText(drawFile(t, "after"))
		c := NewFileChange(before, after)
		buffer := after
		placed := c.Place(After, buffer)
		require.Len(t, placed, len(c.Hunks))
		for i := len(placed) - 1; i >= 0; i-- {
			require.Equal(t, HunkLive, placed[i].State)
			span, text := c.Revert(placed[i], buffer)
			buffer = apply(buffer, span, text)
		}
		require.Equal(t, before.String(), buffer.String(), "before %q after %q", before.String(), after.String())
	})
}

// In a file of any kind of line end, every hunk reverted gives the before text
// to the byte.
func TestRevertWithEveryKindOfLineEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\r", "\r\n"}).Draw(t, "end")
		before := NewText(WithLineEnds(drawFile(t, "before"), end))
		after := NewText(WithLineEnds(drawFile(t, "after"), end))
		c := NewFileChange(before, after)
		buffer, placed := after, c.Place(After, after)
		for i := len(placed) - 1; i >= 0; i-- {
			span, text := c.Revert(placed[i], buffer)
			buffer = apply(buffer, span, text)
		}
		if LineEnd(after) == end { // a text of one line does not say what ends it
			require.Equal(t, before.String(), buffer.String(), "before %q after %q", before.String(), after.String())
		}
	})
}

// ofContent are the hunks that changed more than line ends.
func ofContent(placed []PlacedHunk) []PlacedHunk {
	return slices.DeleteFunc(placed, func(p PlacedHunk) bool { return p.LineEnds != "" })
}

// A lone "\r" among other line ends is a character: it is left as it is and
// decides nothing.
func TestRevertWithALoneCarriageReturn(t *testing.T) {
	for _, c := range [][3]string{
		{"one\rtwo\rthree\r", "one\rTWO\rthree\r", ""},
		{"0%\r100%\nthree\nfour\n", "0%\r100%\nTHREE\nfour\n", ""},
		{"0%\r100%\r\nthree\r\nfour\r\n", "0%\r100%\r\nTHREE\r\nfour\r\n", ""},
		{"one\n0%\r100%\nfour\n", "one\n1%\r100%\nfour\n", ""},
		{"one\rtwo\rthree\r", "one\nTWO\nthree\n", "one\ntwo\nthree\n"},
	} {
		before, after := NewText(c[0]), NewText(c[1])
		want := c[2]
		if want == "" {
			want = c[0]
		}
		change := NewFileChange(before, after)
		placed := ofContent(change.Place(After, after))
		require.Len(t, placed, 1)
		span, text := change.Revert(placed[0], after)
		require.Equal(t, want, apply(after, span, text).String(), "before %q after %q", c[0], c[1])
	}
}

func TestRevertOneHunkLeavesTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := NewText(drawFile(t, "before")), NewText(drawFile(t, "after"))
		c := NewFileChange(before, after)
		if len(c.Hunks) == 0 {
			return
		}
		i := rapid.IntRange(0, len(c.Hunks)-1).Draw(t, "hunk")
		placed := c.Place(After, after)
		span, text := c.Revert(placed[i], after)
		buffer := apply(after, span, text)
		// Line by line: the reverted hunk's lines are the before ones, everything
		// else stands as it stood.
		lines := func(t *Text, r LineRange) []string {
			var out []string
			for i := r.Start; i < r.End; i++ {
				out = append(out, t.Slice(t.Line(i)))
			}
			return out
		}
		h := c.Hunks[i]
		want := lines(after, LineRange{0, h.After.Start})
		want = append(want, lines(before, h.Before)...)
		want = append(want, lines(after, LineRange{h.After.End, after.contentLines()})...)
		require.Equal(t, want, lines(buffer, LineRange{0, buffer.contentLines()}),
			"hunk %v of %q → %q gave %q", h, before.String(), after.String(), buffer.String())
	})
}

func TestRevertKeepsTheBuffersLineEnds(t *testing.T) {
	c := NewFileChange(NewText("one\ntwo\nthree\n"), NewText("one\nTWO\nthree\n"))
	buffer := NewText("one\r\nTWO\r\nthree\r\n")
	placed := c.Place(After, buffer)
	require.Len(t, placed, 1)
	require.Equal(t, HunkLive, placed[0].State)
	span, text := c.Revert(placed[0], buffer)
	require.Equal(t, "one\r\ntwo\r\nthree\r\n", apply(buffer, span, text).String())
}

// A file with line ends of several kinds gets those back that it had.
func TestRevertKeepsMixedLineEnds(t *testing.T) {
	for name, texts := range map[string][2]string{
		"changed line":       {"one\r\ntwo\nthree\r\nfour\n", "one\r\nTWO\nthree\r\nfour\n"},
		"removed lines":      {"one\ntwo\r\nthree\nfour\r\nfive\n", "one\ntwo\r\nfive\n"},
		"the agent mixed it": {"one\r\ntwo\r\nthree\r\n", "one\r\nTWO\nand\nthree\r\n"},
		"or unmixed it":      {"one\r\ntwo\nthree\n", "one\nTWO\nthree\n"},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := NewText(texts[0]), NewText(texts[1])
			c := NewFileChange(before, after)
			placed := ofContent(c.Place(After, after))
			require.Len(t, placed, 1)
			span, text := c.Revert(placed[0], after)
			got := apply(after, span, text).String()
			if name == "or unmixed it" {
				require.Equal(t, "one\ntwo\nthree\n", got, "the buffer has one kind")
				return
			}
			require.Equal(t, texts[0], got)
		})
	}
}

func TestPlaceInAnEditedBuffer(t *testing.T) {
	before, after := NewText("a\nb\nc\nd\n"), NewText("a\nB\nc\n")
	c := NewFileChange(before, after)
	require.Len(t, c.Hunks, 2)

	t.Run("text above moves the hunks", func(t *testing.T) {
		placed := c.Place(After, NewText("new\na\nB\nc\n"))
		require.Equal(t, []HunkState{HunkLive, HunkLive}, []HunkState{placed[0].State, placed[1].State})
		require.Equal(t, LineRange{2, 3}, placed[0].Lines)
		require.Equal(t, LineRange{4, 4}, placed[1].Lines)
	})
	t.Run("text inside makes a hunk edited", func(t *testing.T) {
		placed := c.Place(After, NewText("a\nB!\nc\n"))
		require.Equal(t, HunkEdited, placed[0].State)
		require.Equal(t, HunkLive, placed[1].State)
	})
	t.Run("the before text makes a hunk undone", func(t *testing.T) {
		placed := c.Place(After, NewText("a\nb\nc\n"))
		require.Equal(t, HunkUndone, placed[0].State)
	})
	t.Run("text at a deletion makes it uncertain", func(t *testing.T) {
		placed := c.Place(After, NewText("a\nB\nc\nmine\n"))
		require.Equal(t, HunkEdited, placed[1].State)
	})
	t.Run("a buffer with the before text resembles it", func(t *testing.T) {
		require.Equal(t, Before, c.Resembles(NewText("a\nb\nc\nd\nmine\n")))
		require.Equal(t, After, c.Resembles(NewText("a\nB\nc\nmine\n")))
	})
}

func TestTitlesOfHunksWithoutLines(t *testing.T) {
	title := func(before, after string, side Side) string {
		shown := after
		if side == Before {
			shown = before
		}
		return NewFileChange(NewText(before), NewText(after)).Place(side, NewText(shown))[0].Title()
	}
	require.Equal(t, "1 line added at line 2", title("a\nc\n", "a\nb\nc\n", Before))
	require.Equal(t, "2 lines added at line 2", title("a\nc\n", "a\nb\nb\nc\n", Before))
	require.Equal(t, "1 line removed at line 2", title("a\nb\nc\n", "a\nc\n", After))
	require.Equal(t, "2 lines removed at line 2", title("a\nb\nb\nc\n", "a\nc\n", After))
	require.Equal(t, "lines 2–3", title("a\nc\n", "a\nb\nb\nc\n", After))
}

func TestHunkKeysFollowTheText(t *testing.T) {
	one := NewFileChange(NewText("a\nb\nc\n"), NewText("a\nB\nc\n"))
	moved := NewFileChange(NewText("x\ny\na\nb\nc\n"), NewText("x\ny\na\nB\nc\n"))
	other := NewFileChange(NewText("a\nb\nc\n"), NewText("a\nBB\nc\n"))
	require.Equal(t, one.Keys, moved.Keys)
	require.NotEqual(t, one.Keys, other.Keys)
	twins := NewFileChange(NewText("b\nx\nb\n"), NewText("B\nx\nB\n"))
	require.Len(t, twins.Keys, 2)
	require.NotEqual(t, twins.Keys[0], twins.Keys[1])
}

func TestFindCommentLine(t *testing.T) {
	for _, tt := range []struct{ line, text string }{
		{"ahp: plain", "plain"},
		{"\t// ahp: go", "go"},
		{"# ahp: shell", "shell"},
		{"-- ahp: lua", "lua"},
		{"; ahp: lisp", "lisp"},
		{"% ahp: tex", "tex"},
		{"\" ahp: vim", "vim"},
		{"' ahp: basic", "basic"},
		{"REM ahp: batch", "batch"},
		{"/* ahp: c */", "c"},
		{" * ahp: in a block", "in a block"},
		{"<!-- ahp: html -->", "html"},
		{"(* ahp: ml *)", "ml"},
		{"{- ahp: haskell -}", "haskell"},
		{"{% ahp: template %}", "template"},
		{"//ahp: no space", "no space"},
		{"\t// // ahp: a continued leader", "a continued leader"},
		{"# // ahp: two kinds", "two kinds"},
	} {
		c, ok := FindCommentLine(NewText("before\n"+tt.line+"\nafter\n"), 1)
		require.True(t, ok, tt.line)
		require.Equal(t, tt.text, c.Text, tt.line)
	}
	for _, line := range []string{
		"ahp:", "// ahp:   ", "x := \"ahp: no\"", "see ahp: this", "https://ahp:80/", "graph: ahp: x", "return // ahp: behind code",
	} {
		_, ok := FindCommentLine(NewText(line+"\n"), 0)
		require.False(t, ok, line)
	}
}

func TestCommentLineTarget(t *testing.T) {
	text := NewText("one\n// ahp: first\n// ahp: second\n\ttwo()\nthree\n")
	c, ok := FindCommentLine(text, 2)
	require.True(t, ok)
	require.Equal(t, "first\nsecond", c.Text)
	require.Equal(t, LineRange{1, 3}, c.Lines)
	require.Equal(t, "// ahp: first\n// ahp: second\n", text.Slice(c.Remove))

	cursor := text.Line(1)
	require.Equal(t, "two()", text.Slice(c.Target(text, Span{cursor.Start, cursor.Start})), "the line below")
	require.Equal(t, "two()\nthree", text.Slice(c.Target(text, Span{cursor.Start, text.Len()})), "the selection below")
	require.Equal(t, "one", text.Slice(c.Target(text, Span{0, cursor.End})), "the selection above")

	last := NewText("one\n// ahp: at the end")
	c, ok = FindCommentLine(last, 1)
	require.True(t, ok)
	require.Equal(t, "one", last.Slice(c.Target(last, Span{5, 5})), "the line above at the end of the file")
	require.Equal(t, "\n// ahp: at the end", last.Slice(c.Remove))
}
