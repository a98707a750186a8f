package mapping

import "strings"

// Edit replaces the bytes of Span by Text.
type Edit struct {
	Span Span
	Text string
}

// Apply is the text after edits, which are in order, do not overlap and are all
// in the coordinates of t.
func (t *Text) Apply(edits []Edit) *Text {
	if len(edits) == 0 {
		return t
	}
	s, done := t.String(), 0
	var sb strings.Builder
	for _, e := range edits {
		sb.WriteString(s[done:e.Span.Start])
		sb.WriteString(e.Text)
		done = e.Span.End
	}
	sb.WriteString(s[done:])
	return NewText(sb.String())
}

// SelectHunks picks the hunks that a command on lines of the buffer is about:
// every hunk that [PlacedHunk.Touches] them. On a single line, the cursor's, a
// removal right below the line is meant only if nothing else is.
func SelectHunks(placed []PlacedHunk, lines LineRange) []PlacedHunk {
	var out []PlacedHunk
	for _, p := range placed {
		below := p.Lines.Empty() && p.Lines.Start > lines.Start && lines.Len() <= 1
		if p.Touches(lines) && (!below || len(out) == 0) {
			out = append(out, p)
		}
	}
	return out
}

// SelectLines picks exactly the given lines of the buffer out of the hunks: of a
// hunk that is selected in part, the part, as a hunk of its own. A removal is
// selected between two selected lines, at the beginning of the buffer with its
// first line, and at the end with its last.
//
// The lines of both sides of a hunk are paired in order: the last one of the
// buffer stands for what is left of a longer before side, and lines without a
// partner were added. So reverting every line one by one ends with the before
// side.
func SelectLines(buffer *Text, placed []PlacedHunk, lines LineRange) []PlacedHunk {
	var out []PlacedHunk
	for _, p := range placed {
		if p.Lines.Empty() {
			above := lines.Start < p.Lines.Start || p.Lines.Start == 0 && lines.Start <= 0
			below := lines.End > p.Lines.Start || p.Lines.Start >= buffer.contentLines() && lines.End >= buffer.contentLines()
			if above && below && !lines.Empty() {
				out = append(out, p)
			}
			continue
		}
		from, to := max(lines.Start, p.Lines.Start), min(lines.End, p.Lines.End)
		if from < to {
			out = append(out, p.part(buffer, from-p.Lines.Start, to-p.Lines.Start))
		}
	}
	return out
}

// part is the lines [from, to) of p in the buffer, counted from its first.
func (p PlacedHunk) part(buffer *Text, from, to int) PlacedHunk {
	if from == 0 && to == p.Lines.Len() {
		return p
	}
	before, after, n := p.Hunk.Before, p.Hunk.After, p.Lines.Len()
	q := p
	q.Lines = LineRange{p.Lines.Start + from, p.Lines.Start + to}
	q.Span = buffer.Lines(q.Lines)
	q.Hunk.After = LineRange{after.Start + from, after.Start + to}
	q.Hunk.Before = LineRange{before.Start + min(from, before.Len()), before.Start + min(to, before.Len())}
	if to == n {
		q.Hunk.Before.End = before.End
	}
	return q
}

// RevertEdits takes several live hunks of one buffer back, or parts of hunks, see
// [SelectHunks] and [SelectLines]. Hunks that are not live are left alone. The
// edits are in order and in the coordinates of the buffer.
//
// Line ends are those of [FileChange.Revert], but for hunks next to a hunk of
// line ends that is reverted as well: there they are those from before. All hunks
// of a buffer that is the after text give the before text to the byte.
func (c *FileChange) RevertEdits(hunks []PlacedHunk, buffer *Text) []Edit {
	edits := make([]Edit, 0, len(hunks))
	all := c.all(hunks) && equalTexts(buffer, c.After)
	for k, p := range hunks {
		if p.State != HunkLive {
			continue
		}
		s, text := c.Revert(p, buffer)
		switch {
		case all:
			s, text = p.Span, c.Before.Slice(c.Before.Lines(p.Hunk.Before))
		case k > 0 && hunks[k-1].endsBefore(p) || k+1 < len(hunks) && hunks[k+1].endsBehind(p):
			text = c.withOldEnds(text, p)
		}
		edits = append(edits, Edit{s, text})
	}
	return edits
}

// all reports whether hunks are all hunks of the change, as a whole and live.
func (c *FileChange) all(hunks []PlacedHunk) bool {
	if len(hunks) != len(c.Hunks) {
		return false
	}
	for i, p := range hunks {
		if p.Index != i || p.Hunk != c.Hunks[i] || p.State != HunkLive {
			return false
		}
	}
	return true
}

// endsBefore and endsBehind report whether e is a live hunk of line ends right
// before or behind p.
func (e PlacedHunk) endsBefore(p PlacedHunk) bool {
	return e.LineEnds != "" && e.State == HunkLive && e.Lines.End == p.Lines.Start
}

func (e PlacedHunk) endsBehind(p PlacedHunk) bool {
	return e.LineEnds != "" && e.State == HunkLive && p.Lines.End == e.Lines.Start
}

// withOldEnds is text, the reverted lines of p with the line ends of a buffer,
// with the line ends they had.
func (c *FileChange) withOldEnds(text string, p PlacedHunk) string {
	old := c.Before.Slice(c.Before.Lines(p.Hunk.Before))
	if sameText(old, text) && (old == "" || isLineEnd(old[len(old)-1]) == isLineEnd(text[len(text)-1])) {
		return old
	}
	return text
}

// Revert is the edit that brings the before text of a live hunk back into a
// buffer which holds the after side: replace Span by the returned text. Line
// ends are those of the buffer, or, where it has several kinds or the hunk changed
// nothing else, those there were before; a missing one at the end of either text is kept as it was before.
func (c *FileChange) Revert(p PlacedHunk, buffer *Text) (Span, string) {
	text := c.Before.Slice(c.Before.Lines(p.Hunk.Before))
	if p.LineEnds != "" {
		return p.Span, text
	}
	if !c.mixed || !mixedLineEnds(buffer.String()) {
		if LineEnd(c.Before) == "\r" {
			text = strings.ReplaceAll(text, "\r", "\n")
		}
		text = WithLineEnds(text, LineEnd(buffer))
	}
	span := p.Span
	if text != "" && !isLineEnd(text[len(text)-1]) && span.End < buffer.Len() {
		// The before text ended the file without a line end; the buffer goes on.
		text += LineEnd(buffer)
	}
	if text != "" && span.Start > 0 && span.Start == span.End && span.Start == buffer.Len() && !endsLine(buffer) {
		// Appending behind a last line that has no line end.
		text = LineEnd(buffer) + strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	if text == "" && span.End == buffer.Len() && span.Start > 0 && !endsLine(buffer) &&
		p.Hunk.Before.Empty() && c.Before.Len() > 0 && !endsLine(c.Before) {
		// The added lines end the file, and before them the file had no line end:
		// take the one above along.
		span.Start = buffer.Line(buffer.LineAt(span.Start - 1)).End
	}
	return span, text
}
