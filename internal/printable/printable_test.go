package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	for s, want := range map[string]string{
		"": "",
		"plain – “text”, 日本語, naïve €": "plain – “text”, 日本語, naïve €",
		"a\tb\nc\r\n":                     "a<U+0009>b<U+000A>c<U+000D><U+000A>",
		"\x1b[31mred\x1b]0;title\a":       "<U+001B>[31mred<U+001B>]0;title<U+0007>",
		"\x00\x7f":                        "<U+0000><U+007F>",
		"\u0085\u009b31m":                 "<U+0085><U+009B>31m",
		"invoice\u202egpj.exe":            "invoice<U+202E>gpj.exe",
		"\u2066a\u2069\u200e\u200f\u061c": "<U+2066>a<U+2069><U+200E><U+200F><U+061C>",
		"a\u200bb\u2060c\ufeffd\u00ade":   "a<U+200B>b<U+2060>c<U+FEFF>d<U+00AD>e",
		"\u2028\u2029":                    "<U+2028><U+2029>",
		"\u3164\uffa0\u115f":              "<U+3164><U+FFA0><U+115F>",
		"x\U000e0041\U000e007f":           "x<U+E0041><U+E007F>",
		"x\U000e0100":                     "x<U+E0100>",
		"bad \xff\xc3":                    "bad <0xFF><0xC3>",
		"\xff\ufffd":                      "<0xFF>\ufffd",
		"<U+001B>":                        "<U+001B>",
		// What writing needs.
		"✔\ufe0f 👩\u200d💻 👍🏽 ❤\ufe0f\u200d🔥":     "✔\ufe0f 👩\u200d💻 👍🏽 ❤\ufe0f\u200d🔥",
		"می\u200cخواهم क्\u200dष":                "می\u200cخواهم क्\u200dष",
		"\u0600١٢":                               "\u0600١٢",
		"nai\u0308ve":                            "nai\u0308ve",
		"a\ufe0f\ufe0e b":                        "a\ufe0f<U+FE0E> b",
		"\ufe0f a\u200db pass\u200cword 👩\u200d": "<U+FE0F> a<U+200D>b pass<U+200C>word 👩<U+200D>",
	} {
		require.Equal(t, want, Line(s), "%+q", s)
	}
}

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"one\n\ttwo\r\nthree\n": "one\n\ttwo\nthree\n",
		"good\rbad":             "good<U+000D>bad",
		"a\r\r\nb":              "a<U+000D>\nb",
		"\x1b[2J\v\f\u2028":     "<U+001B>[2J<U+000B><U+000C><U+2028>",
		"line\n\ufe0f":          "line\n<U+FE0F>",
	} {
		require.Equal(t, want, Text(s), "%+q", s)
	}
}

func TestLabel(t *testing.T) {
	require.Equal(t, "Fix the bug", Label("\n Fix\r\n\tthe  bug\n"))
	require.Equal(t, "a<U+202E>b", Label("a\u202eb"))
	long := strings.Repeat("é", MaxLabel)
	require.Equal(t, long, Label(long))
	require.Equal(t, long[:2*(MaxLabel-1)]+"…", Label(long+"é"))
	// A notation is whole or not there.
	before := strings.Repeat("x", MaxLabel-4)
	require.Equal(t, before+"…", Label(before+"\x1b[31m"))
	require.Equal(t, before+" 1…", Label(before+" 1 < 2, or is it more"))
}

func TestJSON(t *testing.T) {
	for _, v := range []any{
		"plain", "a\u202eb\u009b \U000e0041 👩\u200d💻 \u200d", map[string]any{"\u200b": []any{1.0, nil, "\x1b\n"}},
	} {
		out, err := JSON(v)
		require.NoError(t, err)
		var back any
		require.NoError(t, json.Unmarshal(out, &back))
		require.Equal(t, v, back)
		requireVisible(t, string(out), "\n\t")
	}
}

// requireVisible checks s for what this package is there to prevent, with a list of its own.
func requireVisible(t *testing.T, s, keep string) {
	require.True(t, utf8.ValidString(s))
	for _, r := range s {
		switch {
		case strings.ContainsRune(keep, r):
		case r < ' ' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r), r == 0x200b, r == 0x2060, r == 0xfeff, r == 0x2028, r == 0x2029:
			t.Fatalf("%+q has %U", s, r)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	for _, s := range []string{
		"", "plain", "a\r\nb\rc\td", "\x1b[31m\u202e\u200d\ufe0f", "👩\u200d💻", "\xff\xf0\x9f", "<U+001B", "می\u200cخ",
		strings.Repeat("👩\u200d", 400), strings.Repeat("x", 290) + "\u202e\u202e", strings.Repeat("x ", 200),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, fn := range map[string]func(string) string{"Line": Line, "Text": Text, "Label": Label} {
			once := fn(s)
			require.Equal(t, once, fn(once), "%s is idempotent on %+q", name, s)
			keep := ""
			if name == "Text" {
				keep = "\n\t"
			}
			requireVisible(t, once, keep)
		}
		require.LessOrEqual(t, utf8.RuneCountInString(Label(s)), MaxLabel)
		data, err := json.Marshal(s)
		require.NoError(t, err)
		var want, got string
		require.NoError(t, json.Unmarshal(data, &want))
		out, err := JSON(s)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(out, &got))
		require.Equal(t, want, got)
		requireVisible(t, string(out), "\n")
	})
}

// The quick look says what the careful one does.
func FuzzLabelIsOrdinary(f *testing.F) {
	for _, s := range []string{"", " ", "a", "a b", "a  b", " a", "a ", "Revert hunk (lines 3–5, +3 −0)", "é…", "a\u00adb", "a\u00a0b", "a\tb", "a\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if ordinary(s) {
			require.Equal(t, s, Line(strings.Join(strings.Fields(s), " ")))
		}
	})
}
