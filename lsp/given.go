package lsp

import (
	"encoding/json"
	"hash/maphash"

	"ahp-lsp/mapping"
)

// given is what the editor was given of one kind (lenses, hints, diagnostics it
// pulled) when it last asked. It tells when to ask the editor to ask again.
type given struct {
	asked bool          // what was never asked for cannot be out of date
	text  *mapping.Text // what the answer was made for
	hash  uint64        // of the answer; 0: the text has changed since
}

// note keeps an answer that is on its way to the editor.
func (g *given) note(text *mapping.Text, hash uint64) { *g = given{true, text, hash} }

// outdated reports whether the editor's answer is not that of now, although its
// text is: after its own edits the editor asks by itself. now is called only if
// that matters, so never on a keystroke.
func (g *given) outdated(text *mapping.Text, now func() uint64) bool {
	if !g.asked {
		return false
	}
	if g.text != text {
		g.text, g.hash = text, 0
		return false
	}
	if g.hash == 0 {
		return false // the editor has not asked yet for the text it now has, and will
	}
	hash := now()
	if hash == g.hash {
		return false
	}
	g.hash = hash
	return true
}

// updateGiven notes which of the editor's views of a file are out of date.
func (s *Server) updateGiven(f *file) {
	if f.doc == nil {
		return
	}
	text := f.doc.text
	if f.lenses.outdated(text, func() uint64 { return hashOf(s.lensList(f)) }) {
		s.refresh.lenses = true
	}
	if f.hints.outdated(text, func() uint64 { return hashOf(s.hintList(f)) }) {
		s.refresh.hints = true
	}
	if f.pulled.outdated(text, func() uint64 { return s.pulledHash(f) }) {
		s.refresh.diagnostics = true
	}
}

var seed = maphash.MakeSeed()

// hashOf is a hash of what v is written as; it holds for this process only.
func hashOf(v any) uint64 {
	body, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return maphash.Bytes(seed, body)
}
