package lsp

import (
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
)

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
	params := publishParams{URI: f.editorURI(), Diagnostics: list}
	now := pushedSet{hash: hashDiagnostics(list), count: len(list)}
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

// publishParams are protocol.PublishDiagnosticsParams with a version that can be
// negative, as LSP has it.
type publishParams struct {
	URI         string                `json:"uri"`
	Version     *int32                `json:"version,omitempty"`
	Diagnostics []protocol.Diagnostic `json:"diagnostics"`
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
