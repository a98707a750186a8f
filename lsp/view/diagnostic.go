package view

import (
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
	"ahp-lsp/mapping/thread"
	"sort"
)

// relatedLimit bounds the replies a diagnostic carries: the hover has all.
const relatedLimit = 50

// Diagnostics are the file's threads as diagnostics, for the text the user
// sees. ready is false while that is not known.
func (v View) Diagnostics(f *workspace.File) (out []protocol.Diagnostic, ready bool) {
	out = []protocol.Diagnostic{}
	if !v.w.Settings().Diagnostics {
		return out, true
	}
	text := f.Text()
	switch {
	case f.Doc() == nil && (f.Reading() || !f.Disk().Known):
		return nil, false // it may have been written since it was read
	case f.Doc() == nil && text == nil:
		return v.unreadable(f), true
	case text == nil:
		return nil, false
	}
	if f.Unsettled() {
		return nil, false
	}
	for _, p := range v.w.PlacedThreads(f, text) {
		out = append(out, v.diagnostic(f, text, p))
	}
	return out, true
}

func (v View) diagnostic(f *workspace.File, text *mapping.Text, p workspace.PlacedThread) protocol.Diagnostic {
	span, words := p.Place.Span, v.words(f, p)
	if p.Annotation().Range == nil {
		span = text.Line(0)
	}
	d := protocol.Diagnostic{
		Range:    v.Range(text, span),
		Severity: ptr(v.severity(words.severity)),
		Source:   &source,
		Message:  words.message,
		Data:     threadArgs(p.Thread),
	}
	for _, message := range words.related {
		d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: f.EditorURI(), Range: d.Range}, Message: message,
		})
	}
	return d
}

// source is the same in every diagnostic.
var source = "ahp"

// words are what a diagnostic says of a thread, wherever it is.
type words struct {
	severity string // see severityState
	message  string
	related  []string
}

// words are kept while the file is open: with every keystroke all of its
// diagnostics are made, and to find the words costs more than all the rest.
func (v View) words(f *workspace.File, p workspace.PlacedThread) *words {
	return workspace.Memo(f, p.Thread, p.Place.State, func() *words {
		related := v.client.RelatedInformation()
		out := &words{severity: severityState(p), message: printable.Text(thread.DiagnosticMessage(p.Annotation(), p.Place, related))}
		if related && len(p.Annotation().Entries) > 1 {
			for _, e := range p.Annotation().Entries[1:min(len(p.Annotation().Entries), relatedLimit)] {
				out.related = append(out.related, printable.Text(thread.Author(p.Annotation(), e)+": "+e.Text.Value))
			}
		}
		if related && p.Place.State == mapping.Detached && p.Anchor().Quote != "" {
			out.related = append(out.related, printable.Text("it was about: "+mapping.Shorten(p.Anchor().Quote, 400)))
		}
		return out
	})
}

// severityState is the word a thread's severity is set by.
func severityState(p workspace.PlacedThread) string {
	switch {
	case p.Annotation().Resolved:
		return "resolved"
	case p.Place.State == mapping.Detached:
		return "detached"
	case thread.Awaiting(p.Annotation()):
		return "awaiting"
	}
	return "open"
}

// unreadable shows the threads of a file whose text cannot be had at the lines
// the host named, and says that this is all that is known.
func (v View) unreadable(f *workspace.File) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	for t := range f.Threads() {
		if t.Annotation().Resolved && !v.w.Settings().ShowResolved {
			continue
		}
		p := workspace.PlacedThread{Thread: t}
		line := 0
		if t.Annotation().Range != nil {
			line = max(t.Annotation().Range.Start.Line, 0)
		}
		at := protocol.Position{Line: protocol.UInteger(line)}
		out = append(out, protocol.Diagnostic{
			Range: protocol.Range{Start: at, End: at}, Severity: ptr(v.severity(severityState(p))), Source: &source,
			Message: printable.Text(thread.DiagnosticMessage(t.Annotation(), p.Place, false) + "\n(the place is not verified: " + f.Disk().Why + ")"),
			Data:    threadArgs(t),
		})
	}
	sortDiagnostics(out)
	return out
}

func sortDiagnostics(list []protocol.Diagnostic) {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Range.Start.Line != b.Range.Start.Line {
			return a.Range.Start.Line < b.Range.Start.Line
		}
		return a.Message < b.Message
	})
}

// severities are the default severities of comments by state; the setting
// "severity" replaces single ones. The words are LSP's, in lower case.
var severities = map[string]string{
	"awaiting": "warning", // written by an agent, not accepted yet
	"open":     "information",
	"detached": "hint", // the code is gone
	"resolved": "hint", // shown with showResolved
}

var severityValues = map[string]protocol.DiagnosticSeverity{
	"error": protocol.SeverityError, "warning": protocol.SeverityWarning,
	"information": protocol.SeverityInformation, "hint": protocol.SeverityHint,
}

// SeverityState reports whether the setting "severity" knows a state of comments.
func SeverityState(state string) bool { return severities[state] != "" }

// SeverityWord reports whether a word is a severity.
func SeverityWord(word string) bool { _, ok := severityValues[word]; return ok }

// severity is the diagnostic severity for a state.
func (v View) severity(state string) protocol.DiagnosticSeverity {
	word := severities[state]
	if w, ok := v.w.Settings().Severity[state]; ok {
		word = w
	}
	return severityValues[word]
}

// threadArgs names a thread to a command, and is its diagnostic's data.
func threadArgs(t *workspace.Thread) protocol.ThreadArgs {
	return protocol.ThreadArgs{Session: t.Key().Session, Annotation: t.Key().ID}
}
