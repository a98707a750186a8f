package lsp

import (
	"encoding/json"
	"hash/maphash"
	"strconv"

	protocol "github.com/tliron/glsp/protocol_3_16"

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
	if text == nil {
		if f.doc != nil || !f.disk.known || f.reading {
			return nil, false
		}
		return s.unreadable(f), true
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
	s.updateShape(f)
	s.notifyPlugin(f)
	s.collect(f)
}

// publish pushes a file's diagnostics if they differ from what was pushed last.
func (s *Server) publish(f *file) {
	if s.phase != phaseInitialized {
		return
	}
	if f.doc == nil && !s.ownFile(f) {
		return
	}
	list, ready := s.diagnostics(f)
	if !ready {
		return
	}
	if f.pulled {
		s.refresh.diagnostics = true
		list = nil // and what was pushed before goes
	}
	params := protocol.PublishDiagnosticsParams{URI: f.editorURI(), Diagnostics: list}
	if list == nil {
		params.Diagnostics = []protocol.Diagnostic{}
	}
	body, err := json.Marshal(params.Diagnostics)
	if err != nil {
		s.log.Errorf("publish %s: %v", f.uri, err)
		return
	}
	now := pushedSet{hash: maphash.Bytes(seed, body), count: len(params.Diagnostics)}
	if f.doc != nil {
		params.Version = ptr(protocol.UInteger(f.doc.version))
		if s.client.diagnosticVersions() {
			// A set for an older version is dropped there: send an equal one again.
			now.version = f.doc.version
		}
	}
	if now.count == 0 {
		now.version = 0 // nothing is nothing in every version
	}
	if f.pushed != nil && *f.pushed == now || f.pushed == nil && now.count == 0 {
		f.pushed = &now
		return
	}
	f.pushed = &now
	s.notify("textDocument/publishDiagnostics", params)
}

// pushedSet identifies a set of diagnostics without keeping it.
type pushedSet struct {
	hash    uint64
	count   int
	version int32
}

var seed = maphash.MakeSeed()

// published is how many diagnostics the editor has of the file.
func (f *file) published() int {
	if f.pushed == nil {
		return 0
	}
	return f.pushed.count
}

// ownFile reports whether a closed file belongs to the workspace: a session
// may work in a larger folder than the one that is open.
func (s *Server) ownFile(f *file) bool {
	for _, root := range s.folders {
		if insideURI(f.uri, root) {
			return true
		}
	}
	return len(s.folders) == 0
}

// updateShape asks the editor for lenses and hints again when they changed
// although the text did not: after its own edits the editor asks by itself.
func (s *Server) updateShape(f *file) {
	if f.doc == nil || !f.asked {
		return // what was never asked for cannot be out of date
	}
	if f.shapeOf != f.doc.text {
		// Not computed on a keystroke: only when something else changes later.
		f.shapeOf, f.shape = f.doc.text, ""
		return
	}
	shape := s.shape(f)
	if shape != "" && shape != f.shape {
		f.shape = shape
		s.refresh.lenses, s.refresh.hints = true, true
	}
}

// shape is a hash of the file's lenses and hints, "" if there is none.
func (s *Server) shape(f *file) string {
	body, err := json.Marshal([]any{s.lenses(f), s.hints(f, mapping.LineRange{Start: 0, End: f.doc.text.LineCount()})})
	if err != nil {
		return ""
	}
	return strconv.FormatUint(maphash.Bytes(seed, body), 36)
}

// pullDiagnostics answers a client that asks for diagnostics itself. From then
// on it is not pushed to.
func (s *Server) pullDiagnostics(c *call) (any, error) {
	var p documentDiagnosticParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	f := s.open(p.TextDocument.URI)
	if f == nil {
		return diagnosticReport{Kind: "full", Items: &[]protocol.Diagnostic{}}, nil
	}
	if !f.pulled {
		f.pulled = true
		s.touch(f)
	}
	return nil, s.afterLoading(c, f, func() (any, error) {
		list, _ := s.diagnostics(f)
		if list == nil {
			list = []protocol.Diagnostic{}
		}
		body, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		id := strconv.FormatUint(maphash.Bytes(seed, body), 36)
		if id == p.PreviousResultID {
			return diagnosticReport{Kind: "unchanged", ResultID: id}, nil
		}
		return diagnosticReport{Kind: "full", ResultID: id, Items: &list}, nil
	})
}
