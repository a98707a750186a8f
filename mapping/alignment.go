package mapping

import (
	"slices"
	"strings"
)

// Alignment relates the lines of a base text to those of a current one. It is
// computed once and places any number of anchors. What a placement needs beyond
// the line diff is computed on first use and kept, so an Alignment belongs to
// one goroutine at a time; handing it over is fine, sharing it is not. What two
// alignments have in common, see Edit, never changes.
//
// Everything it answers depends on the two texts alone, never on how the
// current text was made.
type Alignment struct {
	base, current *Text
	same          bool
	hunks         []Hunk // by content, see contentHunks

	// The rest is filled in on demand.
	run       run // the strong run an anchor was placed in last
	chunk     int // of the current text, the one looked into last
	edits     int // edits in a row that were not worth an index
	baseLines *baseIndex
	lines     *lineIndex
	lost      *lostLines
	weakness  []int8     // of the run before a hunk: 0 unknown, 1 weak, 2 not
	regions   []*region  // of a hunk
	disputes  []disputed // of the run before a hunk, and of the last
	loose     *looseText
}

// Align compares base with current. Neither may be nil.
func Align(base, current *Text) *Alignment {
	return align(base, current, nil)
}

// align is Align with an index of the base that another alignment made, if any.
func align(base, current *Text, lines *baseIndex) *Alignment {
	a := &Alignment{base: base, current: current, baseLines: lines}
	if equalTexts(base, current) {
		a.same = true
		return a
	}
	b, c := trimLines(base, current)
	a.hunks = contentHunks(base, current, b, c)
	return a
}

// Base is the text the anchors are in.
func (a *Alignment) Base() *Text { return a.base }

// Current is the text the anchors are placed in.
func (a *Alignment) Current() *Text { return a.current }

// Hunks is what [Hunks] gives for the two texts.
func (a *Alignment) Hunks() []Hunk {
	if a.same {
		return nil
	}
	return finalLineEnd(a.base, a.current, a.hunks)
}

// Edit is Align(base, current.Edit(s, insert)), at the cost of copying the text
// where the edit is of the usual kind: inside one line that is none of the base
// before the edit nor after it.
func (a *Alignment) Edit(s Span, insert string) *Alignment {
	s = s.clamp(a.current.Len())
	return a.edit(a.current.Edit(s, insert), s, insert)
}

// edit is Edit for a text that was already edited.
func (a *Alignment) edit(next *Text, s Span, insert string) *Alignment {
	if !a.keepsHunks(s, insert, next) {
		b := align(a.base, next, a.baseLines)
		b.edits = a.edits + 1
		return b
	}
	b := &Alignment{
		base: a.base, current: next, hunks: a.hunks,
		baseLines: a.baseLines, lines: a.lines, lost: a.lost, weakness: slices.Clone(a.weakness),
	}
	if a.disputes != nil {
		b.disputes = slices.Clone(a.disputes)
		b.forgetDisputes(next.LineAt(s.Start))
	}
	if a.regions != nil {
		// Pairs depend on the words of the region's lines.
		b.regions = slices.Clone(a.regions)
		j := next.LineAt(s.Start)
		for k, r := range b.regions {
			if r != nil && j >= r.cur.Start && j < r.cur.End {
				b.regions[k] = nil
			}
		}
	}
	return b
}

// keepsHunks reports whether the line diff after the edit is certainly that from
// before. The differ marks lines that are none of the base as inserted before
// it compares anything, so their text has no influence on it, but for the
// indentation, which decides where a change is best cut.
func (a *Alignment) keepsHunks(s Span, insert string, next *Text) bool {
	if a.same || !a.worthIndex() || strings.ContainsAny(insert, "\r\n") {
		return false
	}
	j := a.current.LineAt(s.Start)
	line := a.current.Line(j)
	if s.End > line.End || j == 0 || j >= a.current.contentLines() || j >= next.contentLines() {
		return false
	}
	then, now := a.current.content(j), next.content(j)
	if m := margin(then); m != margin(now) || (m == then) != (m == now) {
		return false
	}
	ids := a.baseIndex().ids
	_, was := ids[then]
	_, is := ids[now]
	return !was && !is
}

// worthIndex reports whether the index of the base costs less than the diffs it
// saves: of few hunks a new diff is cheap, but not of every key typed.
func (a *Alignment) worthIndex() bool {
	const (
		hunks = 2
		keys  = 8
		lines = 20_000 // above which the index costs more than a pause in typing
	)
	return a.baseLines != nil || len(a.hunks) >= hunks || a.edits >= keys && a.base.contentLines() <= lines
}

// margin is what the differ takes for the indentation of s.
func margin(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t\v"))] }

// indentation is the white space s begins with, or all of s if there is
// nothing else.
func indentation(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }

func (a *Alignment) baseIndex() *baseIndex {
	if a.baseLines == nil {
		a.baseLines = newBaseIndex(a.base)
	}
	return a.baseLines
}

func (a *Alignment) index() *lineIndex {
	if a.lines == nil {
		a.lines = newLineIndex(a.baseIndex(), a.current, a.hunks)
	}
	return a.lines
}

// MapSpan translates a span of the base, in bytes, to the current text. It
// reports false if a change touches the span, or if the lines it is in are
// equal to those the diff found but nothing proves they are the same. An empty
// span is touched by text inserted at its place.
func (a *Alignment) MapSpan(s Span) (Span, bool) {
	s = a.base.round(s)
	if a.same {
		return s, true
	}
	return a.mapExact(s)
}
