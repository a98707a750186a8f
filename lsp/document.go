package lsp

import (
	"errors"
	"fmt"
	"math"

	"github.com/tliron/glsp"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// document is a file that is open in the editor.
type document struct {
	uri     string // as the editor spells it
	version int32
	text    *mapping.Text
	// lost: a change could not be applied, so text is not what the editor has.
	// Nothing is placed or edited until the whole text comes again.
	lost bool
}

func (s *Server) didOpen(c *call) (any, error) {
	var p didOpenParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	d := p.TextDocument
	if _, ok := ahp.FilePath(d.URI); !ok {
		return nil, nil // a buffer without a file: nothing of the host's is in it
	}
	f := s.file(ahp.CanonicalURI(d.URI))
	f.doc = &document{uri: d.URI, version: d.Version, text: mapping.NewText(d.Text)}
	f.lenses, f.hints, f.pulled = given{}, given{}, given{}
	f.unsurePushed()
	for _, c := range f.changes {
		c.forget()
	}
	s.readDisk(f)
	s.reloadChanges(f)
	s.touch(f)
	if len(s.folders) == 0 {
		s.rootsChanged()
	}
	return nil, nil
}

// errOutOfStep: a change of the document could not be read.
var errOutOfStep = errors.New("the buffer is out of step with the editor; close and open it again")

func (s *Server) didChange(c *call) (any, error) {
	var p didChangeParams
	if err := c.decode(&p); err != nil {
		// The document is out of step from here on.
		if f := s.files[ahp.CanonicalURI(p.TextDocument.URI)]; f != nil && f.doc != nil {
			f.doc.lost = true
			s.touch(f)
		}
		return nil, err
	}
	f := s.files[ahp.CanonicalURI(p.TextDocument.URI)]
	if f == nil || f.doc == nil {
		if _, ok := ahp.FilePath(p.TextDocument.URI); !ok {
			return nil, nil
		}
		return nil, fmt.Errorf("a change of %s, which was never opened, is ignored", p.TextDocument.URI)
	}
	d := f.doc
	for _, ch := range p.ContentChanges {
		if ch.Range == nil {
			d.text, d.lost = mapping.NewText(ch.Text), false
			continue
		}
		f.edit(d.text.Span(ch.Range.mapped(), s.encoding), ch.Text)
	}
	if p.TextDocument.Version != nil {
		d.version = *p.TextDocument.Version
	}
	s.touch(f)
	return nil, nil
}

func (s *Server) didSave(_ *glsp.Context, p *protocol.DidSaveTextDocumentParams) error {
	uri := ahp.CanonicalURI(p.TextDocument.URI)
	if f := s.files[uri]; f != nil {
		s.readDisk(f)
		s.reloadChanges(f)
		if s.host != nil {
			s.host.Saved(f.uri)
		}
	}
	if sc := s.scratch[uri]; sc != nil {
		s.saveScratch(uri, sc)
	}
	return nil
}

func (s *Server) didClose(_ *glsp.Context, p *protocol.DidCloseTextDocumentParams) error {
	f := s.files[ahp.CanonicalURI(p.TextDocument.URI)]
	if f == nil || f.doc == nil {
		return nil
	}
	f.doc = nil
	f.shown = f.shown[max(0, len(f.shown)-1):] // it may be opened again at once
	f.unsurePushed()
	f.dropPlacements()
	s.readDisk(f)
	s.reloadChanges(f) // lets go of their contents
	s.touch(f)
	if len(s.folders) == 0 {
		s.rootsChanged()
	}
	return nil
}

// mapped clamps what an editor may send to what can be computed with.
func (r rawRange) mapped() mapping.Range {
	return mapping.Range{Start: r.Start.mapped(), End: r.End.mapped()}
}

func (p rawPosition) mapped() mapping.Position {
	clamp := func(f float64) int { return int(math.Max(-1, math.Min(math.MaxInt32, f))) }
	return mapping.Position{Line: clamp(p.Line), Character: clamp(p.Character)}
}

// toRange writes a span of a text for the editor.
func (s *Server) toRange(t *mapping.Text, span mapping.Span) protocol.Range {
	r := t.Range(span, s.encoding)
	return protocol.Range{Start: toPosition(r.Start), End: toPosition(r.End)}
}

func toPosition(p mapping.Position) protocol.Position {
	return protocol.Position{Line: protocol.UInteger(p.Line), Character: protocol.UInteger(p.Character)}
}

// fromRange reads a range of the editor's.
func (s *Server) fromRange(t *mapping.Text, r protocol.Range) mapping.Span {
	return t.Span(mapping.Range{
		Start: mapping.Position{Line: int(r.Start.Line), Character: int(r.Start.Character)},
		End:   mapping.Position{Line: int(r.End.Line), Character: int(r.End.Character)},
	}, s.encoding)
}

// hostSpan reads a range of the host's: UTF-16, clamped.
func hostSpan(t *mapping.Text, r ahp.Range) mapping.Span {
	return t.Span(mapping.Range{
		Start: mapping.Position(r.Start),
		End:   mapping.Position(r.End),
	}, mapping.UTF16)
}

// hostRange writes a span for the host.
func hostRange(t *mapping.Text, span mapping.Span) ahp.Range {
	r := t.Range(span, mapping.UTF16)
	return ahp.Range{Start: ahp.Position(r.Start), End: ahp.Position(r.End)}
}
