package printable

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"plain *text*, **bold**":                        "plain *text*, **bold**",
		"[docs](https://example.org/a?b=c)":             "[docs](https://example.org/a?b=c)",
		"[docs](https://example.org \"A title\")":       "[docs](https://example.org \"A title\")",
		"mail [me](mailto:me@example.org)":              "mail [me](mailto:me@example.org)",
		"<https://example.org>":                         "<https://example.org>",
		"![logo](https://evil.example/?q=1)":            "[image: logo https://evil.example/?q=1](https://evil.example/?q=1)",
		"![logo](https://evil.example/a.png \"t\")":     "[image: logo https://evil.example/a.png](https://evil.example/a.png)",
		"![logo][ref]":                                  "! [logo][ref]",
		"![logo](data:image/png;base64,AA)":             "! [logo] (data:image/png;base64,AA)",
		"[run](command:workbench.action.terminal.new)":  "[run] (command:workbench.action.terminal.new)",
		"[run]( <command:x> )":                          "[run] ( < command:x> )",
		"[share](file://server/share)":                  "[share] (file://server/share)",
		"[x](https://ok.example)[y](command:x)":         "[x](https://ok.example)[y] (command:x)",
		"[ref]: command:x":                              "[ref] : command:x",
		"> [ref]: command:x":                            "> [ref] : command:x",
		"<img src=https://evil.example>":                "< img src=https://evil.example>",
		"<command:x>":                                   "< command:x>",
		"a < b, c<d":                                    "a < b, c< d",
		"`![a](https://x) <b>` ![a](https://x.example)": "`![a](https://x) <b>` [image: a https://x.example](https://x.example)",
		"``a ` <b>`` <b>":                               "``a ` <b>`` < b>",
		"` <b>":                                         "` < b>",
		"```go\n<b> [x](command:y)\n```\n<b>":           "```go\n<b> [x](command:y)\n```\n< b>",
		"~~~\n```\n<b>\n~~~\n<b>":                       "~~~\n```\n<b>\n~~~\n< b>",
		"escape \x1b[31m":                               "escape <U+001B>[31m",
		"[a\u202eb](https://x.example)":                 "[a<U+202E>b](https://x.example)",
	} {
		require.Equal(t, want, Markdown(in), "%q", in)
		require.Equal(t, want, Markdown(want), "again: %q", want)
	}
	require.Equal(t, "a [x] (command:y)\nb", Message("a [x](command:y)\r\nb"))
}

// Whatever it is given: outside code there is no image, no link but to pages and
// mail, and no HTML.
func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"![a](b)", "[a](command:b)", "<b>", "`a`![x](https://y)", "```\n<b>\n```", "[a]: command:b", "!![a](https://b)", "\\`<b>`"} {
		f.Add(s)
	}
	link := regexp.MustCompile(`\]\(\s*<?([a-zA-Z][a-zA-Z0-9+.-]*):`)
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "`~") {
			require.NotPanics(t, func() { Markdown(s) })
			return // code stays
		}
		out := Markdown(s)
		require.Equal(t, out, Markdown(out))
		require.NotContains(t, out, "![")
		for _, m := range link.FindAllStringSubmatch(out, -1) {
			require.Contains(t, []string{"http", "https", "mailto"}, m[1], "%q", out)
		}
	})
}
