package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unmarked takes the marks « and » out of s and gives the span between them.
func unmarked(t *testing.T, s string) (*Text, Span) {
	t.Helper()
	i := strings.Index(s, "«")
	require.GreaterOrEqual(t, i, 0)
	s = strings.Replace(s, "«", "", 1)
	j := strings.Index(s, "»")
	require.GreaterOrEqual(t, j, i)
	return NewText(strings.Replace(s, "»", "", 1)), Span{i, j}
}

// requireMarked places the marked span of before in after and holds it to the
// marked span there.
func requireMarked(t *testing.T, before, after string, state State) {
	t.Helper()
	base, span := unmarked(t, before)
	current, want := unmarked(t, after)
	an := NewAnchor(base, span)
	p := Align(base, current).Place(an)
	requirePlacement(t, an, current, p)
	require.Equal(t, state, p.State, "%+v %q", p, current.Slice(p.Span))
	require.Equal(t, want, p.Span, "%v %q", p.State, current.Slice(p.Span))
}

const twoFuncs = `package p

func first() error {
	x := open(1)
	if x == nil {
		return errNone
	}
	return nil
}

func second() error {
	y := close(2)
	if y == nil {
		return errNone
	}
	return nil
}
`

// mark puts marks around the nth occurrence of part in s.
func mark(s, part string, nth int) string {
	at := 0
	for ; nth > 1; nth-- {
		at += strings.Index(s[at:], part) + len(part)
	}
	at += strings.Index(s[at:], part)
	return s[:at] + "«" + part + "»" + s[at+len(part):]
}

func TestReplacedByAnIdenticalBlock(t *testing.T) {
	base, span := unmarked(t, mark(twoFuncs, "\tx := open(1)\n\tif x == nil {\n", 1))
	tr, an := NewTracker(base), NewAnchor(base, span)
	tr.Edit(span, "\tother()\n")
	require.NotEqual(t, Live, tr.Place(an).State)
	tr.Edit(Span{span.Start, span.Start + len("\tother()\n")}, base.Slice(span))
	require.Equal(t, Placement{span, Live, 1}, tr.Place(an))
}

// A line of which there are many was removed in one function, and one that reads
// the same was written in another: that is not a move.
func TestTwinRemovedHereAndWrittenThere(t *testing.T) {
	const file = "func a() error {\n\terr := load(1)\n%s}\n\nfunc b() error {\n\terr := save(2)\n\treturn err\n}\n\nfunc c() error {\n\tlog(3)\n%s}\n"
	const gone = "\t«return err»\n"
	base, span := unmarked(t, fmt.Sprintf(file, gone, ""))
	current := NewText(fmt.Sprintf(file, "", "\treturn err\n"))
	p := Align(base, current).Place(NewAnchor(base, span))
	require.Equal(t, Detached, p.State, "%q", current.Slice(p.Span))
	require.Equal(t, 2, current.LineAt(p.Span.Start))

	// Neither is it one of several lines.
	block := "\tif err != nil {\n\t\treturn err\n\t}\n"
	twice := "func d() error {\n" + block + "\treturn nil\n}\n"
	base = NewText(twice + fmt.Sprintf(file, block, ""))
	current = NewText(twice + fmt.Sprintf(file, "", block))
	from := strings.LastIndex(base.String(), block)
	p = Align(base, current).Place(NewAnchor(base, Span{from, from + len(block)}))
	require.NotContains(t, []State{Live, Moved}, p.State, "%q", current.Slice(p.Span))
}

