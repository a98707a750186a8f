package mapping

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// smallChunks makes short texts consist of several chunks, and differ in less
// than all their lines.
func smallChunks(tb testing.TB) {
	most, least, room := maxChunk, minChunk, slideRoom
	maxChunk, minChunk, slideRoom = 24, 8, 2
	tb.Cleanup(func() { maxChunk, minChunk, slideRoom = most, least, room })
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text  string
		lines []string // with line ends
	}{
		{"", []string{""}},
		{"a", []string{"a"}},
		{"a\n", []string{"a\n", ""}},
		{"a\r\nb\rc\nd", []string{"a\r\n", "b\r", "c\n", "d"}},
		{"\r\r\n\n\r", []string{"\r", "\r\n", "\n", "\r", ""}},
		{"\uFEFFa\n\n", []string{"\uFEFFa\n", "\n", ""}},
	} {
		text := NewText(c.text)
		require.Equal(t, len(c.lines), text.LineCount(), "%q", c.text)
		for i, want := range c.lines {
			require.Equal(t, want, text.Slice(text.FullLine(i)), "%q line %d", c.text, i)
			require.Equal(t, strings.TrimRight(want, "\r\n"), text.Slice(text.Line(i)), "%q line %d", c.text, i)
		}
		require.Equal(t, c.lines[0], text.Slice(text.FullLine(-3)))
		require.Equal(t, c.lines[len(c.lines)-1], text.Slice(text.FullLine(99)))
	}
}

// Lines that end with "\r" must not each be searched to the end of the text: it
// would take longer than any test may.
func TestLinesOfAClassicMac(t *testing.T) {
	const n = 4 << 20
	require.Equal(t, n+1, NewText(strings.Repeat("\r", n)).LineCount())

	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"\r", "\n", "\r\n", "a", "é", "\x00", "\xff"})).Draw(t, "parts")
		s := strings.Join(parts, "")
		unix := strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		text := NewText(s)
		var lines []string
		for i := range text.LineCount() {
			lines = append(lines, text.Slice(text.Line(i)))
		}
		require.Equal(t, strings.Split(unix, "\n"), lines, "%q", s)
	})
}

func TestLineAt(t *testing.T) {
	text := NewText("ab\r\nc\n")
	for off, line := range map[int]int{-1: 0, 0: 0, 2: 0, 3: 0, 4: 1, 5: 1, 6: 2, 99: 2} {
		require.Equal(t, line, text.LineAt(off), "offset %d", off)
	}
}

func TestLinesOfRange(t *testing.T) {
	text := NewText("a\nb\nc")
	require.Equal(t, Span{0, 4}, text.Lines(LineRange{0, 2}))
	require.Equal(t, Span{2, 2}, text.Lines(LineRange{1, 1}))
	require.Equal(t, Span{4, 5}, text.Lines(LineRange{2, 9}))
	require.Equal(t, Span{5, 5}, text.Lines(LineRange{3, 3}))
	require.Equal(t, Span{4, 4}, text.Lines(LineRange{2, 1}))
}

func FuzzTextEdit(f *testing.F) {
	smallChunks(f)
	f.Add("a\r\nb", 2, 3, "")
	f.Add("a\rb", 2, 2, "\n")
	f.Add("a\nb", 1, 1, "\r")
	f.Add("a\r\n\r\nb", 1, 4, "x\r")
	f.Add("ä\n", 0, 1, "€")
	f.Fuzz(func(t *testing.T, s string, from, to int, insert string) {
		before := NewText(s)
		span := Span{from, to}.clamp(len(s))
		after := before.Edit(Span{from, to}, insert)
		want := NewText(s[:span.Start] + insert + s[span.End:])
		require.Equal(t, want.String(), after.String())
		requireSameLines(t, want, after)
		// Many small edits in a row leave the same index as one large one.
		typed := before
		for at := span.End; at > span.Start; at-- {
			typed = typed.Edit(Span{at - 1, at}, "")
		}
		for k := range len(insert) {
			typed = typed.Edit(Span{span.Start + k, span.Start + k}, insert[k:k+1])
		}
		requireSameLines(t, want, typed)
		require.Equal(t, s, before.String())
	})
}

