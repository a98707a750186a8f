package mapping

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sourceText is n lines that look like source: a third of them unique, the rest
// twins of others.
func sourceText(n int) []string {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	lines := make([]string, n)
	for i := range lines {
		switch rng.IntN(6) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i] = "\t}"
		case 2:
			lines[i] = "\t\treturn nil, err"
		case 3:
			lines[i] = "\tif err != nil {"
		default:
			lines[i] = fmt.Sprintf("\tvalue%d, err := load(ctx, key%d)", i, rng.IntN(1000))
		}
	}
	return lines
}

// edited changes, inserts or removes edits lines.
func editLines(lines []string, edits int) []string {
	rng := rand.New(rand.NewPCG(2, uint64(edits)))
	at := map[int]int{}
	for len(at) < edits {
		at[rng.IntN(len(lines))] = rng.IntN(3)
	}
	var out []string
	for i, s := range lines {
		switch kind, ok := at[i]; {
		case !ok:
			out = append(out, s)
		case kind == 0:
			out = append(out, s+" // changed")
		case kind == 1:
			out = append(out, s, fmt.Sprintf("\tadded%d()", i))
		}
	}
	return out
}

func joined(lines []string) *Text { return NewText(strings.Join(lines, "\n") + "\n") }

// everyLine anchors n lines spread over t.
func everyLine(t *Text, n int) []Anchor {
	anchors := make([]Anchor, n)
	for i := range anchors {
		anchors[i] = NewAnchor(t, t.Line(i*t.LineCount()/n))
	}
	return anchors
}

// BenchmarkKeystroke types into a 5 000-line file, with all placements wanted
// after every key. "near" has one edited place since the base, "far" fifty of
// them all over the file, so that cutting off what is equal does not help.
// "first" is the first key in a line, after which the diff must be done anew.
func BenchmarkKeystroke(b *testing.B) {
	lines := sourceText(5000)
	base := joined(lines)
	far := joined(editLines(lines, 50))
	typing := func(b *testing.B, text *Text, n int, first bool) {
		tr, anchors := NewTracker(text), everyLine(base, n)
		at := text.Line(2510).End
		if !first {
			tr.Edit(Span{at, at}, " // now")
			at += 7
		}
		placements(tr, anchors)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%2 == 0 {
				tr.Edit(Span{at, at}, "x")
			} else {
				tr.Edit(Span{at, at + 1}, "")
			}
			placements(tr, anchors)
		}
	}
	for _, n := range []int{0, 200, 2000} {
		b.Run(fmt.Sprintf("near/%d", n), func(b *testing.B) { typing(b, base, n, false) })
		b.Run(fmt.Sprintf("far/%d", n), func(b *testing.B) { typing(b, far, n, false) })
	}
	b.Run("near/200/first", func(b *testing.B) { typing(b, base, 200, true) })
	b.Run("far/200/first", func(b *testing.B) { typing(b, far, 200, true) })
}

// BenchmarkPort aligns two texts and places 200 anchors.
func BenchmarkPort(b *testing.B) {
	for _, n := range []int{500, 5000, 20000} {
		lines := sourceText(n)
		base := joined(lines)
		for _, edits := range []int{10, 50, 200, 2000} {
			if edits > n {
				continue
			}
			current := joined(editLines(lines, edits))
			anchors := everyLine(base, 200)
			b.Run(fmt.Sprintf("%d-lines/%d-edits", n, edits), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a := Align(base, current)
					for _, an := range anchors {
						a.Place(an)
					}
				}
			})
		}
	}
}

// BenchmarkAlign is the line diff alone.
func BenchmarkAlign(b *testing.B) {
	lines := sourceText(5000)
	base, current := joined(lines), joined(editLines(lines, 50))
	for b.Loop() {
		Align(base, current)
	}
}

