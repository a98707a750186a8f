package lsp

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
	threadtext "ahp-lsp/mapping/thread"
)

type codeActionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        rawRange                        `json:"range"`
	Context      struct {
		Only        []string `json:"only"`
		TriggerKind int      `json:"triggerKind"` // 1: the user asked, 2: the editor on its own
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
	if f == nil || !wanted(p.Context.Only, kindThread, kindChange, kindSource) {
		return []protocol.CodeAction{}, nil
	}
	timeout := loadingTimeout
	if p.Context.TriggerKind == 2 {
		timeout = viewTimeout
	}
	return s.afterLoading(f, timeout, func() (any, error) {
		text := f.text()
		if text == nil || f.doc == nil {
			return []protocol.CodeAction{}, nil
		}
		list := s.actionsAt(f, text, text.Span(p.Range.mapped(), s.encoding))
		return slices.DeleteFunc(list, func(a protocol.CodeAction) bool { return !wanted(p.Context.Only, *a.Kind) }), nil
	})
}

// Kinds of code actions: what is about threads, what is about changes (hunks,
// ranges, files), and, with the operation's name behind it, what is about a
// whole changeset.
const (
	kindThread = protocol.CodeActionKindQuickFix
	kindChange = protocol.CodeActionKindRefactorRewrite
	kindSource = "source.ahp"
)

// wanted reports whether a client that asks for some kinds only wants one of
// these. A kind includes those that begin with it and a dot.
func wanted(only []string, kinds ...string) bool {
	if len(only) == 0 {
		return true
	}
	for _, o := range only {
		for _, kind := range kinds {
			if o == "" || o == kind || strings.HasPrefix(kind, o+".") || kind == kindSource && strings.HasPrefix(o, kindSource+".") {
				return true
			}
		}
	}
	return false
}

// actionList collects code actions in the order in which they are offered.
type actionList struct {
	s    *Server
	kind string // of what is added
	list []protocol.CodeAction
}

func (l *actionList) command(title, command string, args any) *protocol.CodeAction {
	l.list = append(l.list, protocol.CodeAction{
		Title: title, Kind: ptr(l.kind),
		Command: &protocol.Command{Title: title, Command: command, Arguments: []any{args}},
	})
	return &l.list[len(l.list)-1]
}

// edit adds an action that the editor carries out itself.
func (l *actionList) edit(title string, edit protocol.WorkspaceEdit) {
	l.list = append(l.list, protocol.CodeAction{Title: title, Kind: ptr(l.kind), Edit: &edit})
}

// disabled lists an action that cannot be run now, with the reason; clients
// that would not show the reason do not get it.
func (l *actionList) disabled(title, reason string) {
	ca := l.s.client.TextDocument.CodeAction
	if ca == nil || !ca.DisabledSupport {
		return
	}
	a := protocol.CodeAction{Title: title, Kind: ptr(l.kind)}
	a.Disabled = &struct {
		Reason string `json:"reason"`
	}{reason}
	l.list = append(l.list, a)
}

func (s *Server) actionsAt(f *file, text *mapping.Text, span mapping.Span) []protocol.CodeAction {
	l := &actionList{s: s, kind: kindThread, list: []protocol.CodeAction{}}
	lines := selectedLines(text, span)
	s.armedActions(l)
	s.commentLineAction(l, f, text, span, lines)
	threads := s.placedThreads(f, text)
	for _, t := range threads {
		if overlap(t.lines(text), lines) || t.annotation.Range == nil && lines.Start == 0 {
			s.threadActions(l, f, text, t)
		}
	}
	s.reanchorActions(l, f, threads, text, span)
	l.kind = kindChange
	s.changeActions(l, f, text, span, lines)
	l.kind = kindThread
	if len(s.sessionsOf(f.uri)) > 0 {
		what := "line"
		if isSelection(text, span) {
			what = "selection"
		}
		l.command("Comment on this "+what+"…", "ahp.annotation.create", s.rangeOf(f, text, s.commentSpan(text, span, lines)))
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
	title := threadtext.Summary(t.annotation, mapping.Placement{}, 48)
	diagnostics := []protocol.Diagnostic{s.diagnostic(f, text, t)}
	add := func(verb, command string) *protocol.CodeAction {
		a := l.command(verb+": "+title, command, data)
		a.Diagnostics = diagnostics
		return a
	}
	switch proposes, why := s.suggests(f, text, t); {
	case !proposes:
	case why == "":
		a := add("Apply suggestion", "ahp.suggestion.apply")
		a.IsPreferred = ptr(true)
	default:
		l.disabled("Apply suggestion: "+title, why)
	}
	if t.annotation.Resolved {
		add("Reopen", "ahp.annotation.reopen")
	} else {
		add("Resolve", "ahp.annotation.resolve")
		if threadtext.Awaiting(t.annotation) {
			add("Accept", "ahp.annotation.accept")
		}
	}
	add("Reply", "ahp.annotation.reply")
	if i := ownEntry(t.annotation); i >= 0 {
		a := l.command("Edit: "+mapping.Shorten(firstLine(t.annotation.Entries[i].Text.Value), 48), "ahp.annotation.edit",
			editArgs{Session: t.key.session, Annotation: t.key.id, Entry: t.annotation.Entries[i].ID})
		a.Diagnostics = diagnostics
	}
	s.lostThreadActions(l, f, text, t)
	add("Delete", "ahp.annotation.delete")
	add("Show thread", "ahp.thread.show")
}

// ownEntry is the newest entry a person wrote, -1 if there is none. Below a
// comment of the agent's, entries without an author are replies of a person's.
func ownEntry(a *ahp.Annotation) int {
	for i := len(a.Entries) - 1; i >= 0; i-- {
		e := a.Entries[i]
		if author := threadtext.Author(a, e); author == "you" || author == "user" || i > 0 && e.Author() == "" && author == "agent" {
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
	var ranged []offered
	run := func(ops []offered) {
		for _, op := range ops {
			s.operationAction(l, op)
		}
		ranged = append(ranged, ops...)
	}
	if c != nil && c.content != nil {
		var here []mapping.PlacedHunk
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
				l.edit(title, s.revertEdit(c, text, []mapping.PlacedHunk{h}))
			}
			run(s.rangeOperations(c, h, text))
			l.command("Show text before the change ("+h.Title()+")", "ahp.before.show", s.rangeOf(f, text, h.Span))
		}
		s.keepActions(l, c, here)
		if isSelection(text, span) {
			s.revertLinesAction(l, c, text, lines)
			run(s.selectionOperations(c, span, text))
		}
	}
	run(s.otherRangeOperations(f, c, span, text, ranged))
	for _, op := range s.resourceOperations(f) {
		s.operationAction(l, op)
	}
	if r := f.reviewed(); r != nil {
		l.command(r.label()+": "+baseName(f.uri), "ahp.file.setReviewed", r.args())
	}
	for _, op := range s.changesetOperations(f) {
		l.kind = kindSource + "." + kindWord(op.args.Operation)
		s.operationAction(l, op)
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

func (s *Server) operationAction(l *actionList, op offered) {
	if op.why != "" {
		l.disabled(op.label, op.why)
		return
	}
	l.command(op.label, "ahp.operation.invoke", op.args)
}