func TestMovedFunction(t *testing.T) {
	i := strings.Index(twoFuncs, "func first")
	j := strings.Index(twoFuncs, "func second")
	cut := twoFuncs[:i] + twoFuncs[j:] + "\n" + strings.TrimSuffix(twoFuncs[i:j], "\n")
	for _, part := range []string{"func first() error {", "\tx := open(1)", "open(1)", "func first() error {\n\tx := open(1)\n\tif x == nil {\n\t\treturn errNone\n\t}\n\treturn nil\n}\n"} {
		base, span := unmarked(t, mark(twoFuncs, part, 1))
		current, want := unmarked(t, mark(cut, part, 1))
		p := Align(base, current).Place(NewAnchor(base, span))
		require.Equal(t, want, p.Span, "%q %v", part, p)
		require.Contains(t, []State{Live, Moved}, p.State) // the diff keeps one of the two functions
		p = Align(current, base).Place(NewAnchor(current, want))
		require.Equal(t, span, p.Span, "%q %v back", part, p)
	}
	// The lines that occur in both functions go with theirs.
	for nth, line := range []string{"\t\treturn errNone", "\t}", "\treturn nil", "}\n"} {
		base, span := unmarked(t, mark(twoFuncs, line, 1))
		current, want := unmarked(t, mark(cut, line, 2+nth/3))
		p := Align(base, current).Place(NewAnchor(base, span))
		require.Equal(t, want, p.Span, "%d %q %v", nth, line, p)
	}
}

func TestDuplicateQuoteTwice(t *testing.T) {
	for nth := 1; nth <= 2; nth++ {
		m := mark(twoFuncs, "\t\treturn errNone", nth)
		requireMarked(t, m, "// licence\n"+m, Live)
		requireMarked(t, m, strings.Replace(m, "errNone»", "errNone»\n\t\t// why", 1), Live)
	}
	// One of the two is removed: the comment on it must not jump to the other.
	base, span := unmarked(t, mark(twoFuncs, "\t\treturn errNone", 1))
	current := NewText(strings.Replace(twoFuncs, "\t\treturn errNone\n", "", 1))
	p := Align(base, current).Place(NewAnchor(base, span))
	require.Equal(t, Detached, p.State)
	require.Equal(t, 5, current.LineAt(p.Span.Start))
}

func TestCommentOnBrace(t *testing.T) {
	requireMarked(t, mark(twoFuncs, "\t}", 1), mark(strings.Replace(twoFuncs, "\tx := open(1)\n", "\tx := open(1)\n\tlog(x)\n\tif a {\n\t\tb()\n\t}\n", 1), "\t}", 2), Live)
	requireMarked(t, mark(twoFuncs, "}\n\nfunc second", 1), mark("// a\n"+twoFuncs, "}\n\nfunc second", 1), Live)
	// Wrapped: the brace is the one behind the other lines, not the new one.
	requireMarked(t, "a()\nb {\n\tc()\n«}»\nd()\n", "a()\nif x {\n\tb {\n\t\tc()\n\t«}»\n\td()\n}\n", Outdated)
	// The whole function goes: so does its brace.
	i, j := strings.Index(twoFuncs, "func first"), strings.Index(twoFuncs, "func second")
	requireMarked(t, mark(twoFuncs, "\t}", 1), twoFuncs[:i]+"«»"+twoFuncs[j:], Detached)
}

func TestCommentOnABlankLine(t *testing.T) {
	base := NewText(twoFuncs)
	for line := range base.LineCount() {
		if !base.Line(line).Empty() {
			continue
		}
		current := NewText("// one\n// two\n" + strings.Replace(twoFuncs, "x := open(1)", "x := open(1, now)", 1))
		p := Align(base, current).Place(NewAnchor(base, base.Line(line)))
		require.Equal(t, Live, p.State)
		require.Equal(t, line+2, current.LineAt(p.Span.Start))
	}
	// A blank line that is removed does not jump to another.
	removed := NewText(strings.Replace(twoFuncs, "package p\n\n", "package p\n", 1))
	p := Align(base, removed).Place(NewAnchor(base, base.Line(1)))
	require.Equal(t, Detached, p.State)
	require.Equal(t, 1, removed.LineAt(p.Span.Start))
}

