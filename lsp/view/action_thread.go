package view

import (
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
)

func (v View) threadActions(l *actionList, f *workspace.File, text *mapping.Text, t workspace.PlacedThread) {
	data := threadArgs(t.Thread)
	title := thread.Summary(t.Annotation(), mapping.Placement{}, 48)
	diagnostics := []protocol.Diagnostic{v.diagnostic(f, text, t)}
	add := func(verb, command string) *protocol.CodeAction {
		a := l.command(verb+": "+title, command, data)
		a.Diagnostics = diagnostics
		return a
	}
	switch proposes, why := v.suggests(f, text, t); {
	case !proposes:
	case why == "":
		a := add("Apply suggestion", "ahp.suggestion.apply")
		a.IsPreferred = ptr(true)
	default:
		l.disabled("Apply suggestion: "+title, why)
	}
	if t.Annotation().Resolved {
		add("Reopen", "ahp.annotation.reopen")
	} else {
		add("Resolve", "ahp.annotation.resolve")
		if thread.Awaiting(t.Annotation()) {
			add("Accept", "ahp.annotation.accept")
		}
	}
	add("Reply", "ahp.annotation.reply")
	if i := ownEntry(t.Annotation()); i >= 0 {
		a := l.command("Edit: "+mapping.Shorten(FirstLine(t.Annotation().Entries[i].Text.Value), 48), "ahp.annotation.edit",
			protocol.EditArgs{Session: t.Key().Session, Annotation: t.Key().ID, Entry: t.Annotation().Entries[i].ID})
		a.Diagnostics = diagnostics
	}
	v.lostThreadActions(l, f, t)
	add("Delete", "ahp.annotation.delete")
	add("Show thread", "ahp.thread.show")
}

// ownEntry is the newest entry a person wrote, -1 if there is none. Below a
// comment of the agent's, entries without an author are replies of a person's.
func ownEntry(a *ahp.Annotation) int {
	for i := len(a.Entries) - 1; i >= 0; i-- {
		e := a.Entries[i]
		if author := thread.Author(a, e); author == "you" || author == "user" || i > 0 && e.Author() == "" && author == "agent" {
			return i
		}
	}
	return -1
}

// lostThreadActions are for threads whose code changed or went: at their place,
// and for a selection anywhere in the file.
func (v View) lostThreadActions(l *actionList, f *workspace.File, t workspace.PlacedThread) {
	data := threadArgs(t.Thread)
	title := thread.Summary(t.Annotation(), mapping.Placement{}, 48)
	if t.Place.State == mapping.Outdated && !t.Place.Span.Empty() {
		l.command("Re-anchor comment here: "+title, "ahp.annotation.reanchor", protocol.ReanchorArgs{Session: data.Session, Annotation: data.Annotation})
	}
	v.elsewhereActions(l, f, t)
	if t.Place.State == mapping.Outdated || t.Place.State == mapping.Detached {
		l.command("Show original code of comment: "+title, "ahp.original.show", data)
	}
}

// maxReanchor bounds the threads offered for a selection.
const maxReanchor = 5

func (v View) reanchorActions(l *actionList, f *workspace.File, threads []workspace.PlacedThread, text *mapping.Text, span mapping.Span) {
	if !isSelection(text, span) {
		return
	}
	n := 0
	for _, t := range threads {
		if t.Annotation().Range == nil || t.Place.State != mapping.Outdated && t.Place.State != mapping.Detached {
			continue
		}
		if n++; n > maxReanchor {
			return
		}
		r := v.Range(text, span)
		l.command("Re-anchor to selection: "+thread.Summary(t.Annotation(), mapping.Placement{}, 48), "ahp.annotation.reanchor",
			protocol.ReanchorArgs{Session: t.Key().Session, Annotation: t.Key().ID, Range: &r, Revision: v.w.Revision(f, text)})
	}
}

// maxElsewhere bounds the files that a lost piece of code is looked for in.
const maxElsewhere = 200

// elsewhereActions offers, never assumes, the places in other files where the
// code of a thread stands that is gone from its own.
func (v View) elsewhereActions(l *actionList, f *workspace.File, t workspace.PlacedThread) {
	quote := t.Anchor().Quote
	if t.Place.State != mapping.Detached || len(quote) < 12 {
		return
	}
	var candidates []*workspace.File
	for other := range v.w.Files() {
		if other != f && other.Text() != nil && (len(other.Changes()) > 0 || other.Doc() != nil) {
			candidates = append(candidates, other)
		}
	}
	slices.SortFunc(candidates, func(a, b *workspace.File) int { return strings.Compare(a.URI(), b.URI()) })
	for _, other := range candidates[:min(len(candidates), maxElsewhere)] {
		text := other.Text()
		place := mapping.PlaceQuote(mapping.QuoteAnchor(quote, t.Anchor().Hint), text)
		if place.State != mapping.Live && place.State != mapping.Moved {
			continue
		}
		r := v.Range(text, place.Span)
		l.command("Re-anchor comment to the same code in "+workspace.BaseName(other.URI())+": "+thread.Summary(t.Annotation(), mapping.Placement{}, 40),
			"ahp.annotation.reanchor", protocol.ReanchorArgs{Session: t.Key().Session, Annotation: t.Key().ID, URI: other.EditorURI(), Range: &r, Revision: v.w.Revision(other, text)})
	}
}
