package lsp

import (
	"context"
	"fmt"

	"github.com/tliron/glsp"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
)

func (s *Server) didOpen(p protocol.DidOpenParams) error {
	d := p.TextDocument
	if _, ok := ahp.FilePath(d.URI); !ok {
		return nil // a buffer without a file: nothing of the host's is in it
	}
	s.apply(workspace.DocumentOpened{URI: d.URI, Version: d.Version, Text: d.Text})
	s.shown.opened(ahp.CanonicalURI(d.URI))
	if len(s.ws.Folders()) == 0 {
		s.rootsChanged()
	}
	return nil
}

// didChange applies the editor's changes. One that cannot be read puts the
// document out of step until the whole text comes again.
func (s *Server) didChange(_ context.Context, p protocol.DidChangeParams, err error) (any, error) {
	uri := p.TextDocument.URI
	if err != nil {
		s.apply(workspace.DocumentLost{URI: uri})
		return nil, err
	}
	if s.ws.Open(uri) == nil {
		if _, ok := ahp.FilePath(uri); !ok {
			return nil, nil
		}
		return nil, fmt.Errorf("a change of %s, which was never opened, is ignored", uri)
	}
	edits := make([]workspace.Edit, len(p.ContentChanges))
	for i, ch := range p.ContentChanges {
		edits[i].Text = ch.Text
		if ch.Range != nil {
			r := ch.Range.Clamped()
			edits[i].Range = &r
		}
	}
	s.apply(workspace.DocumentChanged{URI: uri, Version: p.TextDocument.Version, Edits: edits})
	return nil, nil
}

func (s *Server) didSave(_ *glsp.Context, p *protocol.DidSaveParams) error {
	uri := ahp.CanonicalURI(p.TextDocument.URI)
	if f := s.ws.File(uri); f != nil {
		s.apply(workspace.FileWritten{URI: uri})
		if s.host.client != nil {
			s.host.client.Saved(uri)
		}
	}
	s.scratch.saved(uri)
	return nil
}

func (s *Server) didClose(_ *glsp.Context, p *protocol.DidCloseParams) error {
	f := s.ws.Open(p.TextDocument.URI)
	if f == nil {
		return nil
	}
	s.apply(workspace.DocumentClosed{URI: p.TextDocument.URI})
	s.shown.closed(f.URI())
	if len(s.ws.Folders()) == 0 {
		s.rootsChanged()
	}
	return nil
}

func (s *Server) didChangeWatchedFiles(_ *glsp.Context, p *protocol.DidChangeWatchedFilesParams) error {
	for _, e := range p.Changes {
		s.apply(workspace.FileWritten{URI: e.URI})
	}
	return nil
}

func (s *Server) didChangeFolders(_ *glsp.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	var e workspace.FoldersChanged
	for _, f := range p.Event.Removed {
		e.Removed = append(e.Removed, ahp.CanonicalURI(f.URI))
	}
	for _, f := range p.Event.Added {
		e.Added = append(e.Added, ahp.CanonicalURI(f.URI))
	}
	s.apply(e)
	s.rootsChanged()
	return nil
}
