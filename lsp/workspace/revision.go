package workspace

import (
	"errors"
	"slices"

	"ahp-lsp/mapping"
)

// A menu stands open, and a lens is on the screen, while the buffer changes. So
// the range in a command that was made here comes with a revision: a number that
// says which text it is in. What the user chose is found in the present text, or
// nothing is done. The editor's versions would not do: they begin again with each
// didOpen, and Neovim reads a file again by closing and opening it.

// revision is a text of a file that commands were made for.
type revision struct {
	number int
	text   *mapping.Text
}

// maxRevisions bounds the texts that are kept of a file.
const maxRevisions = 8

// Revision is the number of a text of a file, for a command that is made for it.
// The text is kept, so that Find knows it later.
func (w *Workspace) Revision(f *File, text *mapping.Text) int {
	for _, r := range slices.Backward(f.revisions) {
		if r.text == text {
			return r.number
		}
	}
	w.count.revisions++
	if len(f.revisions) >= maxRevisions {
		f.revisions = slices.Delete(f.revisions, 0, len(f.revisions)-maxRevisions+1)
	}
	f.revisions = append(f.revisions, revision{w.count.revisions, text})
	return w.count.revisions
}

// ErrBufferChanged: what the user pointed at may be somewhere else now.
var ErrBufferChanged = errors.New("the buffer has changed meanwhile; choose it again")

// Find finds in a text of a file what a range was made for. revision is the number
// of the text the range is in; 0: it is this one.
func (w *Workspace) Find(f *File, text *mapping.Text, r mapping.Range, revision int) (mapping.Span, error) {
	if revision == 0 {
		return w.Span(text, r), nil
	}
	for _, rev := range f.revisions {
		if rev.number != revision {
			continue
		}
		span := w.Span(rev.text, r)
		if rev.text == text {
			return span, nil
		}
		if now, ok := mapping.Align(rev.text, text).MapSpan(span); ok {
			return now, nil
		}
	}
	return mapping.Span{}, ErrBufferChanged
}

// FindLines are the lines that a command acts on, see Find and Lines.
func (w *Workspace) FindLines(f *File, text *mapping.Text, r mapping.Range, revision int) (mapping.LineRange, error) {
	if revision == 0 {
		return w.Lines(text, r), nil
	}
	span, err := w.Find(f, text, r, revision)
	if err != nil {
		return mapping.LineRange{}, err
	}
	if w.Span(text, r) == span {
		return w.Lines(text, r), nil
	}
	return SelectedLines(text, span), nil
}
