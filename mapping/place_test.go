package mapping

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requirePlacement fails unless p is possible for an in t.
func requirePlacement(t *testing.T, an Anchor, current *Text, p Placement) {
	t.Helper()
	require.LessOrEqual(t, p.Span.Start, p.Span.End)
	requireBorder(t, current.String(), p.Span.Start)
	requireBorder(t, current.String(), p.Span.End)
	require.GreaterOrEqual(t, p.Confidence, 0.0)
	require.LessOrEqual(t, p.Confidence, 1.0)
	if (p.State == Live || p.State == Moved) && !an.WholeFile {
		want := an.Quote
		if an.Base != nil {
			want = an.Base.Slice(an.Span)
		}
		require.True(t, sameText(want, current.Slice(p.Span)), "%v: %q became %q", p.State, want, current.Slice(p.Span))
	}
	if p.State == Detached {
		require.True(t, p.Span.Empty())
	}
}

// vocabulary are the lines of generated texts: some telling, some twins, some
// mute.
var vocabulary = []string{
	"", "}", "\t}", "func a() {", "\treturn nil", "\tif err != nil {", "\t\treturn err", "func b(x int) {",
	"\tx := load(a, b)", "\tx := load(a, b, c)", "x := load(a, b)", "// größe 😀 e\u0301", "  }", "{", "\tcall(x)",
}

// textFrom makes a text out of fuzzed bytes: a line each, some of them unique,
// with the line ends the first byte says.
func textFrom(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	end := []string{"\n", "\n", "\n", "\r\n", "\r"}[int(data[0])%5]
	var sb strings.Builder
	if data[0]%16 == 15 {
		sb.WriteString(byteOrderMark)
	}
	for i, c := range data[1:] {
		if k := int(c) % 24; k < len(vocabulary) {
			sb.WriteString(vocabulary[k])
		} else {
			sb.WriteString("\tunique" + strings.Repeat("x", int(c)/24) + " := line(")
		}
		if i < len(data)-2 || data[0]&16 == 0 {
			sb.WriteString(end)
		}
	}
	return sb.String()
}

func FuzzPlace(f *testing.F) {
	smallChunks(f)
	f.Add([]byte("\x00abcdefgh"), []byte("\x00abxdefgh"), 3, 9)
	f.Add([]byte("\x00abcdefgh"), []byte("\x13abcde"), 3, 90)
	f.Add([]byte("\x10klmk"), []byte("\x0fkklm"), 0, 0)
	f.Fuzz(func(t *testing.T, x, y []byte, from, to int) {
		base, current := NewText(textFrom(x)), NewText(textFrom(y))
		an := NewAnchor(base, Span{from, to})
		a := Align(base, current)
		p := a.Place(an)
		requirePlacement(t, an, current, p)
		require.Equal(t, p, a.Place(an), "placing twice")
		require.Equal(t, p, Align(NewText(base.String()), NewText(current.String())).Place(an))
		if s, ok := a.MapSpan(an.Span); ok {
			requireBorder(t, current.String(), s.Start)
			requireBorder(t, current.String(), s.End)
			require.True(t, sameText(base.Slice(an.Span), current.Slice(s)))
		}
		require.Equal(t, Placement{an.Span, Live, 1}, Align(base, NewText(base.String())).Place(an), "identity")

		lost := an
		lost.Base = nil
		lost.Span = Span{}
		requirePlacement(t, lost, current, PlaceQuote(lost, current))
		lost.Hint = from
		requirePlacement(t, lost, base, PlaceQuote(lost, base))
	})
}

