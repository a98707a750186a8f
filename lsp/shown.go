package lsp

import (
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// shown is what the editor has been given, so that it gets nothing twice.
type shown struct {
	files         map[string]*shownFile // by canonical URI
	refresh       refreshes
	pullOffered   bool   // the editor was told that it can ask for diagnostics
	statusVersion int    // of the status that was hashed last
	statusHash    uint64 // of what a plugin was last told to ask for
}

// shownFile is what the editor has of one file.
type shownFile struct {
	pushed *pushedSet // the diagnostics last pushed; nil: none that matter
	// What the editor has asked for since the file was opened.
	lenses, hints, pulled lastAnswer

	pluginHash uint64 // of what a plugin was last told to ask for
}

// of is the record of a file, made if it is new.
func (sh *shown) of(f *workspace.File) *shownFile {
	r := sh.files[f.URI()]
	if r == nil {
		r = &shownFile{}
		sh.files[f.URI()] = r
	}
	return r
}

// opened forgets what the editor had asked for: it asks again.
func (sh *shown) opened(uri string) {
	if r := sh.files[uri]; r != nil {
		r.lenses, r.hints, r.pulled = lastAnswer{}, lastAnswer{}, lastAnswer{}
		r.unsure()
	}
}

func (sh *shown) closed(uri string) {
	if r := sh.files[uri]; r != nil {
		r.unsure()
	}
}

// pushedSet identifies a set of diagnostics without keeping it.
type pushedSet struct {
	hash    uint64
	count   int
	version int32
	unsure  bool // the editor may have dropped it, or not
}

// unsure is called when the file is opened or closed: what editors then do with
// what was published before differs.
func (r *shownFile) unsure() {
	if r.count() > 0 {
		r.pushed.unsure = true
	} else {
		r.pushed = nil
	}
}

// count is how many diagnostics the editor may have of the file.
func (r *shownFile) count() int {
	if r.pushed == nil {
		return 0
	}
	return r.pushed.count
}

// lastAnswer is what the editor was given of one kind (lenses, hints, diagnostics
// it pulled) when it last asked. It tells when to ask the editor to ask again.
type lastAnswer struct {
	asked bool          // what was never asked for cannot be out of date
	text  *mapping.Text // what the answer was made for
	hash  uint64        // of the answer; 0: the text has changed since
}

// set keeps an answer that is on its way to the editor.
func (a *lastAnswer) set(text *mapping.Text, hash uint64) { *a = lastAnswer{true, text, hash} }

// outdated reports whether the editor's answer is not the present one, although its
// text is: after its own edits the editor asks by itself. present is called only if
// that matters, so never on a keystroke.
func (a *lastAnswer) outdated(text *mapping.Text, present func() uint64) bool {
	if !a.asked {
		return false
	}
	if a.text != text {
		a.text, a.hash = text, 0
		return false
	}
	if a.hash == 0 {
		return false // the editor has not asked yet for the text it now has, and will
	}
	hash := present()
	if hash == a.hash {
		return false
	}
	a.hash = hash
	return true
}

// update brings what the editor has of a file up to date.
func (s *Server) update(f *workspace.File) {
	r := s.shown.of(f)
	s.publish(f, r)
	s.noteOutdated(f, r)
	s.notifyPlugin(f, r)
	if r.count() == 0 {
		s.ws.Collect(f)
	}
	if s.ws.File(f.URI()) != f {
		delete(s.shown.files, f.URI())
	}
}

// noteOutdated notes which of the editor's views of a file are out of date.
func (s *Server) noteOutdated(f *workspace.File, r *shownFile) {
	if f.Doc() == nil {
		return
	}
	text, v, refresh := f.Doc().Text(), s.view(), &s.shown.refresh
	if r.lenses.outdated(text, func() uint64 { return view.Hash(v.Lenses(f)) }) {
		refresh.lenses = true
	}
	if r.hints.outdated(text, func() uint64 { return view.Hash(v.Hints(f)) }) {
		refresh.hints = true
	}
	if r.pulled.outdated(text, func() uint64 { return s.pulledHash(f, r) }) {
		refresh.diagnostics = true
	}
}

// publish pushes a file's diagnostics if they differ from what was pushed last.
func (s *Server) publish(f *workspace.File, r *shownFile) {
	if s.phase != phaseInitialized {
		return
	}
	list := []protocol.Diagnostic{}
	if !s.pulls(f, r) && (f.Doc() != nil || s.ws.Owns(f)) {
		var ready bool
		if list, ready = s.view().Diagnostics(f); !ready {
			return
		}
	}
	params := protocol.PublishDiagnosticsParams{URI: f.EditorURI(), Diagnostics: list}
	now := pushedSet{hash: view.HashDiagnostics(list), count: len(list)}
	if f.Doc() != nil {
		version := f.Doc().Version()
		params.Version = &version
	}
	if s.editor.client.DiagnosticVersions() {
		// A set for another version than the client's is dropped there: an equal
		// one has to be sent again for the next version. An empty one is true of
		// every version until the next is sent, so it names none.
		if now.count == 0 {
			params.Version = nil
		} else if f.Doc() != nil {
			now.version = f.Doc().Version()
		}
	}
	if r.pushed == nil && now.count == 0 || r.pushed != nil && *r.pushed == now {
		return
	}
	r.pushed = &now
	s.editor.notify("textDocument/publishDiagnostics", params)
}

// notifyStatus tells a plugin that asked for it that the connection, the
// sessions, or the number of comments is another than when it was last told.
func (s *Server) notifyStatus() {
	version := s.ws.StatusVersion()
	if version == s.shown.statusVersion || !s.ws.Settings().Notifications || s.phase != phaseInitialized {
		return
	}
	s.shown.statusVersion = version
	if hash := s.view().StatusHash(); hash != s.shown.statusHash {
		s.shown.statusHash = hash
		s.editor.notify("ahp/statusChanged", struct{}{})
	}
}

// notifyPlugin tells a plugin that asked for it that a file's answers differ.
func (s *Server) notifyPlugin(f *workspace.File, r *shownFile) {
	if !s.ws.Settings().Notifications || s.phase != phaseInitialized || f.Loading() {
		return
	}
	v := s.view()
	hash := view.Hash([]any{v.Threads(f), v.Hunks(f)})
	if hash != 0 && hash != r.pluginHash {
		r.pluginHash = hash
		s.editor.notify("ahp/threadsChanged", protocol.URIArgs{URI: f.EditorURI()})
	}
}
