package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlaceQuote(t *testing.T) {
	const src = "package p\n\nfunc a() error {\n\treturn nil\n}\n\nfunc b(x int) error {\n\treturn nil\n}\n"
	for _, c := range []struct {
		name  string
		quote string
		hint  int
		text  string // with the expected place marked
		state State
	}{
		{"at its line", "func b(x int) error {", 6, mark(src, "func b(x int) error {", 1), Live},
		{"elsewhere", "func b(x int) error {", 2, mark(src, "func b(x int) error {", 1), Moved},
		{"twin at the hinted line", "\treturn nil", 7, mark(src, "\treturn nil", 2), Live},
		{"twin near the hinted line", "\treturn nil", 8, mark(src, "\treturn nil", 2), Outdated},
		{"brace at the hinted line", "}\n", 4, mark(src, "}\n", 1), Live},
		{"several lines, other line ends", "func a() error {\n\treturn nil\n}", 2, mark(strings.ReplaceAll(src, "\n", "\r\n"), "func a() error {\r\n\treturn nil\r\n}", 1), Live},
		{"other white space", "func b( x int ) error {", 6, mark(src, "func b(x int) error {", 1), Outdated},
		{"changed", "func b(x, y int) error {", 6, mark(src, "func b(x int) error {", 1), Outdated},
		{"gone", "something(else)", 3, strings.Replace(src, "\treturn nil", "«»\treturn nil", 1), Detached},
		{"gone, line past the end", "something(else)", 99, src + "«»", Detached},
		{"nothing", "", 1, strings.Replace(src, "\n\n", "\n«»\n", 1), Detached},
	} {
		t.Run(c.name, func(t *testing.T) {
			current, want := unmarked(t, c.text)
			an := QuoteAnchor(c.quote, c.hint)
			p := PlaceQuote(an, current)
			require.Equal(t, c.state, p.State, "%+v", p)
			require.Equal(t, want, p.Span, "%q", current.Slice(p.Span))
			require.Equal(t, p, Align(NewText(""), current).Place(an))
		})
	}
}

// An anchor of which the base is lost still has its surroundings.
func TestPlaceQuoteBySurroundings(t *testing.T) {
	base, span := unmarked(t, mark(twoFuncs, "\t\treturn errNone", 2))
	an := NewAnchor(base, span)
	an.Base, an.Span = nil, Span{}
	current, want := unmarked(t, "// a\n// b\n"+mark(twoFuncs, "\t\treturn errNone", 2))
	p := PlaceQuote(an, current)
	require.Equal(t, Moved, p.State)
	require.Equal(t, want, p.Span)

	base, span = unmarked(t, strings.Replace(twoFuncs, "close(2)", "close(«»2)", 1))
	an = NewAnchor(base, span)
	an.Base = nil
	p = PlaceQuote(an, current)
	require.Equal(t, Live, p.State)
	require.Equal(t, "close(", current.Slice(Span{p.Span.Start - 6, p.Span.Start}))
}

func TestLongQuoteIsCutAtACharacter(t *testing.T) {
	base := NewText(strings.Repeat("ä", 5000))
	an := NewAnchor(base, Span{1, 9999})
	require.Equal(t, Span{0, 9998}, an.Span)
	require.Equal(t, strings.Repeat("ä", 1024), an.Quote)
	an = NewAnchor(base, Span{201, 203})
	require.Equal(t, strings.Repeat("ä", 32), an.Prefix)
	require.Equal(t, strings.Repeat("ä", 32), an.Suffix)
}

// A quote that is there thousands of times is found on its line all the same.
func TestPlaceQuoteAmongThousands(t *testing.T) {
	var sb strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&sb, "\tuse(%d, err)\n", i)
	}
	text := NewText(sb.String())
	for _, line := range []int{0, 999, 2500, 8999} {
		at := Span{text.Line(line).End - 4, text.Line(line).End - 1}
		require.Equal(t, Placement{at, Live, 0.6}, PlaceQuote(QuoteAnchor("err", line), text), "line %d", line)

		an := NewAnchor(text, at)
		an.Base = nil
		require.Equal(t, Placement{at, Live, 0.8}, PlaceQuote(an, text), "line %d with its surroundings", line)
	}
	// What is found far from its line could be one of those not looked at.
	an := NewAnchor(text, Span{text.Line(4000).End - 4, text.Line(4000).End - 1})
	an.Base, an.Hint = nil, 4500
	require.Equal(t, Outdated, PlaceQuote(an, text).State)
}

// Bytes that are no UTF-8 are equal to parts of characters; these are no place.
func TestPlacesAreWholeCharacters(t *testing.T) {
	for _, c := range []struct{ quote, text string }{
		{"\xa9abcdefgh", "éabc defgh\n"},
		{"abcdefgh\xe9", "abc defgh鐵\n"},
	} {
		text := NewText(c.text)
		for _, an := range []Anchor{QuoteAnchor(c.quote, 0), NewAnchor(NewText("x\n"+c.quote), Span{2, 2 + len(c.quote)})} {
			p := PlaceQuote(an, text)
			if an.Base != nil {
				p = Align(an.Base, text).Place(an)
			}
			require.Equal(t, text.round(p.Span), p.Span, "%q in %q", c.quote, c.text)
		}
	}
}