func TestCommentOnADeletedLine(t *testing.T) {
	requireMarked(t, "a()\n«b()»\nc()\n", "a()\n«»c()\n", Detached)
	requireMarked(t, "a()\n«b()\n»c()\n", "a()\n«»c()\n", Detached)
	requireMarked(t, "a()\nb()\n«c()»", "a()\nb()\n«»", Detached)
	requireMarked(t, "f(a«, b»)\n", "f(a«»)\n", Detached)
	requireMarked(t, "«a»", "«»", Detached)
}

func TestWholeFileReformat(t *testing.T) {
	spaces := strings.ReplaceAll(twoFuncs, "\t", "    ")
	base, current := NewText(twoFuncs), NewText(spaces)
	a := Align(base, current)
	for line := range base.contentLines() {
		indented := strings.HasPrefix(base.content(line), "\t")
		p := a.Place(NewAnchor(base, base.Line(line)))
		require.Equal(t, line, current.LineAt(p.Span.Start), "%q", base.content(line))
		if indented {
			require.Equal(t, Outdated, p.State)
			require.GreaterOrEqual(t, p.Confidence, 0.9)
		} else {
			require.Equal(t, Live, p.State)
		}
		// Without the indentation nothing changed.
		s := base.Line(line)
		s.Start += len(indentation(base.content(line)))
		p = a.Place(NewAnchor(base, s))
		require.Equal(t, Live, p.State, "%q", base.Slice(s))
		require.Equal(t, base.Slice(s), current.Slice(p.Span))
		require.Equal(t, line, current.LineAt(p.Span.Start))
	}
	whole := NewAnchor(base, Span{0, base.Len()})
	require.Equal(t, Span{0, current.Len()}, a.Place(whole).Span)
	// A call wrapped over several lines.
	requireMarked(t, "a()\n«call(one, two, three)»\nb()\n", "a()\n«call(\n\tone,\n\ttwo,\n\tthree)»\nb()\n", Outdated)
}

func TestCRLFToLFAndBack(t *testing.T) {
	crlf := strings.ReplaceAll(twoFuncs, "\n", "\r\n")
	for _, part := range []string{"\tx := open(1)", "open", "\tx := open(1)\n\tif x == nil {\n", "}\n\nfunc"} {
		unix, dos := mark(twoFuncs, part, 1), mark(crlf, strings.ReplaceAll(part, "\n", "\r\n"), 1)
		requireMarked(t, unix, dos, Live)
		requireMarked(t, dos, unix, Live)
		requireMarked(t, dos, "// x\n"+unix, Live)
	}
	require.Nil(t, Hunks(NewText(twoFuncs), NewText(crlf)))
	require.Nil(t, Hunks(NewText(strings.ReplaceAll(twoFuncs, "\n", "\r")), NewText(crlf)))
}

func TestBOM(t *testing.T) {
	bom := byteOrderMark
	requireMarked(t, "«package p»\n\nvar x\n", bom+"«package p»\n\nvar x\n", Live)
	requireMarked(t, bom+"«package p»\n\nvar x\n", "«package p»\n\nvar x\n", Live)
	requireMarked(t, bom+"package p\n\n«var x»\n", "package p\n\n«var x»\n", Live)
	requireMarked(t, "«package p\n»\nvar x\n", bom+"«package p\n»\nvar x\n", Live)
	require.Nil(t, Hunks(NewText(twoFuncs), NewText(bom+twoFuncs)))
	require.Equal(t, []Hunk{{LineRange{0, 1}, LineRange{0, 1}}}, Hunks(NewText(bom+"a\nb\n"), NewText("x\nb\n")))
}

func TestNoFinalNewline(t *testing.T) {
	requireMarked(t, "a\n«b»", "a\n«b»\n", Live)
	requireMarked(t, "a\n«b»\n", "a\n«b»", Live)
	requireMarked(t, "a\n«b\n»", "a\n«b»", Live)
	requireMarked(t, "a\n«b»", "a\n«b»\nc\n", Live)
	require.Equal(t, []Hunk{{LineRange{1, 2}, LineRange{1, 2}}}, Hunks(NewText("a\nb"), NewText("a\nb\n")))
	require.Equal(t, []Hunk{{LineRange{1, 2}, LineRange{1, 3}}}, Hunks(NewText("a\nb"), NewText("a\nb\nc\n")))
}

