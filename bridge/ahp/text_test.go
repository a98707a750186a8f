package ahp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRanges(t *testing.T) {
	at := func(l, c, l2, c2 int) *Range { return &Range{Position{l, c}, Position{l2, c2}} }
	const least, most = -1 << 31, 1<<31 - 1
	for _, c := range []struct {
		name, wire string
		want       *Range
		problem    string // of the last problem, "" if there is none
	}{
		{"plain", `{"start":{"line":1,"character":2},"end":{"line":3,"character":4}}`, at(1, 2, 3, 4), ""},
		{"members in another order", `{"end":{"character":4,"line":3},"start":{"character":2,"line":1}}`, at(1, 2, 3, 4), ""},
		{"reversed stays", `{"start":{"line":3,"character":4},"end":{"line":1,"character":2}}`, at(3, 4, 1, 2), ""},
		{"negative stays", `{"start":{"line":-1,"character":-2},"end":{"line":-3,"character":0}}`, at(-1, -2, -3, 0), ""},
		{"without end", `{"start":{"line":-1,"character":0}}`, at(-1, 0, -1, 0), `annotation "a".range.end: missing, taken as the start`},
		{"null end", `{"start":{"line":1,"character":5},"end":null}`, at(1, 5, 1, 5), `annotation "a".range.end: missing, taken as the start`},
		{"end without a line", `{"start":{"line":1,"character":5},"end":{"character":9}}`, at(1, 5, 1, 5), `annotation "a".range.end: missing, taken as the start`},
		{"without start", `{"end":{"line":1,"character":0}}`, nil, `annotation "a".range.start: missing, taken as the whole file`},
		{"start without a line", `{"start":{"character":3},"end":{"line":9,"character":0}}`, nil, `annotation "a".range.start: missing, taken as the whole file`},
		{"start with a line that is none", `{"start":{"line":"7","character":3},"end":{"line":9,"character":0}}`, nil, `annotation "a".range.start: missing, taken as the whole file`},
		{"without characters", `{"start":{"line":1},"end":{"line":2}}`, at(1, 0, 2, 0), ""},
		{"huge", `{"start":{"line":0,"character":0},"end":{"line":1e300,"character":99999999999999999999}}`, at(0, 0, most, most), ""},
		{"beyond floating point", `{"start":{"line":-1e999,"character":0},"end":{"line":0,"character":1e999}}`, at(least, 0, 0, most), ""},
		{"fractions are cut off", `{"start":{"line":1.9,"character":-0.5},"end":{"line":2.0,"character":1e1}}`, at(1, 0, 2, 10), ""},
		{"duplicates: the last counts", `{"start":{"line":1,"line":2,"character":0},"start":{"line":5,"character":1},"end":{"line":6}}`, at(5, 1, 6, 0), ""},
		{"other case is another member", `{"START":{"line":1},"start":{"Line":1,"line":4},"end":{"line":4}}`, at(4, 0, 4, 0), ""},
		{"empty", `{}`, nil, `annotation "a".range.start: missing, taken as the whole file`},
		{"null", `null`, nil, ""},
		{"an array", `[1,2]`, nil, `annotation "a".range: want an object, got an array`},
		{"a string", `"1:2"`, nil, `annotation "a".range: want an object, got a string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := DecodeAnnotation([]byte(`{"id":"a","resource":"/x","entries":[{"id":"e","text":""}],"range":` + c.wire + `}`))
			require.Equal(t, c.want, a.Range)
			if c.problem == "" {
				require.NoError(t, err)
				return
			}
			var p Problems
			require.ErrorAs(t, err, &p)
			require.Equal(t, c.problem, p[len(p)-1])
		})
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name, wire string
		want       Text
		written    string // "" means as it was read
		problem    string
	}{
		{"plain", `"a **b**"`, Plain("a **b**"), "", ""},
		{"markdown", `{"markdown":"a **b**"}`, Text{"a **b**", true}, "", ""},
		{"empty", `""`, Plain(""), "", ""},
		{"more beside markdown", `{"markdown":"x","isTrusted":true}`, Text{"x", true}, "", ""},
		{"no markdown", `{"value":"x"}`, Text{"", true}, `{"markdown":""}`, `text.markdown: missing`},
		{"markdown of another type", `{"markdown":5}`, Text{"", true}, `{"markdown":""}`, `text.markdown: missing`},
		{"null", `null`, Plain(""), `""`, ""},
		{"a number", `5`, Plain(""), `""`, `text: want a string or {markdown}, got a number`},
		{"escapes", `"\u00e9\ud83d\ude00\n\/\u2028"`, Plain("é😀\n/\u2028"), "", ""},
		{"half a surrogate", `"\ud83d"`, Plain("\uFFFD"), `"\uFFFD"`, ""},
		{"no UTF-8", "\"\xff\"", Plain("\uFFFD"), `"\uFFFD"`, ""},
		{"markup", `"<a> & b"`, Plain("<a> & b"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := DecodeAnnotation([]byte(`{"id":"a","resource":"/x","entries":[{"id":"e","text":` + c.wire + `}]}`))
			require.Equal(t, c.want, a.Entries[0].Text)
			if c.problem == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, `annotation "a".entries[0] "e".`+c.problem)
			}
			if c.written == "" {
				c.written = c.wire
			}
			require.JSONEq(t, `{"id":"e","text":`+c.written+`}`, mustJSON(t, a.Entries[0]))

			var text Text
			require.NoError(t, json.Unmarshal([]byte(c.wire), &text))
			require.Equal(t, c.want, text)
		})
	}
}

// Markup is written as it is: the host's own escaping is not ours to imitate,
// and a diff of what was sent stays readable.
func TestNoHTMLEscapes(t *testing.T) {
	a, err := SetEntry("a", Entry{ID: "e", Text: Text{"<b> & <c>", true}})
	require.NoError(t, err)
	require.Contains(t, string(a.Raw), "<b> & <c>")
}
