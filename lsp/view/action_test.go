package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/mapping"
)

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		only []string
		want []bool // thread, change, commit
	}{
		{nil, []bool{true, true, true}},
		{[]string{""}, []bool{true, true, true}},
		{[]string{"quickfix"}, []bool{true, false, false}},
		{[]string{"refactor"}, []bool{false, true, false}},
		{[]string{"refactor.rewrite"}, []bool{false, true, false}},
		{[]string{"refactor.extract"}, []bool{false, false, false}},
		{[]string{"source"}, []bool{false, false, true}},
		{[]string{"source.ahp"}, []bool{false, false, true}},
		{[]string{"source.ahp.commit"}, []bool{false, false, true}},
		{[]string{"source.ahp.com"}, []bool{false, false, false}},
		{[]string{"source.fixAll", "quickfix"}, []bool{true, false, false}},
	} {
		for i, kind := range []string{KindThread, KindChange, KindSource + ".commit"} {
			require.Equal(t, c.want[i], Wanted(c.only, kind), "%q %s", c.only, kind)
		}
	}
	require.Equal(t, "create-pr--2", kindWord("create pr: 2"))
}

// Actions on a selection name it as those on a hunk do.
func TestLinesLabel(t *testing.T) {
	require.Equal(t, "line 6", linesLabel(mapping.LineRange{Start: 5, End: 6}))
	require.Equal(t, "lines 6–7", linesLabel(mapping.LineRange{Start: 5, End: 7}))
}

// The parts of hunks that are on some lines, taken back one after the other.
func TestRevertLines(t *testing.T) {
	const (
		before = "a\n1\n2\n3\nz\nold\n"
		after  = "a\nI\nII\nz\n"
	)
	text := mapping.NewText(after)
	content := mapping.NewFileChange(mapping.NewText(before), text)
	apply := func(lines mapping.LineRange) string {
		out := text.String()
		var parts []mapping.PlacedHunk
		for _, h := range content.Place(mapping.After, text) {
			if p, ok := partOf(text, h, lines); ok {
				parts = append(parts, p)
			}
		}
		for i := len(parts) - 1; i >= 0; i-- {
			span, replacement := content.Revert(parts[i], text)
			out = out[:span.Start] + replacement + out[span.End:]
		}
		return out
	}
	for _, x := range []struct {
		from, to int
		want     string
	}{
		{0, 1, after},
		{1, 2, "a\n1\nII\nz\n"},
		{2, 3, "a\nI\n2\n3\nz\n"},
		{1, 3, "a\n1\n2\n3\nz\n"},
		{0, 4, "a\n1\n2\n3\nz\n"},
		{0, 5, before},
	} {
		require.Equal(t, x.want, apply(mapping.LineRange{Start: x.from, End: x.to}), "lines %d–%d", x.from, x.to)
	}
}
