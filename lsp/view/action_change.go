package view

import (
	"fmt"
	"slices"
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

// revertLinesAction offers to take back exactly the selected lines. Where that
// would be one whole hunk, it is offered as such already.
func (v View) revertLinesAction(l *actionList, c *workspace.Change, text *mapping.Text, lines mapping.LineRange) {
	placed := c.Hunks(text)
	parts := RevertableLines(c, text, lines)
	if len(parts) == 0 || len(parts) == 1 && parts[0].Hunk == placed[slices.IndexFunc(placed, func(h mapping.PlacedHunk) bool { return h.Index == parts[0].Index })].Hunk {
		return
	}
	l.edit("Revert selected lines ("+linesLabel(lines)+")", v.RevertEdit(c, text, parts))
}

// RevertableLines are the parts of a change's hunks that are on some lines of the
// buffer and can be taken back there.
func RevertableLines(c *workspace.Change, text *mapping.Text, lines mapping.LineRange) []mapping.PlacedHunk {
	return slices.DeleteFunc(mapping.SelectLines(text, c.Hunks(text), lines), func(p mapping.PlacedHunk) bool {
		return c.CannotRevert(p, text) != ""
	})
}
