package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/mapping/words"
)

func TestLineChanges(t *testing.T) {
	before := NewText("one\nfunc open(name string) {\nreturn load(name)\n}\ntwo\n")
	after := NewText("one\n// A comment that is new.\nfunc open(ctx context.Context, name string) {\nsomething else entirely\nreturn load(ctx, name)\n}\ntwo\n")
	c := NewFileChange(before, after)
	var got []LineChange
	for _, h := range c.Hunks {
		got = append(got, c.LineChanges(h)...)
	}
	require.Equal(t, []LineChange{
		{1, 2, nil, []words.Range{{Start: 10, End: 31}}},
		{2, 4, nil, []words.Range{{Start: 12, End: 17}}},
	}, got)

	marked := NewFileChange(NewText(byteOrderMark+"a word here\n"), NewText(byteOrderMark+"a thing here\n"))
	require.Equal(t, []LineChange{{0, 0, []words.Range{{Start: 5, End: 9}}, []words.Range{{Start: 5, End: 10}}}}, marked.LineChanges(marked.Hunks[0]), "columns count the byte order mark")
	ends := NewFileChange(NewText("a\n"), NewText("a\r\n"))
	require.Empty(t, ends.LineChanges(ends.Hunks[0]))
	large := NewFileChange(joined(sourceText(400)), joined(sourceText(401)))
	for _, h := range large.Hunks {
		large.LineChanges(h)
	}
}

// In real changes: pairs ascend on both sides, lie in the hunk, and without the
// marked words both lines of a pair are equal.
func TestLineChangesOfRealFiles(t *testing.T) {
	pairs := 0
	for _, p := range realPairs(t, 150) {
		c := NewFileChange(p.before, p.after)
		for _, h := range c.Hunks {
			i, j := h.Before.Start-1, h.After.Start-1
			for _, l := range c.LineChanges(h) {
				require.True(t, i < l.Before && l.Before < h.Before.End && j < l.After && l.After < h.After.End, "%s: order", p.name)
				i, j = l.Before, l.After
				require.NotEmpty(t, append(append([]words.Range(nil), l.Was...), l.Is...), p.name)
				require.Equal(t, without(p.before, l.Before, l.Was), without(p.after, l.After, l.Is), "%s: line %d", p.name, l.After+1)
				pairs++
			}
		}
	}
	t.Logf("%d pairs of lines", pairs)
}

// without is a line without the words at ranges, line end and byte order mark.
func without(t *Text, line int, ranges []words.Range) string {
	s := t.Slice(t.Line(line))
	var sb strings.Builder
	at := 0
	for _, r := range ranges {
		sb.WriteString(s[at:r.Start])
		at = r.End
	}
	return sb.String() + s[at:]
}

// BenchmarkLineChanges marks the words of all hunks of a text.
func BenchmarkLineChanges(b *testing.B) {
	lines := sourceText(5000)
	c := NewFileChange(joined(lines), joined(editLines(lines, 500)))
	for b.Loop() {
		for _, h := range c.Hunks {
			c.LineChanges(h)
		}
	}
}
