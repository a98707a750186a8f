package lsp

import (
	"encoding/binary"
	"hash/maphash"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/mapping"
	threadtext "ahp-lsp/mapping/thread"
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
	span, said := p.place.Span, s.said(f, p)
	if p.annotation.Range == nil {
		span = text.Line(0)
	}
	d := protocol.Diagnostic{
		Range:    s.toRange(text, span),
		Severity: ptr(s.severity(said.severity)),
		Source:   &source,
		Message:  said.message,
		Data:     threadData{p.key.session, p.key.id},
	}
	for _, message := range said.related {
		d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: f.editorURI(), Range: d.Range}, Message: message,
		})
	}
	return d
}

// source is the same in every diagnostic.
var source = "ahp"

// said is what a diagnostic says of a thread, wherever it is.
type said struct {
	state    mapping.State // of the place it was made for
	severity string        // see state
	message  string
	related  []string
}

// said is kept while the file is open: with every keystroke all of its
// diagnostics are made, and making the words costs more than all the rest.
func (s *Server) said(f *file, p placedThread) *said {
	if p.said != nil && p.said.state == p.place.State {
		return p.said
	}
	related := s.client.relatedInformation()
	out := &said{state: p.place.State, severity: state(p), message: threadtext.DiagnosticMessage(p.annotation, p.place, related)}
	if related && len(p.annotation.Entries) > 1 {
		for _, e := range p.annotation.Entries[1:min(len(p.annotation.Entries), relatedLimit)] {
			out.related = append(out.related, threadtext.Author(p.annotation, e)+": "+e.Text.Value)
		}
	}
	if related && p.place.State == mapping.Detached && p.anchor.Quote != "" {
		out.related = append(out.related, "it was about: "+mapping.Shorten(p.anchor.Quote, 400))
	}
	if f.doc != nil {
		p.thread.said = out
	}
	return out
}

// state is the word a thread's severity is set by.
func state(p placedThread) string {
	switch {
	case p.annotation.Resolved:
		return "resolved"
	case p.place.State == mapping.Detached:
		return "detached"
	case threadtext.Awaiting(p.annotation):
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
			Range: protocol.Range{Start: at, End: at}, Severity: ptr(s.severity(state(p))), Source: &source,
			Message: threadtext.DiagnosticMessage(t.annotation, p.place, false) + "\n(the place is not verified: " + f.disk.why + ")",
			Data:    threadData{t.key.session, t.key.id},
		})
	}
	sortDiagnostics(out)
	return out
}

// hashDiagnostics tells sets apart without encoding them.
func hashDiagnostics(list []protocol.Diagnostic) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := func(n ...uint32) {
		for _, n := range n {
			var b [4]byte
			binary.LittleEndian.PutUint32(b[:], n)
			h.Write(b[:])
		}
	}
	text := func(s string) {
		number(uint32(len(s)))
		h.WriteString(s)
	}
	for _, d := range list {
		number(d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line, d.Range.End.Character, uint32(*d.Severity))
		text(d.Message)
		data := d.Data.(threadData)
		text(data.Session)
		text(data.Annotation)
		number(uint32(len(d.RelatedInformation)))
		for _, r := range d.RelatedInformation { // at the range of d
			text(r.Message)
			text(r.Location.URI)
		}
	}
	return h.Sum64()
}
