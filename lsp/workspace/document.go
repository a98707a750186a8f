package workspace

import (
	"errors"
	"fmt"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// Document is a file that is open in the editor.
type Document struct {
	uri     string // as the editor spells it
	version int32
	text    *mapping.Text
	// lost: a change could not be applied, so text is not what the editor has.
	// Nothing is placed or edited until the whole text comes again.
	lost bool
}

// URI is how the editor spells the document's URI.
func (d *Document) URI() string { return d.uri }

// Version is the editor's number of the text.
func (d *Document) Version() int32 { return d.version }

// Text is what the editor was last known to have; see File.Text for what may be
// acted on.
func (d *Document) Text() *mapping.Text { return d.text }

// ErrOutOfStep: a change of the document could not be read.
var ErrOutOfStep = errors.New("the buffer is out of step with the editor; close and open it again")

// DocumentOpened says that the editor shows a file.
type DocumentOpened struct {
	URI     string // as the editor spells it
	Version int32
	Text    string
}

func (e DocumentOpened) apply(w *Workspace) {
	f := w.file(ahp.CanonicalURI(e.URI))
	f.doc = &Document{uri: e.URI, version: e.Version, text: mapping.NewText(e.Text)}
	for _, c := range f.changes {
		c.forget()
	}
	w.readDisk(f)
	w.reloadChanges(f)
	w.touch(f)
}

// Edit is one change of a document's text. Without a range it is the whole text.
type Edit struct {
	Range *mapping.Range
	Text  string
}

// DocumentChanged gives the editor's changes of an open document, in order.
// Version is nil where the editor names none.
type DocumentChanged struct {
	URI     string
	Version *int32
	Edits   []Edit
}

func (e DocumentChanged) apply(w *Workspace) {
	f := w.Open(e.URI)
	if f == nil {
		return
	}
	d := f.doc
	for _, ch := range e.Edits {
		if ch.Range == nil {
			d.text, d.lost = mapping.NewText(ch.Text), false
			continue
		}
		f.edit(w.Span(d.text, *ch.Range), ch.Text)
	}
	if e.Version != nil {
		d.version = *e.Version
	}
	w.touch(f)
}

// DocumentLost says that a change of a document could not be read.
type DocumentLost struct{ URI string }

func (e DocumentLost) apply(w *Workspace) {
	if f := w.Open(e.URI); f != nil {
		f.doc.lost = true
		w.touch(f)
	}
}

// FileWritten says that a file was, or may have been, written on disk: saved, or
// by another program.
type FileWritten struct{ URI string }

func (e FileWritten) apply(w *Workspace) {
	if f := w.files[ahp.CanonicalURI(e.URI)]; f != nil {
		w.readDisk(f)
		w.reloadChanges(f)
	}
}

// FilesWritten says that any open file that an agent has changed may have been
// written.
type FilesWritten struct{}

func (FilesWritten) apply(w *Workspace) {
	for _, f := range w.files {
		if f.doc != nil && len(f.changes) > 0 {
			w.readDisk(f)
			w.reloadChanges(f)
		}
	}
}

// DocumentClosed says that the editor does not show a file any more.
type DocumentClosed struct{ URI string }

func (e DocumentClosed) apply(w *Workspace) {
	f := w.Open(e.URI)
	if f == nil {
		return
	}
	f.doc = nil
	f.revisions = f.revisions[max(0, len(f.revisions)-1):] // it may be opened again at once
	f.dropPlacements()
	w.readDisk(f)
	w.reloadChanges(f) // lets go of their contents
	w.touch(f)
}

// Open is the file of an open document, nil if it is not open. uri may be spelled
// in any way.
func (w *Workspace) Open(uri string) *File {
	w.guard()
	f := w.files[ahp.CanonicalURI(uri)]
	if f == nil || f.doc == nil {
		return nil
	}
	return f
}

// HostSpan is a range of the host's in a text: UTF-16, clamped.
func HostSpan(t *mapping.Text, r ahp.Range) mapping.Span {
	return t.Span(mapping.Range{
		Start: mapping.Position(r.Start),
		End:   mapping.Position(r.End),
	}, mapping.UTF16)
}

// HostRange is a span of a text as the host counts.
func HostRange(t *mapping.Text, span mapping.Span) ahp.Range {
	r := t.Range(span, mapping.UTF16)
	return ahp.Range{Start: ahp.Position(r.Start), End: ahp.Position(r.End)}
}

// errNotFollowed names a session that is not followed.
func errNotFollowed(session string) error {
	return fmt.Errorf("the session %s is not followed", session)
}
