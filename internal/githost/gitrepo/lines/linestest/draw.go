// Package linestest draws texts for property tests.
package linestest

import (
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Text makes a text of few different lines, so that they repeat, with mixed
// line ends and sometimes none at the end.
func Text(t *rapid.T, label string, most int) string {
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

var line = regexp.MustCompile(`[^\r\n]*(\r\n|\r|\n)|[^\r\n]+$`)

// Edited is the text after a few random edits of whole lines.
func Edited(t *rapid.T, before string) string {
	l := line.FindAllString(before, -1)
	for range rapid.IntRange(0, 4).Draw(t, "edits") {
		i := rapid.IntRange(0, len(l)).Draw(t, "at")
		j := min(len(l), i+rapid.IntRange(0, 3).Draw(t, "deleted"))
		l = slices.Replace(l, i, j, line.FindAllString(Text(t, "inserted", 3), -1)...)
	}
	return strings.Join(l, "")
}

// Range draws a range of one of the sides, "before" or "after", which have so many
// lines.
func Range(t *rapid.T, before, after int) (side string, start, end, n int) {
	side, n = "after", after
	if rapid.Bool().Draw(t, "side") {
		side, n = "before", before
	}
	start = rapid.IntRange(0, n).Draw(t, "start")
	return side, start, rapid.IntRange(start, n).Draw(t, "end"), n
}
