package view

import (
	"strings"

	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// Kinds of code actions: what is about threads, what is about changes (hunks,
// ranges, files), and, with the operation's name behind it, what is about a
// whole changeset.
const (
	KindThread = "quickfix"
	KindChange = "refactor.rewrite"
	KindSource = "source.ahp"
)

// Wanted reports whether a client that asks for some kinds only wants one of
// these. A kind includes those that begin with it and a dot.
func Wanted(only []string, kinds ...string) bool {
	if len(only) == 0 {
		return true
	}
	for _, o := range only {
		for _, kind := range kinds {
			if o == "" || o == kind || strings.HasPrefix(kind, o+".") || kind == KindSource && strings.HasPrefix(o, KindSource+".") {
				return true
			}
		}
	}
	return false
}

// actionList collects code actions in the order in which they are offered.
type actionList struct {
	v    View
	kind string // of what is added
	list []protocol.CodeAction
}

func (l *actionList) command(title, command string, args any) *protocol.CodeAction {
	title = printable.Label(title)
	l.list = append(l.list, protocol.CodeAction{
		Title: title, Kind: ptr(l.kind),
		Command: &protocol.Command{Title: title, Command: command, Arguments: []any{args}},
	})
	return &l.list[len(l.list)-1]
}

// edit adds an action that the editor carries out itself.
func (l *actionList) edit(title string, edit protocol.WorkspaceEdit) {
	l.list = append(l.list, protocol.CodeAction{Title: printable.Label(title), Kind: ptr(l.kind), Edit: &edit})
}

// disabled lists an action that cannot be run now, with the reason; clients
// that would not show the reason do not get it.
func (l *actionList) disabled(title, reason string) {
	ca := l.v.client.TextDocument.CodeAction
	if ca == nil || !ca.DisabledSupport {
		return
	}
	a := protocol.CodeAction{Title: printable.Label(title), Kind: ptr(l.kind)}
	a.Disabled = &struct {
		Reason string `json:"reason"`
	}{printable.Label(reason)}
	l.list = append(l.list, a)
}

// Armed is a destructive command that waits to be confirmed by a code action.
type Armed struct {
	Title   string
	Command string
	Args    any
}

// Actions are what can be done on a range of the text that the user sees of an open
// file. They are computed from the range: what diagnostics the client sends along
// depends on where exactly its cursor is. armed are offered first.
func (v View) Actions(f *workspace.File, text *mapping.Text, at mapping.Range, armed []Armed) []protocol.CodeAction {
	l := &actionList{v: v, kind: KindThread, list: []protocol.CodeAction{}}
	span, lines := v.w.Span(text, at), v.w.Lines(text, at)
	for _, a := range armed {
		l.command("Confirm: "+a.Title, a.Command, a.Args)
	}
	v.commentLineAction(l, f, text, span, lines)
	threads := v.w.PlacedThreads(f, text)
	for _, t := range threads {
		if overlap(t.Lines(text), lines) || t.Annotation().Range == nil && lines.Start == 0 {
			v.threadActions(l, f, text, t)
		}
	}
	v.reanchorActions(l, f, threads, text, span)
	l.kind = KindChange
	v.changeActions(l, f, text, span, lines)
	l.kind = KindThread
	if len(v.w.SessionsOf(f.URI())) > 0 {
		what := "line"
		if isSelection(text, span) {
			what = "selection"
		}
		l.command("Comment on this "+what+"…", "ahp.annotation.create", v.rangeOf(f, text, commentSpan(text, span, lines)))
	}
	return l.list
}