// BenchmarkBurst places 1 000 new anchors one by one, each wanted at once.
func BenchmarkBurst(b *testing.B) {
	lines := sourceText(5000)
	base, current := joined(lines), joined(editLines(lines, 50))
	anchors := everyLine(base, 1000)
	for b.Loop() {
		tr := NewTracker(current)
		for _, an := range anchors {
			tr.Place(an)
		}
	}
}

// BenchmarkManyCursors types one letter on 100 lines at once: a hundred changes, after which the
// placements are wanted once.
func BenchmarkManyCursors(b *testing.B) {
	lines := sourceText(5000)
	base, current := joined(lines), joined(editLines(lines, 50))
	anchors := everyLine(base, 200)
	tr := NewTracker(current)
	placements(tr, anchors)
	for i := 0; b.Loop(); i++ {
		for line := range 100 {
			at := tr.Text().Line(line * 50).End
			if i%2 == 0 {
				tr.Edit(Span{at, at}, "x")
			} else {
				tr.Edit(Span{at - 1, at}, "")
			}
		}
		placements(tr, anchors)
	}
}

// BenchmarkLongLine aligns two texts of one line of 2 MiB each and places three anchors.
func BenchmarkLongLine(b *testing.B) {
	base, current, near, far, changed := twoMegabytes()
	for b.Loop() {
		a := Align(base, current)
		for _, an := range []Anchor{near, far, changed} {
			a.Place(an)
		}
	}
}

func BenchmarkEdit(b *testing.B) {
	text := joined(sourceText(5000))
	at := text.Line(2500).End
	for _, insert := range []string{"x", "\n"} {
		b.Run(fmt.Sprintf("%q", insert), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text.Edit(Span{at, at}, insert)
			}
		})
	}
}

func BenchmarkNewText(b *testing.B) {
	s := joined(sourceText(5000)).String()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		NewText(s)
	}
}

func BenchmarkPositions(b *testing.B) {
	ascii := joined(sourceText(5000))
	unicode := NewText("ä" + ascii.String())
	long := NewText("ä" + strings.ReplaceAll(ascii.String(), "\n", " "))
	for _, c := range []struct {
		name string
		text *Text
	}{{"ascii", ascii}, {"unicode", unicode}, {"one-line", long}} {
		off := c.text.Len() / 2
		p := c.text.Position(off, UTF16)
		b.Run("Position/"+c.name, func(b *testing.B) {
			for b.Loop() {
				c.text.Position(off, UTF16)
			}
		})
		b.Run("Offset/"+c.name, func(b *testing.B) {
			for b.Loop() {
				c.text.Offset(p, UTF16)
			}
		})
	}
}

// BenchmarkLarge ports over the limits: two megabytes in one line, and 100 000
// lines of which half changed.
func BenchmarkLarge(b *testing.B) {
	line := strings.Repeat("abcdefghij ", 2<<20/11)
	b.Run("one-line", func(b *testing.B) {
		base := NewText(line)
		current := NewText(line[:1<<20] + "changed" + line[1<<20+5:])
		anchors := []Anchor{NewAnchor(base, Span{100, 200}), NewAnchor(base, Span{1<<20 - 10, 1<<20 + 40}), NewAnchor(base, Span{0, base.Len()})}
		for b.Loop() {
			a := Align(base, current)
			for _, an := range anchors {
				a.Place(an)
			}
		}
	})
	b.Run("lines", func(b *testing.B) {
		lines := sourceText(100_000)
		base, current := joined(lines), joined(editLines(lines, 50_000))
		anchors := everyLine(base, 1000)
		for b.Loop() {
			a := Align(base, current)
			for _, an := range anchors {
				a.Place(an)
			}
		}
	})
	b.Run("rewritten", func(b *testing.B) {
		lines, other := sourceText(30_000), sourceText(29_000)
		base, current := joined(lines), joined(other)
		anchors := everyLine(base, 1000)
		for b.Loop() {
			a := Align(base, current)
			for _, an := range anchors {
				a.Place(an)
			}
		}
	})
}
