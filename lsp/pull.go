package lsp

import (
	"strconv"

	protocol "github.com/tliron/glsp/protocol_3_16"
)

// pulls reports whether the editor asks for the file's diagnostics itself: it
// is then not pushed to, or it would show them twice. Closed files are pushed.
func (s *Server) pulls(f *file) bool {
	return f.doc != nil && (s.pullOffered || f.pulled.asked)
}

// pullDiagnostics serves textDocument/diagnostic (LSP 3.17).
func (s *Server) pullDiagnostics(c *call) (any, error) {
	var p documentDiagnosticParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	f := s.open(p.TextDocument.URI)
	if f == nil {
		return diagnosticReport{Kind: "full", Items: &[]protocol.Diagnostic{}}, nil
	}
	if !f.pulled.asked {
		f.pulled.asked = true
		s.touch(f) // what was pushed before goes
	}
	return s.afterLoading(f, viewTimeout, func() (any, error) {
		list, ready := s.diagnostics(f)
		if !ready || f.doc == nil {
			// The editor keeps what it has, and is asked to pull again later.
			if f.doc != nil {
				f.pulled.note(f.doc.text, tooEarly)
			}
			if p.PreviousResultID != "" {
				return diagnosticReport{Kind: "unchanged", ResultID: p.PreviousResultID}, nil
			}
			return diagnosticReport{Kind: "full", Items: &[]protocol.Diagnostic{}}, nil
		}
		hash := hashOf(list)
		f.pulled.note(f.doc.text, hash)
		id := strconv.FormatUint(hash, 36)
		if id == p.PreviousResultID {
			return diagnosticReport{Kind: "unchanged", ResultID: id}, nil
		}
		return diagnosticReport{Kind: "full", ResultID: id, Items: &list}, nil
	})
}

// tooEarly is the hash of an answer that was none.
const tooEarly = 1

// pulledHash is what the answer to a pull would be known by now. While there is
// none the editor's is as good.
func (s *Server) pulledHash(f *file) uint64 {
	list, ready := s.diagnostics(f)
	if !ready {
		return f.pulled.hash
	}
	return hashOf(list)
}
