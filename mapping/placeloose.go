package mapping

import (
	"strings"

	"ahp-lsp/mapping/words"
)

const (
	// minLoose is the number of bytes without white space a text must have to be
	// looked for regardless of white space.
	minLoose = 6
	// maxLoose is the number of inserted bytes above which nothing is.
	maxLoose = 128 << 10
	// maxTries is the number of places that do not fit above which a text is not
	// looked for any further: it says nothing, such as a long row of zeros.
	maxTries = 1000
)

// looseText is the inserted text without its white space, hunks separated by
// "\n", and for every byte the offset in the current text it came from.
type looseText struct {
	s   string
	pos []int32
}

func (a *Alignment) looseText() *looseText {
	if a.loose != nil {
		return a.loose
	}
	a.loose = new(looseText)
	size := 0
	for _, h := range a.hunks {
		size += a.current.Lines(h.After).Len() + 1
	}
	if size > maxLoose {
		return a.loose
	}
	ranges := make([]LineRange, len(a.hunks))
	for k, h := range a.hunks {
		ranges[k] = h.After
	}
	a.loose = looseOf(a.current, ranges...)
	return a.loose
}

// looseOf takes the white space out of lines of t.
func looseOf(t *Text, ranges ...LineRange) *looseText {
	size := 0
	for _, r := range ranges {
		size += t.Lines(r).Len() + 1
	}
	buf := make([]byte, 0, size)
	pos := make([]int32, 0, size)
	for _, r := range ranges {
		s := t.Lines(r)
		text := t.Slice(s)
		for i := 0; i < len(text); i++ {
			if c := text[i]; !words.IsSpace(c) {
				buf = append(buf, c)
				pos = append(pos, int32(s.Start+i))
			}
		}
		buf = append(buf, '\n')
		pos = append(pos, int32(s.End))
	}
	return &looseText{string(buf), pos}
}

// findLoose looks for the text of span among the inserted lines, regardless of
// white space. It must be there once and have been in the base once.
func (a *Alignment) findLoose(span Span, b block) (Span, bool) {
	quote := a.base.Slice(span)
	if b.point {
		quote = a.base.content(b.first)
	}
	if len(quote) > 2*maxLoose {
		return Span{}, false
	}
	text := a.looseText()
	q := words.Squeeze(quote)
	if len(q) < minLoose || len(q) > len(text.s) || !words.Any(q) {
		return Span{}, false
	}
	i, n := -1, 0
	for from, tries := 0, 0; n < 2; tries++ {
		k := strings.Index(text.s[from:], q)
		if k < 0 {
			break
		}
		if tries == maxTries {
			return Span{}, false
		}
		s := Span{int(text.pos[from+k]), int(text.pos[from+k+len(q)-1]) + 1}
		if a.current.round(s) != s {
			from += k + 1 // bytes of other characters
			continue
		}
		if b.whole && a.current.wholeLines(s) || !b.whole && sameJoints(a.base, span, a.current, s) {
			i = from + k
			n++
		}
		from += k + 1
	}
	if n != 1 || strings.Count(a.base.String(), strings.TrimSpace(quote)) > 1 {
		return Span{}, false
	}
	s := Span{int(text.pos[i]), int(text.pos[i+len(q)-1]) + 1}
	return a.widen(s, b), true
}

// widen gives s the white space b has at its borders: the indentation, if b
// begins at the first column, and the line end, if it has one.
func (a *Alignment) widen(s Span, b block) Span {
	if b.startCol == 0 {
		if head := a.current.contentSpan(a.current.LineAt(s.Start)); words.Blank(a.current.Slice(Span{head.Start, s.Start})) {
			s.Start = head.Start
		}
	}
	foot := a.current.LineAt(s.End)
	if b.whole && words.Blank(a.current.Slice(Span{s.End, max(s.End, a.current.Line(foot).End)})) {
		if b.tail {
			s.End = a.current.FullLine(foot).End
		} else if b.endCol == a.base.contentSpan(b.end-1).Len() {
			s.End = max(s.End, a.current.Line(foot).End)
		}
	}
	if b.point {
		s.End = s.Start
	}
	return s
}

// findExact looks for the text of span, a part of a line, among the inserted
// lines. It must be there once and have been in the base once.
func (a *Alignment) findExact(span Span) (Span, bool) {
	quote := a.base.Slice(span)
	if quote == "" {
		return Span{}, false
	}
	at, n, tries := -1, 0, 0
	for _, h := range a.hunks {
		lines := a.current.Lines(h.After)
		text := a.current.Slice(lines)
		for from := 0; n < 2; tries++ {
			k := strings.Index(text[from:], quote)
			if k < 0 {
				break
			}
			if tries == maxTries {
				return Span{}, false
			}
			k += from
			from = k + 1
			s := Span{lines.Start + k, lines.Start + k + len(quote)}
			if a.current.round(s) == s && sameJoints(a.base, span, a.current, s) {
				at = s.Start
				n++
			}
		}
	}
	if n != 1 || strings.Count(a.base.String(), quote) != 1 {
		return Span{}, false
	}
	return Span{at, at + len(quote)}, true
}
