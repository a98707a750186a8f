package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The anchor holds the text, not the name, so a new name changes nothing.
func TestRenamedInTheSameTurn(t *testing.T) {
	m := mark(twoFuncs, "\ty := close(2)", 1)
	requireMarked(t, m, strings.ReplaceAll(m, "package p", "package q"), Live)
}

func TestDeletedThenCreatedAgain(t *testing.T) {
	base, span := unmarked(t, mark(twoFuncs, "\ty := close(2)", 1))
	tr, an := NewTracker(base), NewAnchor(base, span)
	tr.Replace(NewText(""))
	require.Equal(t, Placement{Span{}, Detached, 0}, tr.Place(an))
	tr.Replace(NewText("// new\n" + twoFuncs))
	p := tr.Place(an)
	require.Equal(t, Live, p.State)
	require.Equal(t, "\ty := close(2)", tr.Text().Slice(p.Span))
}

func TestTwoTurnsRewritingTheSameLines(t *testing.T) {
	first := "a()\n«x := load(ctx, name)»\nb()\n"
	second := "a()\n«x, err := load(ctx, name)»\nb()\n"
	third := "a()\n«x, err := load(ctx, name, opts)»\nb()\n"
	requireMarked(t, first, second, Outdated)
	requireMarked(t, second, third, Outdated)
	requireMarked(t, first, third, Outdated)
}

func TestAgentReturnsToTheBase(t *testing.T) {
	base, span := unmarked(t, mark(twoFuncs, "\ty := close(2)", 1))
	tr, an := NewTracker(base), NewAnchor(base, span)
	for _, s := range []string{"nothing", strings.Replace(twoFuncs, "close(2)", "shut(3)", 1), "", twoFuncs} {
		tr.Replace(NewText(s))
		tr.Place(an)
	}
	require.Equal(t, Placement{span, Live, 1}, tr.Place(an))
}

func TestUndoOfDeleteAll(t *testing.T) {
	base := NewText(twoFuncs)
	dirty := strings.Replace(twoFuncs, "open(1)", "open(1, now)", 1) + "\n// end\n"
	var anchors []Anchor
	for line := range base.contentLines() {
		anchors = append(anchors, NewAnchor(base, base.Line(line)))
	}
	tr := NewTracker(NewText(dirty))
	before, compared := placements(tr, anchors), tr.Alignment(base)
	tr.Edit(Span{0, len(dirty)}, "")
	for _, p := range placements(tr, anchors) {
		require.Equal(t, Placement{Span{}, Detached, 0}, p)
	}
	tr.Edit(Span{}, dirty)
	require.Equal(t, before, placements(tr, anchors))
	require.Same(t, compared, tr.Alignment(base), "remembered, not computed again")
}

// A client that reloads closes and opens the document: nothing may depend on
// the open document having been tracked.
func TestNeovimClosesAndOpensOnReload(t *testing.T) {
	base, span := unmarked(t, mark(twoFuncs, "\ty := close(2)", 1))
	tr, an := NewTracker(base), NewAnchor(base, span)
	tr.Edit(Span{0, 0}, "// typed\n")
	tr.Edit(Span{span.Start, span.Start}, "\tz()\n")
	again := NewTracker(NewText(tr.Text().String()))
	require.Equal(t, tr.Place(an), again.Place(an))
}

// The buffer has the old text, the host comments on the new one.
func TestHelixNeverReloads(t *testing.T) {
	buffer := NewText(twoFuncs)
	host, span := unmarked(t, mark(strings.Replace(twoFuncs, "func second", "// Second closes.\nfunc second", 1), "\ty := close(2)", 1))
	p := Align(host, buffer).Place(NewAnchor(host, span))
	require.Equal(t, Live, p.State)
	require.Equal(t, "\ty := close(2)", buffer.Slice(p.Span))
	back, ok := Align(buffer, host).MapSpan(p.Span)
	require.True(t, ok)
	require.Equal(t, span, back)
	added := NewAnchor(host, host.Line(10)) // not in the buffer
	p = Align(host, buffer).Place(added)
	require.Equal(t, Detached, p.State)
	require.Equal(t, 10, buffer.LineAt(p.Span.Start))
}

func TestSeveralDependentEvents(t *testing.T) {
	base, span := unmarked(t, "a\nb\n«target(1)»\nc\n")
	tr, an := NewTracker(base), NewAnchor(base, span)
	tr.Edit(Span{0, 0}, "x\ny\n")
	tr.Edit(Span{2, 4}, "")                     // the line just added
	tr.Edit(Span{0, 1}, "zz")                   // in the line before it
	tr.Edit(Span{tr.Text().Len() - 2, 0}, "\n") // from the end back to the start
	want := NewText("zz\na\nb\ntarget(1)\nc\n")
	tr.Replace(want)
	tr.Edit(Span{3, 5}, "")
	p := tr.Place(an)
	require.Equal(t, "target(1)", tr.Text().Slice(p.Span))
	require.Equal(t, Live, p.State)
}

