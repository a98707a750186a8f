package words

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// mark puts brackets around ranges.
func mark(s string, ranges []Range) string {
	var sb strings.Builder
	at := 0
	for _, r := range ranges {
		sb.WriteString(s[at:r.Start] + "[" + s[r.Start:r.End] + "]")
		at = r.End
	}
	return sb.String() + s[at:]
}

func TestChanges(t *testing.T) {
	for _, c := range []struct{ was, is string }{
		{"return [foo](a, b, c)", "return [bar](a, b, c)"},
		{"func open(name string)", "func open([ctx context.Context, ]name string)"},
		{"if err != nil [&& retry ]{", "if err != nil {"},
		{"f([a, b], size, limit)", "f([x, y], size, limit)"},
		{"the [quick brown] fox jumps", "the [slow red] fox jumps"},
		{"Die [Größe] der Schrift", "Die [Höhe] der Schrift"},
		{"размер [шрифта] изменён", "размер [текста] изменён"},
		{"设置字体[大]小和颜色", "设置字体[高]小和颜色"},
		{"cafe\u0301 [bar] x", "cafe\u0301 [baz] x"},
		{"status: [👩\u200d💻] working", "status: [👨\u200d💻] working"},
		{"x := readFile(path)", "[\t]x := readFile(path)"},
		{"same", "same"},
		{"a [:]= value(1)", "a = value(1)"},
		{"snake_case_[name] := 1", "snake_case_[name] := 1"},
	} {
		x, y := strings.NewReplacer("[", "", "]", "").Replace(c.was), strings.NewReplacer("[", "", "]", "").Replace(c.is)
		was, is, ok := Changes(x, y)
		require.True(t, ok, "%q → %q", x, y)
		if x == y {
			require.Empty(t, was)
			continue
		}
		require.Equal(t, c.was, mark(x, was))
		require.Equal(t, c.is, mark(y, is))
	}
}

func TestChangesAreNoNoise(t *testing.T) {
	for _, c := range [][2]string{
		{"return nil, err", "go func() { s.loop(ctx) }()"},
		{"foo(a, b)", "bar(x, y)"},
		{"}", "x"},
		{"", "added"},
		{strings.Repeat("a ", MaxLine), strings.Repeat("a ", MaxLine) + "b"},
	} {
		_, _, ok := Changes(c[0], c[1])
		require.False(t, ok, "%.20q → %.20q", c[0], c[1])
	}
}

// requireChanges: without the changed words both lines are the same; ranges are
// in order, apart, not empty, and cut neither words nor characters.
func requireChanges(t require.TestingT, x, y string) {
	was, is, ok := Changes(x, y)
	if !ok {
		require.Empty(t, was)
		require.Empty(t, is)
		return
	}
	rest := func(s string, ranges []Range) string {
		var sb strings.Builder
		at := 0
		for i, r := range ranges {
			require.Less(t, r.Start, r.End)
			require.True(t, i == 0 || r.Start > at, "ranges touch")
			sb.WriteString(s[at:r.Start])
			at = r.End
			for _, off := range []int{r.Start, r.End} {
				require.False(t, Glued(s, off), "%q: a word is cut at %d", s, off)
				require.True(t, !utf8.ValidString(s) || off == len(s) || utf8.RuneStart(s[off]), "%q: a character is cut at %d", s, off)
			}
		}
		return sb.String() + s[at:]
	}
	require.Equal(t, rest(x, was), rest(y, is), "%q → %q", x, y)
	back, forth, ok := Changes(x, x)
	require.True(t, ok || len(x) > MaxLine)
	require.Empty(t, append(back, forth...))
}

var someWords = rapid.SampledFrom([]string{"a", "foo", "Bar", " ", "  ", "\t", "(", ")", ", ", ".", "größe", "шрифт", "字", "体", "e\u0301", "👩\u200d💻", "👍🏽", "_x", "1", "\u200d", "\xff"})

func TestChangesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(someWords, 0, 12)
		x := line.Draw(t, "x")
		y := append([]string(nil), x...)
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			i := rapid.IntRange(0, len(y)).Draw(t, "at")
			n := rapid.IntRange(0, min(2, len(y)-i)).Draw(t, "removed")
			y = append(append(append([]string(nil), y[:i]...), rapid.SliceOfN(someWords, 0, 2).Draw(t, "added")...), y[i+n:]...)
		}
		requireChanges(t, strings.Join(x, ""), strings.Join(y, ""))
	})
}

func FuzzChanges(f *testing.F) {
	f.Add("return foo(a)", "return bar(a)")
	f.Add("e\u0301", "e")
	f.Fuzz(func(t *testing.T, x, y string) { requireChanges(t, x, y) })
}

func BenchmarkChanges(b *testing.B) {
	for b.Loop() {
		Changes("\tvalue, err := load(ctx, key, options.Default())", "\tvalue, err := store.load(ctx, key.String(), options.Strict())")
	}
}
