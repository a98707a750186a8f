package view

import (
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
)

const summaryWidth = 72

// Lenses are a file's code lenses. Each also exists as a code action, for
// editors without lenses.
func (v View) Lenses(f *workspace.File) []protocol.CodeLens {
	out := []protocol.CodeLens{}
	text := f.Text()
	if text == nil || f.Doc() == nil || !v.w.Settings().CodeLenses {
		return out
	}
	on := map[int]protocol.UInteger{} // how many lenses a line has so far
	add := func(line int, title, command string, args any) {
		r := v.Range(text, mapping.Span{Start: text.Line(line).Start, End: text.Line(line).Start})
		// Editors sort them by where they start, and not all of them keep the order
		// of those that start together.
		r.Start.Character += on[line]
		r.End.Character += on[line]
		on[line]++
		title = printable.Label(title)
		out = append(out, protocol.CodeLens{Range: r, Command: &protocol.Command{Title: title, Command: command, Arguments: []any{args}}})
	}
	switch c := f.Primary(); {
	case c == nil:
	case c.Content() != nil:
		v.changeLenses(c, text, add)
	case c.Failed() != "":
		add(0, v.ChangesetName(c.View())+": cannot be shown ("+mapping.Shorten(c.Failed(), summaryWidth)+")", "ahp.before.show", protocol.URIArgs{URI: f.EditorURI()})
	}
	for _, p := range v.w.PlacedThreads(f, text) {
		line := p.Lines(text).Start
		data := threadArgs(p.Thread)
		add(line, thread.Summary(p.Annotation(), p.Place, summaryWidth), "ahp.thread.show", data)
		if p.Annotation().Resolved {
			add(line, "Reopen", "ahp.annotation.reopen", data)
			continue
		}
		if thread.Awaiting(p.Annotation()) {
			add(line, "Accept", "ahp.annotation.accept", data)
		}
		add(line, "Resolve", "ahp.annotation.resolve", data)
		add(line, "Reply", "ahp.annotation.reply", data)
	}
	return out
}

func (v View) changeLenses(c *workspace.Change, text *mapping.Text, add func(int, string, string, any)) {
	placed := c.Hunks(text)
	add(0, v.changeTitle(c, text), "ahp.before.show", protocol.URIArgs{URI: c.File().EditorURI()})
	for _, op := range v.resourceOperations(c.File()) {
		add(0, op.label, "ahp.operation.invoke", op.args)
	}
	if r := c.File().ReviewFlag(); r != nil {
		add(0, reviewLabel(r), "ahp.file.setReviewed", reviewArgs(r))
	}
	for _, p := range placed {
		if v.w.Kept(c, p.Index) {
			continue
		}
		line := min(p.Lines.Start, text.LineCount()-1)
		switch why := c.CannotRevert(p, text); {
		case p.State == mapping.HunkUndone:
		case why != "":
			add(line, "Changed by agent: "+p.Title()+", "+counts(p)+" ("+why+")", "ahp.before.show", v.rangeOf(c.File(), text, p.Span))
		default:
			where := v.rangeOf(c.File(), text, p.Span)
			add(line, "Keep hunk", "ahp.hunk.keep", protocol.KeepArgs{RangeArgs: where})
			add(line, "Revert hunk ("+p.Title()+", "+counts(p)+")", "ahp.hunk.revert", where)
			for _, op := range v.rangeOperations(c, p, text) {
				if !op.asks { // a lens next to "Revert hunk" must not be the host's revert on disk
					add(line, op.label, "ahp.operation.invoke", op.args)
				}
			}
		}
	}
}