// Every turn of an agent is a text that comments may be about.
func TestManyBases(t *testing.T) {
	var anchors []Anchor
	for turn := range 3 * maxBases {
		base, span := unmarked(t, fmt.Sprintf("turn %d\na()\n«target(%d)»\nb()\n", turn, turn))
		anchors = append(anchors, NewAnchor(base, span))
	}
	tr := NewTracker(NewText("x\n" + anchors[1].Base.String()))
	placements(tr, anchors)
	require.Len(t, tr.bases, len(anchors))
	for range 3 {
		tr.Edit(Span{0, 0}, "y")
		require.Equal(t, Live, tr.Place(anchors[1]).State)
	}
	require.Len(t, tr.bases, 1, "the others were let go")
	requireTracked(t, tr, anchors)
}

func TestFullTextChange(t *testing.T) {
	base, span := unmarked(t, mark(twoFuncs, "\ty := close(2)", 1))
	tr, an := NewTracker(base), NewAnchor(base, span)
	tr.Replace(NewText("// head\n" + twoFuncs))
	p := tr.Place(an)
	require.Equal(t, Placement{Span{span.Start + 8, span.End + 8}, Live, 1}, p)
}

func TestEditExactlyAtStartAndAtEnd(t *testing.T) {
	requireMarked(t, "f(«abc»)\n", "f(x, «abc»)\n", Live)
	requireMarked(t, "f(«abc»)\n", "f(«abc», x)\n", Live)
	requireMarked(t, "f(«abc»)\n", "f(x«abc»)\n", Outdated) // another word now
	requireMarked(t, "f(«abc»)\n", "f(«abc»x)\n", Outdated)
	requireMarked(t, "a()\n«\treturn nil»\nb()\n", "a()\n«\treturn nil», err\nb()\n", Outdated) // another statement
	requireMarked(t, "a()\n«b()»\nc()\n", "a()\nnew()\n«b()»\nnew()\nc()\n", Live)
}

func TestTwoSessionsOnOneRange(t *testing.T) {
	base, span := unmarked(t, mark(twoFuncs, "\ty := close(2)", 1))
	other, same := unmarked(t, "// other\n"+mark(twoFuncs, "\ty := close(2)", 1))
	tr, anchors := NewTracker(base), []Anchor{NewAnchor(base, span), NewAnchor(other, same)}
	for range 3 {
		tr.Edit(Span{0, 0}, "// x\n")
		p := placements(tr, anchors)
		require.Equal(t, p[0], p[1])
		require.Equal(t, Live, p[0].State)
	}
}

func TestBurstOf1000Annotations(t *testing.T) {
	base := joined(sourceText(5000))
	current := joined(editLines(sourceText(5000), 50))
	tr := NewTracker(current)
	compared := tr.Alignment(base)
	for _, an := range everyLine(base, 1000) {
		requirePlacement(t, an, current, tr.Place(an))
		require.Same(t, compared, tr.Alignment(base), "compared once for all of them")
	}
}

// twoMegabytes is a line of 2 MiB, changed at its start and in the middle, and what
// was near, far from and in the changes.
func twoMegabytes() (base, current *Text, near, far, changed Anchor) {
	var sb strings.Builder
	for i := 0; sb.Len() < 2<<20; i++ {
		fmt.Fprintf(&sb, "{\"key\":%d},", i)
	}
	line := sb.String()
	at := strings.Index(line, "{\"key\":90000}")
	base = NewText(line)
	near = NewAnchor(base, Span{at, at + 13})
	far = NewAnchor(base, Span{20, 40})
	changed = NewAnchor(base, Span{at + 14, at + 27})
	return base, NewText("!" + line[:at] + "{}," + line[at:at+14] + "[1]" + line[at+27:]), near, far, changed
}

func TestTwoMegabytesInOneLine(t *testing.T) {
	base, current, near, far, changed := twoMegabytes()
	a := Align(base, current)
	p, q, r := a.Place(near), a.Place(far), a.Place(changed)
	require.Equal(t, Moved, p.State)
	require.Equal(t, near.Quote, current.Slice(p.Span))
	require.Equal(t, far.Quote, current.Slice(q.Span))
	require.Equal(t, Outdated, r.State)
	tr := NewTracker(current)
	tr.Edit(Span{0, 1}, "")
	require.Equal(t, p.Span.Start-1, tr.Place(near).Span.Start)
}
