package lsp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

type codeActionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        rawRange                        `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

// codeActions are computed from the requested lines: what diagnostics the
// client sends along depends on where exactly its cursor is.
func (s *Server) codeActions(c *call) (any, error) {
	var p codeActionParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	f := s.open(p.TextDocument.URI)
	if f == nil || !wantsQuickFix(p.Context.Only) {
		return []protocol.CodeAction{}, nil
	}
	return nil, s.afterLoading(c, f, func() (any, error) {
		text := f.text()
		if text == nil {
			return []protocol.CodeAction{}, nil
		}
		return s.actionsAt(f, text, text.Span(p.Range.mapped(), s.encoding)), nil
	})
}

func wantsQuickFix(only []string) bool {
	if len(only) == 0 {
		return true
	}
	for _, kind := range only {
		if kind == "" || kind == "quickfix" {
			return true
		}
	}
	return false
}

// actionList collects code actions in the order in which they are offered.
type actionList struct {
	s    *Server
	list []protocol.CodeAction
}

func (l *actionList) command(title, command string, args any) *protocol.CodeAction {
	l.list = append(l.list, protocol.CodeAction{
		Title: title, Kind: ptr(protocol.CodeActionKindQuickFix),
		Command: &protocol.Command{Title: title, Command: command, Arguments: []any{args}},
	})
	return &l.list[len(l.list)-1]
}

// disabled lists an action that cannot be run now, with the reason; clients
// that would not show the reason do not get it.
func (l *actionList) disabled(title, reason string) {
	ca := l.s.client.TextDocument.CodeAction
	if ca == nil || !ca.DisabledSupport {
		return
	}
	a := protocol.CodeAction{Title: title, Kind: ptr(protocol.CodeActionKindQuickFix)}
	a.Disabled = &struct {
		Reason string `json:"reason"`
	}{reason}
	l.list = append(l.list, a)
}

func (s *Server) actionsAt(f *file, text *mapping.Text, span mapping.Span) []protocol.CodeAction {
	l := &actionList{s: s, list: []protocol.CodeAction{}}
	lines := selectedLines(text, span)
	s.armedActions(l)
	s.commentLineAction(l, f, text, span, lines)
	threads := s.placedThreads(f, text)
	for _, t := range threads {
		if overlap(t.lines(text), lines) || t.annotation.Range == nil && lines.Start == 0 {
			s.threadActions(l, f, text, t)
		}
	}
	s.reanchorActions(l, threads, text, span)
	s.changeActions(l, f, text, span, lines)
	if len(s.sessionsOf(f.uri)) > 0 {
		what := "line"
		if isSelection(text, span) {
			what = "selection"
		}
		l.command("Comment on this "+what+"…", "ahp.annotation.create", rangeArgs{f.editorURI(), s.toRange(text, s.commentSpan(text, span, lines))})
	}
	return l.list
}

// isSelection tells a selection from a cursor: in Helix a cursor is a selection
// of one character.
func isSelection(text *mapping.Text, span mapping.Span) bool {
	return utf8.RuneCountInString(text.Slice(span)) > 1
}

// commentSpan is what a new comment is about: the selection, or the line
// without the white space around it.
func (s *Server) commentSpan(text *mapping.Text, span mapping.Span, lines mapping.LineRange) mapping.Span {
	if isSelection(text, span) {
		return span
	}
	line := text.Line(lines.Start)
	str := text.Slice(line)
	left := len(str) - len(strings.TrimLeft(str, " \t"))
	trimmed := strings.TrimRight(str, " \t")
	if left >= len(trimmed) {
		return line
	}
	return mapping.Span{Start: line.Start + left, End: line.Start + len(trimmed)}
}

func (s *Server) threadActions(l *actionList, f *file, text *mapping.Text, t placedThread) {
	data := threadData{t.key.session, t.key.id}
	title := mapping.Summary(t.annotation, mapping.Placement{}, 48)
	diagnostics := []protocol.Diagnostic{s.diagnostic(f, text, t)}
	add := func(verb, command string) *protocol.CodeAction {
		a := l.command(verb+": "+title, command, data)
		a.Diagnostics = diagnostics
		return a
	}
	if fb, ok := t.annotation.Feedback(); ok && fb.Suggestion != nil && len(fb.Suggestion.Edits) > 0 && !t.annotation.Resolved {
		if _, why := s.suggestionEdits(f, text, t); why == "" {
			a := add("Apply suggestion", "ahp.suggestion.apply")
			a.IsPreferred = ptr(true)
		} else {
			l.disabled("Apply suggestion: "+title, why)
		}
	}
	if t.annotation.Resolved {
		add("Reopen comment", "ahp.annotation.reopen")
	} else {
		add("Resolve comment", "ahp.annotation.resolve")
		if mapping.Awaiting(t.annotation) {
			add("Accept comment", "ahp.annotation.accept")
		}
	}
	add("Reply to comment", "ahp.annotation.reply")
	if i := ownEntry(t.annotation); i >= 0 {
		a := l.command("Edit comment: "+mapping.Shorten(firstLine(t.annotation.Entries[i].Text.Value), 48), "ahp.annotation.edit",
			editArgs{Session: t.key.session, Annotation: t.key.id, Entry: t.annotation.Entries[i].ID})
		a.Diagnostics = diagnostics
	}
	s.lostThreadActions(l, f, text, t)
	add("Delete comment", "ahp.annotation.delete")
	add("Show thread", "ahp.thread.show")
}

// ownEntry is the newest entry a person wrote, -1 if there is none.
func ownEntry(a *ahp.Annotation) int {
	for i := len(a.Entries) - 1; i >= 0; i-- {
		if author := mapping.Author(a, a.Entries[i]); author == "you" || author == "user" {
			return i
		}
	}
	return -1
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// changeActions are those of hunks on the lines, then of the file.
func (s *Server) changeActions(l *actionList, f *file, text *mapping.Text, span mapping.Span, lines mapping.LineRange) {
	c := f.primary()
	if c != nil && c.content != nil {
		var live, here []mapping.PlacedHunk
		for _, h := range c.hunks(text) {
			if !h.Touches(lines) {
				continue
			}
			here = append(here, h)
			title := hunkLabel(h)
			why := s.cannotRevert(c, h, text)
			if why != "" {
				l.disabled(title, "the hunk is "+why)
			} else {
				a := l.command(title, "", nil)
				a.Command = nil
				edit := s.revertEdit(c, text, []mapping.PlacedHunk{h})
				a.Edit = &edit
				live = append(live, h)
			}
			for _, op := range s.rangeOperations(c, h, text) {
				s.operationAction(l, op)
			}
			l.command("Show text before the change ("+h.Title()+")", "ahp.before.show", rangeArgs{f.editorURI(), s.toRange(text, h.Span)})
		}
		s.keepActions(l, c, here)
		if isSelection(text, span) {
			for _, op := range s.selectionOperations(c, span, text) {
				s.operationAction(l, op)
			}
		}
		if len(live) > 1 {
			a := l.command(fmt.Sprintf("Revert all %d hunks in the selection", len(live)), "", nil)
			a.Command = nil
			edit := s.revertEdit(c, text, live)
			a.Edit = &edit
		}
	}
	for _, op := range s.resourceOperations(f) {
		s.operationAction(l, op)
	}
	if r := f.reviewed(); r != nil {
		l.command(r.label()+": "+baseName(f.uri), "ahp.file.setReviewed", r.args())
	}
	for _, op := range s.changesetOperations(f) {
		s.operationAction(l, op)
	}
}

func (s *Server) operationAction(l *actionList, op offered) {
	if op.why != "" {
		l.disabled(op.label, op.why)
		return
	}
	l.command(op.label, "ahp.operation.invoke", op.args)
}