func FuzzPlaceBytes(f *testing.F) {
	smallChunks(f)
	f.Add("a\r\n😀b\n", "a\n😀\rb\n", 1, 7)
	f.Add("x := load(a)\n", "  x := load(a, b)\n", 5, 9)
	f.Add("\uFEFFa\nb", "a\r\nb", 0, 4)
	f.Fuzz(func(t *testing.T, x, y string, from, to int) {
		base, current := NewText(x), NewText(y)
		an := NewAnchor(base, Span{from, to})
		a := Align(base, current)
		requirePlacement(t, an, current, a.Place(an))
		if s, ok := a.MapSpan(an.Span); ok {
			requireBorder(t, y, s.Start)
			requireBorder(t, y, s.End)
			require.True(t, sameText(base.Slice(an.Span), current.Slice(s)))
		}
		require.Equal(t, Placement{an.Span, Live, 1}, Align(base, NewText(x)).Place(an))
		requirePlacement(t, QuoteAnchor(y, from), base, PlaceQuote(QuoteAnchor(y, from), base))
	})
}

// FuzzTracker edits a text at random and holds the tracker's placements to
// those that the text alone gives.
func FuzzTracker(f *testing.F) {
	smallChunks(f)
	f.Add([]byte("\x00abcdefghijklmnop"), []byte("\x00abcdfghiiklmnop"), uint64(1))
	f.Add([]byte("\x03klmnoklmno"), []byte("\x03klmnoklmno"), uint64(7))
	f.Fuzz(func(t *testing.T, x, y []byte, seed uint64) {
		base, text := NewText(textFrom(x)), NewText(textFrom(y))
		rng := rand.New(rand.NewPCG(seed, 0))
		var anchors []Anchor
		for range 8 {
			from := rng.IntN(base.Len() + 1)
			anchors = append(anchors, NewAnchor(base, Span{from, from + rng.IntN(30)}))
		}
		anchors = append(anchors, NewAnchor(text, Span{0, 20}), QuoteAnchor("call(x)", 3))
		tr := NewTracker(text)
		at := 0
		for range 12 {
			want := tr.Text().String()
			for range 1 + rng.IntN(2)*rng.IntN(3) {
				if rng.IntN(3) > 0 {
					at = rng.IntN(len(want) + 1)
				}
				s, insert := someEdit(rng, tr.Text(), at)
				want = want[:s.Start] + insert + want[s.End:]
				tr.Edit(s, insert)
				at = s.Start + len(insert)
			}
			if rng.IntN(8) == 0 {
				want = textFrom(y)
				tr.Replace(NewText(want))
			}
			require.Equal(t, want, tr.Text().String())
			requireTracked(t, tr, anchors)
		}
	})
}

// someEdit is an edit at or near off: mostly typing.
func someEdit(rng *rand.Rand, text *Text, off int) (Span, string) {
	off = text.border(min(off, text.Len()))
	switch rng.IntN(10) {
	case 0:
		return Span{off, text.border(min(off+rng.IntN(40), text.Len()))}, ""
	case 1:
		return Span{off, off}, "\n"
	case 2:
		return text.FullLine(text.LineAt(off)), ""
	case 3:
		return Span{off, off}, vocabulary[rng.IntN(len(vocabulary))] + "\n"
	case 4:
		return Span{0, text.Len()}, ""
	}
	return Span{off, off}, string(rune('a' + rng.IntN(3)))
}

// placements are those of the anchors in the tracker's text.
func placements(tr *Tracker, anchors []Anchor) []Placement {
	out := make([]Placement, len(anchors))
	for i, an := range anchors {
		out[i] = tr.Place(an)
	}
	return out
}

// requireTracked fails unless every placement is what placing anew gives.
func requireTracked(t *testing.T, tr *Tracker, anchors []Anchor) {
	t.Helper()
	text := NewText(tr.Text().String())
	aligned := map[*Text]*Alignment{}
	for i, p := range placements(tr, anchors) {
		want := PlaceQuote(anchors[i], text)
		if base := anchors[i].Base; base != nil {
			if aligned[base] == nil {
				aligned[base] = Align(NewText(base.String()), text)
			}
			want = aligned[base].Place(anchors[i])
		}
		require.Equal(t, want, p, "anchor %d in %q", i, text.String())
		requirePlacement(t, anchors[i], text, p)
	}
}