// requireSameLines fails unless the texts agree in everything that can be asked.
func requireSameLines(t *testing.T, want, got *Text) {
	t.Helper()
	require.Equal(t, want.Len(), got.Len())
	require.Equal(t, want.LineCount(), got.LineCount())
	for i := range want.LineCount() {
		require.Equal(t, want.FullLine(i), got.FullLine(i))
		require.Equal(t, want.Line(i), got.Line(i))
		require.Equal(t, want.Slice(want.FullLine(i)), got.Slice(got.FullLine(i)))
	}
	for off := range want.Len() + 1 {
		require.Equal(t, want.LineAt(off), got.LineAt(off))
		for _, e := range []Encoding{UTF8, UTF16, UTF32} {
			require.Equal(t, want.Position(off, e), got.Position(off, e))
		}
	}
	require.True(t, equalTexts(want, got))
	require.Equal(t, want.String(), got.String())
}

func FuzzPosition(f *testing.F) {
	smallChunks(f)
	f.Add("a😀b\r\ne\u0301\n", 3, 1, 2)
	f.Add("\xff\xf0\x9f\x98", 1, 0, 1)
	f.Add("a\rb\r\n", 3, 1, 9)
	f.Fuzz(func(t *testing.T, s string, off, line, char int) {
		text := NewText(s)
		bytes := text.Offset(text.Position(off, UTF8), UTF8)
		for _, e := range []Encoding{UTF8, UTF16, UTF32} {
			p := text.Position(off, e)
			back := text.Offset(p, e)
			require.Equal(t, p, text.Position(back, e), "%s", e)
			require.Equal(t, bytes, back, "encodings disagree: %s", e)

			o := text.Offset(Position{line, char}, e)
			requireBorder(t, s, o)
			require.Equal(t, o, text.Offset(text.Position(o, e), e))
			if q := text.Position(o, e); line >= 0 && line < text.LineCount() {
				require.Equal(t, line, q.Line)
				require.LessOrEqual(t, q.Character, max(char, 0))
			}
			span := text.Span(Range{Position{line, char}, p}, e)
			require.LessOrEqual(t, span.Start, span.End)
		}
	})
}

// requireBorder fails unless off lies in s and splits neither a character nor
// "\r\n".
func requireBorder(t *testing.T, s string, off int) {
	t.Helper()
	require.GreaterOrEqual(t, off, 0)
	require.LessOrEqual(t, off, len(s))
	if off == 0 || off == len(s) {
		return
	}
	require.False(t, s[off-1] == '\r' && s[off] == '\n', "inside a line end")
	for k := 1; k < utf8.UTFMax && k <= off; k++ {
		_, w := utf8.DecodeRuneInString(s[off-k:])
		require.LessOrEqual(t, w, k, "inside a character")
	}
}

func FuzzHunks(f *testing.F) {
	smallChunks(f)
	f.Add("a\nb\nc\n", "a\nx\nc")
	f.Add("a", "a\n")
	f.Add("a\n", "a\nb")
	f.Add("a\nb", "a\nb\nb")
	f.Add("", "\n")
	f.Add("\uFEFF", "\n")
	f.Add("x\nx", "x\n\nx\ny")
	f.Fuzz(func(t *testing.T, x, y string) {
		// Hunks disregard the kind of line ends and the byte order mark.
		x, y = normalEnds(x), normalEnds(y)
		before, after := NewText(x), NewText(y)
		hunks := Hunks(before, after)
		require.Equal(t, y, applyHunks(before, after, hunks))
		require.Equal(t, x == y, hunks == nil)
		last := Hunk{Before: LineRange{-1, -1}, After: LineRange{-1, -1}}
		for _, h := range hunks {
			require.False(t, h.Before.Empty() && h.After.Empty())
			require.LessOrEqual(t, h.Before.Start, h.Before.End)
			require.LessOrEqual(t, h.After.Start, h.After.End)
			require.Less(t, last.Before.End, h.Before.Start, "hunks touch")
			require.Less(t, last.After.End, h.After.Start, "hunks touch")
			last = h
		}
	})
}

func applyHunks(before, after *Text, hunks []Hunk) string {
	var sb strings.Builder
	done := 0
	for _, h := range hunks {
		was := before.Lines(h.Before)
		sb.WriteString(before.String()[done:was.Start])
		sb.WriteString(after.Slice(after.Lines(h.After)))
		done = was.End
	}
	sb.WriteString(before.String()[done:])
	return sb.String()
}

func normalEnds(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	for strings.HasPrefix(s, byteOrderMark) {
		s = strings.TrimPrefix(s, byteOrderMark)
	}
	return s
}
