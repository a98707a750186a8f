package lsp

import (
	"slices"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/mapping"
)

// A menu stands open, and a lens is on the screen, while the buffer changes. So
// the range in a command that was made here comes with a number, "seen", that
// says which text it is in: what the user chose is found in the text of now, or
// nothing is done. Versions would not do: they begin anew with each didOpen, and
// Neovim reads a file again by closing and opening it.

// shownText is a text of a file that commands were made for.
type shownText struct {
	seen int
	text *mapping.Text
}

// maxShown bounds the texts that are kept of a file.
const maxShown = 8

// shows notes that a command is made for a text of a file, and returns the
// text's number.
func (s *Server) shows(f *file, text *mapping.Text) int {
	for _, sh := range slices.Backward(f.shown) {
		if sh.text == text {
			return sh.seen
		}
	}
	s.shown++
	if len(f.shown) >= maxShown {
		f.shown = slices.Delete(f.shown, 0, len(f.shown)-maxShown+1)
	}
	f.shown = append(f.shown, shownText{s.shown, text})
	return s.shown
}

// pointed finds in a text what a range was made for. seen is the number of the
// text the range is in; 0: it is that of now.
func (s *Server) pointed(f *file, text *mapping.Text, r protocol.Range, seen int) (mapping.Span, error) {
	if seen == 0 {
		return s.fromRange(text, r), nil
	}
	for _, sh := range f.shown {
		if sh.seen != seen {
			continue
		}
		span := s.fromRange(sh.text, r)
		if sh.text == text {
			return span, nil
		}
		if now, ok := mapping.Align(sh.text, text).MapSpan(span); ok {
			return now, nil
		}
	}
	return mapping.Span{}, errBufferChanged
}
