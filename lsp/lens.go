package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tliron/glsp"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
	threadtext "ahp-lsp/mapping/thread"
)

const summaryWidth = 72

func (s *Server) codeLenses(_ *glsp.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	f := s.open(p.TextDocument.URI)
	if f == nil {
		return []protocol.CodeLens{}, nil
	}
	v, err := s.afterLoading(f, viewTimeout, func() (any, error) {
		list := s.lensList(f)
		f.lenses.note(f.text(), hashOf(list))
		return list, nil
	})
	list, _ := v.([]protocol.CodeLens)
	return list, err
}

// lensList is a file's code lenses. Each also exists as a code action, for
// editors without lenses.
func (s *Server) lensList(f *file) []protocol.CodeLens {
	out := []protocol.CodeLens{}
	text := f.text()
	if text == nil || f.doc == nil || !orTrue(s.settings.CodeLenses) {
		return out
	}
	on := map[int]protocol.UInteger{} // how many lenses a line has so far
	add := func(line int, title, command string, args any) {
		r := s.toRange(text, mapping.Span{Start: text.Line(line).Start, End: text.Line(line).Start})
		// Editors sort them by where they start, and not all of them keep the order
		// of those that start together.
		r.Start.Character += on[line]
		r.End.Character += on[line]
		on[line]++
		out = append(out, protocol.CodeLens{Range: r, Command: &protocol.Command{Title: title, Command: command, Arguments: []any{args}}})
	}
	switch c := f.primary(); {
	case c == nil:
	case c.content != nil:
		s.changeLenses(c, text, add)
	case c.state == changeFailed:
		add(0, s.changesetName(c.view)+": cannot be shown ("+mapping.Shorten(c.why, summaryWidth)+")", "ahp.before.show", uriArgs{URI: f.editorURI()})
	}
	for _, p := range s.placedThreads(f, text) {
		line := p.lines(text).Start
		data := threadData{p.key.session, p.key.id}
		add(line, threadtext.Summary(p.annotation, p.place, summaryWidth), "ahp.thread.show", data)
		if p.annotation.Resolved {
			add(line, "Reopen", "ahp.annotation.reopen", data)
			continue
		}
		if threadtext.Awaiting(p.annotation) {
			add(line, "Accept", "ahp.annotation.accept", data)
		}
		add(line, "Resolve", "ahp.annotation.resolve", data)
		add(line, "Reply", "ahp.annotation.reply", data)
	}
	return out
}

func (s *Server) changeLenses(c *change, text *mapping.Text, add func(int, string, string, any)) {
	placed := c.hunks(text)
	add(0, s.changeTitle(c, text), "ahp.before.show", uriArgs{URI: c.file.editorURI()})
	for _, op := range s.resourceOperations(c.file) {
		add(0, op.label, "ahp.operation.invoke", op.args)
	}
	if r := c.file.reviewed(); r != nil {
		add(0, r.label(), "ahp.file.setReviewed", r.args())
	}
	for _, p := range placed {
		if s.isKept(c, p.Index) {
			continue
		}
		line := min(p.Lines.Start, text.LineCount()-1)
		switch why := s.cannotRevert(c, p, text); {
		case p.State == mapping.HunkUndone:
		case why != "":
			add(line, "Changed by agent: "+p.Title()+", "+counts(p)+" ("+why+")", "ahp.before.show", s.rangeOf(c.file, text, p.Span))
		default:
			where := s.rangeOf(c.file, text, p.Span)
			add(line, "Keep hunk", "ahp.hunk.keep", keepArgs{rangeArgs: where})
			add(line, "Revert hunk ("+p.Title()+", "+counts(p)+")", "ahp.hunk.revert", where)
			for _, op := range s.rangeOperations(c, p, text) {
				if !op.asks { // a lens next to "Revert hunk" must not be the host's revert on disk
					add(line, op.label, "ahp.operation.invoke", op.args)
				}
			}
		}
	}
}

// counts is how many lines hunks added and removed.
func counts(hunks ...mapping.PlacedHunk) string {
	added, removed := 0, 0
	for _, p := range hunks {
		added += p.Hunk.After.Len()
		removed += p.Hunk.Before.Len()
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// changesetName is what a changeset is called: a turn's says which turn.
func (s *Server) changesetName(view *bridge.ChangesetView) string {
	if name := s.turnName(view.Session, view.Turn); name != "" {
		return strings.TrimRight(upperFirst(name), ".:")
	}
	return view.Entry.Label
}

// changeTitle sums up what the agent did to a file.
func (s *Server) changeTitle(c *change, text *mapping.Text) string {
	var open []mapping.PlacedHunk
	for _, p := range c.hunks(text) {
		if p.State != mapping.HunkUndone {
			open = append(open, p)
		}
	}
	what := fmt.Sprintf("%d hunks", len(open))
	switch {
	case c.content.Created:
		what = "new file"
	case len(open) == 1:
		what = "1 hunk"
	}
	name := s.changesetName(c.view)
	title := fmt.Sprintf("%s: %s, %s", name, what, counts(open...))
	if len(open) == 0 {
		title = name + ": nothing of it is left in this buffer"
	}
	if kept, all := s.keptCount(c); kept > 0 {
		title += fmt.Sprintf(", %d of %d hunks reviewed", kept, all)
	}
	switch {
	case c.proposed():
		title += " proposed, not on disk"
	case c.stale(text):
		title += " on disk, not in this buffer: reload it"
	}
	if c.view.State.Status == ahp.ChangesetError && c.view.State.Error != nil {
		title += " (error: " + c.view.State.Error.Message + ")"
	}
	return title
}

// inlayHints serves textDocument/inlayHint (LSP 3.17).
func (s *Server) inlayHints(c *call) (any, error) {
	var p inlayHintParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	f := s.open(p.TextDocument.URI)
	if f == nil {
		return []inlayHint{}, nil
	}
	return s.afterLoading(f, viewTimeout, func() (any, error) {
		list, text := s.hintList(f), f.text()
		// Of the whole file: any part of it may be on the screen later.
		f.hints.note(text, hashOf(list))
		if text == nil {
			return list, nil
		}
		span := text.Span(p.Range.mapped(), s.encoding)
		first, last := text.LineAt(span.Start), text.LineAt(span.End)
		return slices.DeleteFunc(list, func(h inlayHint) bool {
			line := int(h.Position.Line)
			return line < first || line > last
		}), nil
	})
}

// hintList is the summaries of a file's threads at the ends of their first
// lines.
func (s *Server) hintList(f *file) []inlayHint {
	out := []inlayHint{}
	show := s.client.TextDocument.CodeLens == nil
	if s.settings.InlayHints != nil {
		show = *s.settings.InlayHints
	}
	text := f.text()
	if !show || text == nil {
		return out
	}
	for _, p := range s.placedThreads(f, text) {
		at := text.Line(p.lines(text).Start).End
		out = append(out, inlayHint{
			Position:    toPosition(text.Position(at, s.encoding)),
			Label:       threadtext.Summary(p.annotation, p.place, summaryWidth),
			PaddingLeft: true,
		})
	}
	return out
}
