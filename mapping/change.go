package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Side names one of the two texts of a change.
type Side int

const (
	// After is the text the agent wrote.
	After Side = iota
	// Before is the text it found.
	Before
)

// String is the side as the Agent Host Protocol spells it.
func (s Side) String() string {
	if s == Before {
		return "before"
	}
	return "after"
}

// FileChange is the change of one file, compared once and placed into many
// versions of a buffer. It is immutable.
type FileChange struct {
	Before, After *Text // an absent side is the empty text
	Created       bool  // there was no file before
	Deleted       bool  // there is no file after
	// Hunks are the changes by content, see [Hunks], and one hunk for each run of
	// lines of which only the line ends differ.
	Hunks []Hunk
	// LineEnds says for each hunk that changed nothing but line ends what it did,
	// for example "LF → CRLF", and is "" for the others.
	LineEnds []string
	// Keys identify the hunks by their texts, wherever they are: two hunks of one
	// file with equal texts differ in their number.
	Keys []string

	mixed bool // one of the sides has line ends of several kinds
}

// NewFileChange compares the two sides; a nil side means that there is no file
// on it.
func NewFileChange(before, after *Text) *FileChange {
	c := &FileChange{Before: before, After: after, Created: before == nil, Deleted: after == nil}
	if c.Before == nil {
		c.Before = NewText("")
	}
	if c.After == nil {
		c.After = NewText("")
	}
	c.Hunks, c.LineEnds = withLineEnds(c.Before, c.After, Hunks(c.Before, c.After))
	c.mixed = mixedLineEnds(c.Before.String()) || mixedLineEnds(c.After.String())
	same := map[string]int{}
	for i, h := range c.Hunks {
		sum := sha256.New()
		before := WithLineEnds(c.Before.Slice(c.Before.Lines(h.Before)), "\n")
		fmt.Fprintf(sum, "%d\n%s", len(before), before)
		sum.Write([]byte(WithLineEnds(c.After.Slice(c.After.Lines(h.After)), "\n")))
		sum.Write([]byte(c.LineEnds[i]))
		key := hex.EncodeToString(sum.Sum(nil)[:16])
		same[key]++
		c.Keys = append(c.Keys, fmt.Sprintf("%s-%d", key, same[key]))
	}
	return c
}

// Resembles says which side of the change a text is (closer to). A text that is
// neither counts by the lines it does not share.
func (c *FileChange) Resembles(t *Text) Side {
	switch s := t.String(); {
	case s == c.After.String():
		return After
	case s == c.Before.String():
		return Before
	}
	if distance(c.Before, t) < distance(c.After, t) {
		return Before
	}
	return After
}

// distance is the number of lines two texts do not share.
func distance(a, b *Text) (n int) {
	for _, h := range Align(a, b).Hunks() {
		n += h.Before.Len() + h.After.Len()
	}
	return n
}

// HunkState says whether a hunk can be acted on in a buffer.
type HunkState int

const (
	// HunkLive: the buffer has the hunk's text, and only that, at its place.
	HunkLive HunkState = iota
	// HunkEdited: the buffer's text differs from both sides there.
	HunkEdited
	// HunkUndone: the buffer has the before text there: reverted, not saved.
	HunkUndone
)

// String is the state in lower case.
func (s HunkState) String() string {
	return [...]string{"live", "edited", "undone"}[s]
}

// PlacedHunk is a hunk in one version of a buffer.
type PlacedHunk struct {
	Hunk  Hunk
	Index int // place in FileChange.Hunks
	// Span is the text of the hunk in the buffer, in bytes: whole lines, or an
	// empty place for lines that are not in the buffer.
	Span  Span
	Lines LineRange // the same in lines of the buffer
	State HunkState
	// LineEnds is that of [FileChange]: the hunk changed line ends only.
	LineEnds string
}

// Place puts the change's hunks into a buffer that holds the given side of it,
// edited or not. The result is in order.
func (c *FileChange) Place(side Side, buffer *Text) []PlacedHunk {
	base := c.After
	if side == Before {
		base = c.Before
	}
	al := Align(base, buffer)
	other := (*Alignment)(nil) // made when a hunk was touched
	out := make([]PlacedHunk, 0, len(c.Hunks))
	for i, h := range c.Hunks {
		lines := h.After
		if side == Before {
			lines = h.Before
		}
		p := PlacedHunk{Hunk: h, Index: i, LineEnds: c.LineEnds[i]}
		var ok bool
		if p.Span, ok = al.mapLines(lines); ok {
			p.Lines = linesOf(buffer, p.Span)
			if p.LineEnds != "" {
				p.State = c.endsState(p, base, lines, buffer)
			}
			out = append(out, p)
			continue
		}
		if side == After {
			if other == nil {
				other = Align(c.Before, buffer)
			}
			if s, ok := other.mapLines(h.Before); ok {
				p.Span, p.Lines, p.State = s, linesOf(buffer, s), HunkUndone
				out = append(out, p)
				continue
			}
		}
		placed := al.Place(NewAnchor(base, base.Lines(lines)))
		p.Span, p.State = placed.Span, HunkEdited
		p.Lines = touchedLines(buffer, placed.Span)
		out = append(out, p)
	}
	return out
}

