package view

import (
	"fmt"
	"strings"
	"unicode"

	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// changeActions are those of hunks on the lines, then of the file.
func (v View) changeActions(l *actionList, f *workspace.File, text *mapping.Text, span mapping.Span, lines mapping.LineRange) {
	c := f.Primary()
	var ranged []offered
	run := func(ops []offered) {
		for _, op := range ops {
			v.operationAction(l, op)
		}
		ranged = append(ranged, ops...)
	}
	if c != nil && c.Content() != nil {
		var here []mapping.PlacedHunk
		for _, h := range c.Hunks(text) {
			if !h.Touches(lines) {
				continue
			}
			here = append(here, h)
			title := fmt.Sprintf("Revert hunk (%s)", h.Title())
			why := c.CannotRevert(h, text)
			if why != "" {
				l.disabled(title, "the hunk is "+why)
			} else {
				l.edit(title, v.RevertEdit(c, text, []mapping.PlacedHunk{h}))
			}
			run(v.rangeOperations(c, h, text))
			l.command("Show text before the change ("+h.Title()+")", "ahp.before.show", v.rangeOf(f, text, h.Span))
		}
		v.keepActions(l, c, here)
		if isSelection(text, span) {
			v.revertLinesAction(l, c, text, lines)
			run(v.selectionOperations(c, span, text))
		}
	}
	run(v.otherRangeOperations(f, c, span, text, ranged))
	for _, op := range v.resourceOperations(f) {
		v.operationAction(l, op)
	}
	if r := f.ReviewFlag(); r != nil {
		l.command(reviewLabel(r)+": "+workspace.BaseName(f.URI()), "ahp.file.setReviewed", reviewArgs(r))
	}
	for _, op := range v.changesetOperations(f) {
		l.kind = KindSource + "." + kindWord(op.args.Operation)
		v.operationAction(l, op)
	}
}

// kindWord makes an operation's id a part of a kind.
func kindWord(id string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
}

func (v View) operationAction(l *actionList, op offered) {
	if op.why != "" {
		l.disabled(op.label, op.why)
		return
	}
	l.command(op.label, "ahp.operation.invoke", op.args)
}

// keepActions offers to keep the hunks on the lines, and all of the file.
func (v View) keepActions(l *actionList, c *workspace.Change, placed []mapping.PlacedHunk) {
	for _, h := range placed {
		where := v.rangeOf(c.File(), c.File().Text(), h.Span)
		if v.w.Kept(c, h.Index) {
			l.command("Un-keep hunk ("+h.Title()+")", "ahp.hunk.keep", protocol.KeepArgs{RangeArgs: where, Keep: ptr(false)})
		} else {
			l.command("Keep hunk ("+h.Title()+")", "ahp.hunk.keep", protocol.KeepArgs{RangeArgs: where})
		}
	}
	if len(placed) == 0 {
		return
	}
	switch kept, all := v.w.KeptCount(c); {
	case kept == all:
		l.command("Un-keep all hunks in file", "ahp.file.keep", protocol.FileKeepArgs{URI: c.File().EditorURI(), Keep: ptr(false)})
	case all > 1:
		l.command("Keep all hunks in file", "ahp.file.keep", protocol.FileKeepArgs{URI: c.File().EditorURI()})
	}
}

// revertLinesAction offers to take back the selected lines of the hunks. Where
// that would be one whole hunk, it is offered as such already.
func (v View) revertLinesAction(l *actionList, c *workspace.Change, text *mapping.Text, lines mapping.LineRange) {
	var parts []mapping.PlacedHunk
	whole := 0
	for _, h := range c.Hunks(text) {
		if c.CannotRevert(h, text) != "" {
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
	l.edit("Revert selected lines ("+linesLabel(lines)+")", v.RevertEdit(c, text, parts))
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
