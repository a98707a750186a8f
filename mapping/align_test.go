package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHunks(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          []Hunk
	}{
		{"a\nb\nc\n", "a\nb\nc\n", nil},
		{"", "", nil},
		{"a\nb\nc\n", "a\nx\nc\n", []Hunk{{LineRange{1, 2}, LineRange{1, 2}}}},
		{"a\nb\nc\n", "a\nc\n", []Hunk{{LineRange{1, 2}, LineRange{1, 1}}}},
		{"a\nc\n", "a\nb\nc\n", []Hunk{{LineRange{1, 1}, LineRange{1, 2}}}},
		{"", "a\n", []Hunk{{LineRange{0, 0}, LineRange{0, 1}}}},
		{"a\n", "", []Hunk{{LineRange{0, 1}, LineRange{0, 0}}}},
		{"a\n", "a\nb\n", []Hunk{{LineRange{1, 1}, LineRange{1, 2}}}},
		{"a\r\nb\r\n", "a\nb\n", nil},
		{"a\nb\nc\nd\ne\n", "x\nb\nc\nd\ny\n", []Hunk{{LineRange{0, 1}, LineRange{0, 1}}, {LineRange{4, 5}, LineRange{4, 5}}}},
		// The indent heuristic: the whole function is new, not from brace to brace.
		{"f {\n\ta\n}\n\ng {\n\tb\n}\n", "f {\n\ta\n}\n\nnew {\n\tc\n}\n\ng {\n\tb\n}\n", []Hunk{{LineRange{4, 4}, LineRange{4, 8}}}},
	} {
		before, after := NewText(c.before), NewText(c.after)
		require.Equal(t, c.want, Hunks(before, after), "%q %q", c.before, c.after)
		require.Equal(t, c.want, Align(before, after).Hunks(), "%q %q", c.before, c.after)
	}
}

func TestMapSpan(t *testing.T) {
	for _, c := range []struct {
		before, after string
		ok            bool
	}{
		{"a\n«b\n»c\n", "new\na\n«b\n»c\n", true},
		{"a\n«b\n»c\n", "a\n«b\n»d\n", true},
		{"a\n«b\nc\n»d\n", "a\nb\nnew\n«»c\nd\n", false},
		{"a\n«b\n»c\n", "a\n«x\n»c\n", false},
		{"a\n«»b\n", "a\n«»b\nc\n", true},
		{"a\n«»b\n", "a\nnew\n«»b\n", false},
		{"a\nb\n«»", "x\na\nb\n«»", true},
		{"a\nb\n«»", "a\nb\nc\n«»", false},
		{"f(one, «two»)\n", "f(1, one, «two»)\n", true},
		{"f(«one», two)\n", "f(«one», two, three)\n", true},
		{"f(one, «two»)\n", "f(one, «too»)\n", false},
		{"f(«one»)\nb\n", "f(«one»)\nb\nc\n", true},
		{"a\r\n«b\r\n»c\r\n", "a\n«b\n»c\n", true},
	} {
		before, span := unmarked(t, c.before)
		after, want := unmarked(t, c.after)
		got, ok := Align(before, after).MapSpan(span)
		require.Equal(t, c.ok, ok, "%q → %q", c.before, c.after)
		if ok {
			require.Equal(t, want, got, "%q → %q", c.before, c.after)
		}
	}
}

// Of a large text of which every line changed but one, which moved, that one is
// found.
func TestOneLineLeftOfALargeText(t *testing.T) {
	lines := make([]string, 50_100)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d;", i)
	}
	base := joined(lines)
	changed := append([]string{"first"}, lines[:100]...)
	for i := 100; i < len(lines)-100; i++ {
		changed = append(changed, lines[i]+"!", "x")
	}
	changed[60_001] = lines[30_000]
	changed = append(changed, lines[len(lines)-100:]...)
	current := joined(changed)
	a := Align(base, current)
	require.Len(t, a.Hunks(), 3)
	at := func(line int) Placement { return a.Place(NewAnchor(base, base.Line(line))) }
	require.Equal(t, Detached, at(200).State)
	require.Equal(t, Live, at(len(lines)-1).State)
	p := at(30_000)
	require.Equal(t, Live, p.State)
	require.Equal(t, 60_001, current.LineAt(p.Span.Start))
	require.Equal(t, current.String(), applyHunks(base, current, a.Hunks()))
}

func TestAlignmentEditKeepsWhatItCan(t *testing.T) {
	lines := sourceText(400)
	base := joined(lines)
	a := Align(base, joined(editLines(lines, 20)))
	var anchors []Anchor
	for i := range base.contentLines() {
		anchors = append(anchors, NewAnchor(base, base.Line(i)))
	}
	kept := 0
	at := a.Current().Line(200).End
	for i, typed := range []string{"a", "b", "{", " ", "\t", "ö", "\n", "c", "d", "}", "e"} {
		for _, an := range anchors {
			a.Place(an) // fills what is computed on demand
		}
		hunks := &a.hunks[0]
		a = a.Edit(Span{at, at}, typed)
		at += len(typed)
		if &a.hunks[0] == hunks {
			kept++
		}
		fresh := Align(base, NewText(a.Current().String()))
		require.Equal(t, fresh.Hunks(), a.Hunks())
		for _, an := range anchors {
			require.Equal(t, fresh.Place(an), a.Place(an), "key %d", i)
		}
	}
	require.GreaterOrEqual(t, kept, 5)
}

func TestPlacementsAreEquallyGoodInBothDirections(t *testing.T) {
	before := strings.Repeat("unit {\n\tvalue\n}\n\n", 20)
	base := NewText("// head\n" + before)
	current := NewText("// head\n// more\n" + before)
	a := Align(base, current)
	for i := range base.contentLines() {
		p := a.Place(NewAnchor(base, base.Line(i)))
		require.Equal(t, Live, p.State, "line %d", i)
		want := i + 1
		if i == 0 {
			want = 0
		}
		require.Equal(t, want, current.LineAt(p.Span.Start))
	}
}
