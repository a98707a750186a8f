package lsp

import (
	"fmt"

	"ahp-lsp/mapping"
)

// revertLinesAction offers to take back the selected lines of the hunks. Where
// that would be one whole hunk, it is offered as such already.
func (s *Server) revertLinesAction(l *actionList, c *change, text *mapping.Text, lines mapping.LineRange) {
	var parts []mapping.PlacedHunk
	whole := 0
	for _, h := range c.hunks(text) {
		if s.cannotRevert(c, h, text) != "" {
			continue
		}
		if part, ok := partOf(text, h, lines); ok {
			parts = append(parts, part)
			if part.Hunk == h.Hunk {
				whole++
			}
		}
	}
	if len(parts) == 0 || len(parts) == 1 && whole == 1 {
		return
	}
	l.edit("Revert selected lines ("+linesLabel(lines)+")", s.revertEdit(c, text, parts))
}

// linesLabel names lines as a user counts them.
func linesLabel(lines mapping.LineRange) string {
	if lines.Len() > 1 {
		return fmt.Sprintf("lines %d–%d", lines.Start+1, lines.End)
	}
	return fmt.Sprintf("line %d", lines.Start+1)
}

// partOf is the part of a live hunk that is on some lines, as a hunk of its
// own; ok is false if there is none. The lines of both sides are paired in
// order: the last one of the buffer stands for what is left of the longer
// before side, and lines without a partner were added. So reverting every line
// one by one ends with the before side.
func partOf(text *mapping.Text, h mapping.PlacedHunk, lines mapping.LineRange) (part mapping.PlacedHunk, ok bool) {
	if h.Lines.Empty() {
		// Removed lines: those between two selected ones.
		return h, lines.Start < h.Lines.Start && h.Lines.Start < lines.End
	}
	from, to := max(lines.Start, h.Lines.Start), min(lines.End, h.Lines.End)
	if from >= to {
		return h, false
	}
	return subHunk(text, h, from-h.Lines.Start, to-h.Lines.Start), true
}

func subHunk(text *mapping.Text, h mapping.PlacedHunk, from, to int) mapping.PlacedHunk {
	if from == 0 && to == h.Lines.Len() {
		return h
	}
	before, after := h.Hunk.Before, h.Hunk.After
	part := h
	part.Lines = mapping.LineRange{Start: h.Lines.Start + from, End: h.Lines.Start + to}
	part.Span = text.Lines(part.Lines)
	part.Hunk.After = mapping.LineRange{Start: after.Start + from, End: after.Start + to}
	part.Hunk.Before = mapping.LineRange{Start: before.Start + min(from, before.Len()), End: before.Start + min(to, before.Len())}
	if to == h.Lines.Len() {
		part.Hunk.Before.End = before.End
	}
	return part
}
