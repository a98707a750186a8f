package workspace

import (
	"iter"
	"maps"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// File is everything known about one file of the workspace. It exists while it
// is open or something of the host's is in it.
type File struct {
	uri     string    // canonical
	doc     *Document // nil when it is not open
	threads map[ThreadKey]*Thread
	changes []*Change // of the changesets that have it, most wanted first

	disk    Disk
	reading bool // a read of the disk is under way
	again   bool // and another is wanted behind it
	turns   int  // texts after turns being read
	// turnReads are the turns whose text of the file is being read: the epoch of
	// the host that was asked, plus one.
	turnReads map[turnKey]int

	tracker   *mapping.Tracker // of the text last looked at; nil: none yet
	revisions []revision       // see Revision
}

// file returns the record of a file, made if it is new.
func (w *Workspace) file(uri string) *File {
	f := w.files[uri]
	if f == nil {
		f = &File{uri: uri, threads: map[ThreadKey]*Thread{}}
		w.files[uri] = f
	}
	return f
}

// File is the record of a file, nil if nothing is known about it. uri may be
// spelled in any way.
func (w *Workspace) File(uri string) *File {
	w.guard()
	return w.files[ahp.CanonicalURI(uri)]
}

// Files are all files of which something is known, in no order.
func (w *Workspace) Files() iter.Seq[*File] {
	w.guard()
	return maps.Values(w.files)
}

// Collect forgets a file in which nothing is left. That a file was renamed, and
// took its threads along, is known by its record.
func (w *Workspace) Collect(f *File) {
	w.guard()
	if f.doc == nil && len(w.renames.away[f.uri]) == 0 && len(f.threads) == 0 && len(f.changes) == 0 && !f.reading && f.turns == 0 {
		delete(w.files, f.uri)
	}
}

// URI is the file's canonical URI.
func (f *File) URI() string { return f.uri }

// Doc is the open document, nil if the file is not open.
func (f *File) Doc() *Document { return f.doc }

// Disk is the file's content as it was last read.
func (f *File) Disk() Disk { return f.disk }

// Changes are those of the changesets that have the file, most wanted first.
func (f *File) Changes() []*Change { return f.changes }

// HasThreads reports whether there are comments in the file.
func (f *File) HasThreads() bool { return len(f.threads) > 0 }

// Threads are the file's comments, in no order.
func (f *File) Threads() iter.Seq[*Thread] { return maps.Values(f.threads) }

// Text is what the user sees: the buffer, or the file on disk. It is nil while
// that is not known, or if there is no text.
func (f *File) Text() *mapping.Text {
	if f.doc != nil {
		if f.doc.lost {
			return nil
		}
		return f.doc.text
	}
	return f.disk.Text
}

// EditorURI is how the editor spells the file's URI.
func (f *File) EditorURI() string {
	if f.doc != nil {
		return f.doc.uri
	}
	return f.uri
}

// Primary is the change whose hunks are shown in the file, or nil.
func (f *File) Primary() *Change {
	if len(f.changes) > 0 && f.changes[0].view.Primary {
		return f.changes[0]
	}
	return nil
}

// Unsaved reports whether the buffer has another text than the disk; false if
// either is not known.
func (f *File) Unsaved() bool {
	text := f.Text()
	return f.doc != nil && text != nil && f.disk.Text != nil && text.String() != f.disk.Text.String()
}

// Loading reports whether something about the file is being read, or has to be,
// before it can be shown as it is.
func (f *File) Loading() bool {
	if f.reading || !f.disk.Known || f.turns > 0 {
		return true
	}
	for _, c := range f.changes {
		if c.load.state == changeLoading {
			return true
		}
	}
	return false
}

// Needed says that a file's content is waited for.
type Needed struct{ File *File }

func (e Needed) apply(w *Workspace) {
	if !e.File.disk.Known && !e.File.reading {
		w.readDisk(e.File)
	}
}

// Owns reports whether a closed file belongs to the workspace: a session may work
// in a larger folder than the one that is open.
func (w *Workspace) Owns(f *File) bool {
	if _, ok := ahp.FilePath(f.uri); !ok {
		return false // an annotation on something that no editor has as a file
	}
	for _, root := range w.editor.folders {
		if InsideURI(f.uri, root) {
			return true
		}
	}
	return len(w.editor.folders) == 0
}

// InsideURI reports whether a canonical URI is dir or lies in it.
func InsideURI(uri, dir string) bool {
	rest, ok := strings.CutPrefix(uri, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// track is the tracker of the text the user sees.
func (f *File) track(text *mapping.Text) *mapping.Tracker {
	if f.tracker == nil {
		f.tracker = mapping.NewTracker(text)
	} else if f.tracker.Text() != text {
		f.tracker.Replace(text)
	}
	return f.tracker
}

// Alignment compares an earlier text of the file with the one the user sees.
func (f *File) Alignment(base, text *mapping.Text) *mapping.Alignment {
	return f.track(text).Alignment(base)
}

// edit changes the open document. The comparisons with the bases go along: what
// a keystroke costs must not depend on how much differs elsewhere in the file.
func (f *File) edit(span mapping.Span, insert string) {
	tr := f.track(f.doc.text)
	tr.Edit(span, insert)
	f.doc.text = tr.Text()
}

// dropPlacements lets go of the text the threads were placed in.
func (f *File) dropPlacements() {
	f.tracker = nil
	for _, t := range f.threads {
		t.placedIn, t.memo = nil, nil
	}
}

// SelectedLines are the lines a request is about. A selection that ends at the
// start of a line does not include it.
func SelectedLines(text *mapping.Text, span mapping.Span) mapping.LineRange {
	first, last := text.LineAt(span.Start), text.LineAt(span.End)
	if last > first && span.End == text.FullLine(last).Start {
		last--
	}
	return mapping.LineRange{Start: first, End: last + 1}
}

// Lines are the lines that a range of the editor's is about. A range that ends at
// the start of a line does not include it; one that ends at character 1 of an empty
// line does: that is past its end, and so means the line.
func (w *Workspace) Lines(text *mapping.Text, r mapping.Range) mapping.LineRange {
	lines := SelectedLines(text, w.Span(text, r))
	if last := r.End.Line; r.End.Character > 0 && last == lines.End && last < text.LineCount() {
		lines.End = last + 1
	}
	return lines
}
