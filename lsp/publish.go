package lsp

import (
	"encoding/json"
	"hash/maphash"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// threadData identifies a diagnostic's thread. It travels in Diagnostic.data
// and back in the context of a code action request.
type threadData struct {
	Session    string `json:"session"`
	Annotation string `json:"annotation"`
}

// relatedLimit bounds the replies a diagnostic carries: the hover has all.
const relatedLimit = 50

// diagnostics are the file's threads as diagnostics, for the text the user
// sees. ready is false while that is not known.
func (s *Server) diagnostics(f *file) (out []protocol.Diagnostic, ready bool) {
	out = []protocol.Diagnostic{}
	if !orTrue(s.settings.Diagnostics) {
		return out, true
	}
	text := f.text()
	switch {
	case f.doc == nil && (f.reading || !f.disk.known):
		return nil, false // it may have been written since it was read
	case f.doc == nil && text == nil:
		return s.unreadable(f), true
	case text == nil:
		return nil, false
	}
	if f.unsettled() {
		return nil, false
	}
	for _, p := range s.placedThreads(f, text) {
		out = append(out, s.diagnostic(f, text, p))
	}
	return out, true
}

func (s *Server) diagnostic(f *file, text *mapping.Text, p placedThread) protocol.Diagnostic {
	related := s.client.relatedInformation()
	span := p.place.Span
	if p.annotation.Range == nil {
		span = text.Line(0)
	}
	d := protocol.Diagnostic{
		Range:    s.toRange(text, span),
		Severity: ptr(s.severity(state(p))),
		Source:   ptr("ahp"),
		Message:  mapping.DiagnosticMessage(p.annotation, p.place, related),
		Data:     threadData{p.key.session, p.key.id},
	}
	if related && len(p.annotation.Entries) > 1 {
		replies := p.annotation.Entries[1:min(len(p.annotation.Entries), relatedLimit)]
		for _, e := range replies {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: f.editorURI(), Range: d.Range},
				Message:  mapping.Author(p.annotation, e) + ": " + e.Text.Value,
			})
		}
	}
	if related && p.place.State == mapping.Detached && p.anchor.Quote != "" {
		d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: f.editorURI(), Range: d.Range},
			Message:  "it was about: " + mapping.Shorten(p.anchor.Quote, 400),
		})
	}
	return d
}

// state is the word a thread's severity is set by.
func state(p placedThread) string {
	switch {
	case p.annotation.Resolved:
		return "resolved"
	case p.place.State == mapping.Detached:
		return "detached"
	case mapping.Awaiting(p.annotation):
		return "awaiting"
	}
	return "open"
}

// unreadable shows the threads of a file whose text cannot be had at the lines
// the host named, and says that this is all that is known.
func (s *Server) unreadable(f *file) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	for _, t := range f.threads {
		if t.annotation.Resolved && !value(s.settings.ShowResolved) {
			continue
		}
		p := placedThread{t, mapping.Placement{}}
		line := 0
		if t.annotation.Range != nil {
			line = max(t.annotation.Range.Start.Line, 0)
		}
		at := protocol.Position{Line: protocol.UInteger(line)}
		out = append(out, protocol.Diagnostic{
			Range: protocol.Range{Start: at, End: at}, Severity: ptr(s.severity(state(p))), Source: ptr("ahp"),
			Message: mapping.DiagnosticMessage(t.annotation, p.place, false) + "\n(the place is not verified: " + f.disk.why + ")",
			Data:    threadData{t.key.session, t.key.id},
		})
	}
	sortDiagnostics(out)
	return out
}

// update brings what the editor has of a file up to date.
func (s *Server) update(f *file) {
	s.publish(f)
	s.updateGiven(f)
	s.notifyPlugin(f)
	s.collect(f)
}

// publish pushes a file's diagnostics if they differ from what was pushed last.
func (s *Server) publish(f *file) {
	if s.phase != phaseInitialized {
		return
	}
	list := []protocol.Diagnostic{}
	if !s.pulls(f) && (f.doc != nil || s.ownFile(f)) {
		var ready bool
		if list, ready = s.diagnostics(f); !ready {
			return
		}
	}
	body, err := json.Marshal(list)
	if err != nil {
		s.log.Errorf("publish %s: %v", f.uri, err)
		return
	}
	params := publishParams{URI: f.editorURI(), Diagnostics: body}
	now := pushedSet{hash: maphash.Bytes(seed, body), count: len(list)}
	if f.doc != nil {
		params.Version = &f.doc.version
	}
	if s.client.diagnosticVersions() {
		// A set for another version than the client's is dropped there: an equal
		// one has to be sent again for the next version. An empty one is true of
		// every version until the next is sent, so it names none.
		if now.count == 0 {
			params.Version = nil
		} else if f.doc != nil {
			now.version = f.doc.version
		}
	}
	if f.pushed == nil && now.count == 0 || f.pushed != nil && *f.pushed == now {
		return
	}
	f.pushed = &now
	s.notify("textDocument/publishDiagnostics", params)
}

// publishParams are protocol.PublishDiagnosticsParams, with the list encoded.
type publishParams struct {
	URI         string          `json:"uri"`
	Version     *int32          `json:"version,omitempty"`
	Diagnostics json.RawMessage `json:"diagnostics"`
}

// pushedSet identifies a set of diagnostics without keeping it.
type pushedSet struct {
	hash    uint64
	count   int
	version int32
	unsure  bool // the editor may have dropped it, or not
}

// unsurePushed is called when the file is opened or closed: what editors then
// do with what was published before differs.
func (f *file) unsurePushed() {
	if f.published() > 0 {
		f.pushed.unsure = true
	} else {
		f.pushed = nil
	}
}

// published is how many diagnostics the editor may have of the file.
func (f *file) published() int {
	if f.pushed == nil {
		return 0
	}
	return f.pushed.count
}

// ownFile reports whether a closed file belongs to the workspace: a session
// may work in a larger folder than the one that is open.
func (s *Server) ownFile(f *file) bool {
	if _, ok := ahp.FilePath(f.uri); !ok {
		return false // an annotation on something that no editor has as a file
	}
	for _, root := range s.folders {
		if insideURI(f.uri, root) {
			return true
		}
	}
	return len(s.folders) == 0
}