func TestSurrogatePairsAndCombiningMarks(t *testing.T) {
	base := NewText("s := \"😀e\u0301ä\" + tail\n")
	span := Span{strings.Index(base.String(), "tail"), strings.Index(base.String(), "\n")}
	for e, want := range map[Encoding]Range{
		UTF8:  {Position{0, 19}, Position{0, 23}},
		UTF16: {Position{0, 15}, Position{0, 19}},
		UTF32: {Position{0, 14}, Position{0, 18}},
	} {
		require.Equal(t, want, base.Range(span, e), "%s", e)
		require.Equal(t, span, base.Span(want, e), "%s", e)
	}
	requireMarked(t, "s := \"😀e\u0301ä\" + «tail»\n", "s := \"😀😀e\u0301ä\" + «tail»\n", Live)
	requireMarked(t, "x «größe» y\n", "xx 你好 «größe» y\n", Live)
	requireMarked(t, "// «你好»世界\n", "// «你好»，世界\n", Live)
}

func TestEndAtCharacterZeroOfTheNextLine(t *testing.T) {
	requireMarked(t, "a\n«b\n»c\nd\n", "new\na\n«b\n»c\nd\n", Live)
	requireMarked(t, "a\n«b\n»c\nd\n", "a\n«b\n»inserted\nc\nd\n", Live) // does not grow
	requireMarked(t, "a\n«b\n»c\nd\n", "a\n«b\n»d\n", Live)              // what follows is not part of it
	requireMarked(t, "a\n«b(1)\n»c\nd\n", "a\n«b(1, 2)\n»c\nd\n", Outdated)
}

func TestRangePastTheEnd(t *testing.T) {
	text := NewText("one\ntwo\n")
	require.Equal(t, Span{4, 8}, text.Span(Range{Position{1, 0}, Position{99, 99}}, UTF16))
	require.Equal(t, Span{7, 7}, text.Span(Range{Position{1, 1 << 30}, Position{1, 1 << 31}}, UTF8))
	require.Equal(t, Span{8, 8}, text.Span(Range{Position{7, 7}, Position{8, 8}}, UTF32))
	require.Equal(t, Span{0, 3}, text.Span(Range{Position{-5, 3}, Position{0, 1 << 40}}, UTF16))
	an := NewAnchor(text, Span{4, 1 << 40})
	require.Equal(t, Span{4, 8}, an.Span)
	require.Equal(t, "two\n", an.Quote)
	p := Align(text, NewText("zero\none\ntwo\n")).Place(an)
	require.Equal(t, Placement{Span{9, 13}, Live, p.Confidence}, p)
}

func TestStartAfterEnd(t *testing.T) {
	text := NewText("one\ntwo\n")
	require.Equal(t, Span{1, 5}, text.Span(Range{Position{1, 1}, Position{0, 1}}, UTF16))
	require.Equal(t, Span{1, 5}, NewAnchor(text, Span{5, 1}).Span)
}

func TestEmptyRange(t *testing.T) {
	requireMarked(t, "a\n«»b\nc\n", "new\na\n«»b\nc\n", Live)
	requireMarked(t, "a\nfoo(«»b)\nc\n", "a\nfoo(«»b)\nx\nc\n", Live)
	requireMarked(t, "a\nfoo(1, «»bar)\nc\n", "a\nfoo(1, 2, «»bar)\nc\n", Outdated) // about its line
	requireMarked(t, "a\n«»b\nc\n", "a\n«»c\n", Detached)
	requireMarked(t, "a\nb\n«»", "a\nb\nc\n«»", Live)
	requireMarked(t, "«»", "a\n«»", Live)
}