// endsState is the state of a hunk of line ends of which the lines are in the
// buffer; base holds them on the given lines.
func (c *FileChange) endsState(p PlacedHunk, base *Text, lines LineRange, buffer *Text) HunkState {
	switch {
	case sameEnds(buffer, p.Lines, base, lines):
		return HunkLive
	case sameEnds(buffer, p.Lines, c.Before, p.Hunk.Before):
		return HunkUndone
	}
	return HunkEdited
}

// mapLines translates whole lines of the base; ok only if no change touches
// them. For an empty range the two lines around the place must be unchanged and
// still neighbours: otherwise it is not known where in between it was.
func (a *Alignment) mapLines(r LineRange) (Span, bool) {
	if !r.Empty() {
		first := matched(a.hunks, r.Start)
		if first < 0 {
			return Span{}, false
		}
		for i := r.Start + 1; i < r.End; i++ {
			if matched(a.hunks, i) != first+i-r.Start {
				return Span{}, false
			}
		}
		return a.current.Lines(LineRange{first, first + r.Len()}), true
	}
	before, after := r.Start-1, r.Start
	at := 0
	switch m := matched(a.hunks, before); {
	case before < 0:
	case m < 0:
		return Span{}, false
	default:
		at = m + 1
	}
	if after < a.base.contentLines() {
		if m := matched(a.hunks, after); m != at {
			return Span{}, false
		}
	} else if at != a.current.contentLines() {
		return Span{}, false
	}
	return a.current.Lines(LineRange{at, at}), true
}

// linesOf is the whole lines a span covers; of an empty span the place.
func linesOf(t *Text, s Span) LineRange {
	first := t.LineAt(s.Start)
	if s.Empty() {
		if s.Start == t.Len() && s.Start > t.FullLine(first).Start {
			first++ // behind a last line that has no line end
		}
		return LineRange{first, first}
	}
	return LineRange{first, t.LineAt(s.End-1) + 1}
}

func touchedLines(t *Text, s Span) LineRange {
	r := linesOf(t, s)
	if r.Empty() && r.Start >= t.LineCount() {
		return LineRange{max(t.LineCount()-1, 0), max(t.LineCount()-1, 0)}
	}
	return r
}

// Touches reports whether the hunk is shown on one of the lines. A hunk without
// lines in the buffer is shown on the line at its place, and on the one above
// it, since that is where an editor draws it.
func (p PlacedHunk) Touches(lines LineRange) bool {
	if p.Lines.Empty() {
		return lines.Start <= p.Lines.Start && lines.End >= p.Lines.Start
	}
	return p.Lines.Start < lines.End && lines.Start < p.Lines.End
}

// HunkMarkdown shows what a hunk did, as a diff, or says how it changed line
// ends.
func (c *FileChange) HunkMarkdown(h Hunk) string {
	if i := slices.Index(c.Hunks, h); i >= 0 && c.LineEnds[i] != "" {
		return "Line ends only: " + c.LineEnds[i]
	}
	var b strings.Builder
	write := func(t *Text, lines LineRange, mark string) {
		for i := lines.Start; i < lines.End; i++ {
			b.WriteString(mark + t.Slice(t.Line(i)) + "\n")
		}
	}
	write(c.Before, h.Before, "-")
	write(c.After, h.After, "+")
	return Fence("diff", b.String())
}

// Fence puts text into a fenced code block that nothing in it can close.
func Fence(language, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + marks
}

// Title names a hunk by its lines, counted from one as editors show them.
func (p PlacedHunk) Title() string {
	if p.LineEnds != "" {
		return p.place() + ": line ends only, " + p.LineEnds
	}
	return p.place()
}

func (p PlacedHunk) place() string {
	switch n := p.Lines.Len(); {
	case n == 0 && p.Hunk.Before.Empty() && p.Hunk.After.Len() == 1: // not in this buffer
		return fmt.Sprintf("1 line added at line %d", p.Lines.Start+1)
	case n == 0 && p.Hunk.Before.Empty():
		return fmt.Sprintf("%d lines added at line %d", p.Hunk.After.Len(), p.Lines.Start+1)
	case n == 0 && p.Hunk.Before.Len() == 1:
		return fmt.Sprintf("1 line removed at line %d", p.Lines.Start+1)
	case n == 0:
		return fmt.Sprintf("%d lines removed at line %d", p.Hunk.Before.Len(), p.Lines.Start+1)
	case n == 1:
		return fmt.Sprintf("line %d", p.Lines.Start+1)
	}
	return fmt.Sprintf("lines %d–%d", p.Lines.Start+1, p.Lines.End)
}
