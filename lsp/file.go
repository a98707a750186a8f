package lsp

import (
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// file is everything known about one file of the workspace. It exists while it
// is open or something of the host's is in it. It belongs to the loop.
type file struct {
	uri     string    // canonical
	doc     *document // nil when it is not open
	threads map[threadKey]*thread
	changes []*change // of the changesets that have it, most wanted first

	disk    disk
	reading bool     // a read of the disk is under way
	again   bool     // and another is wanted behind it
	bases   int      // texts after turns being read
	waiting []func() // run when nothing about the file is being loaded

	tracker *mapping.Tracker // of the text last looked at; nil: none yet

	pushed *pushedSet  // the diagnostics last pushed; nil: none that matter
	shown  []shownText // see shows
	// What the editor has asked for since the file was opened.
	lenses, hints, pulled given

	pluginHash uint64 // of what a plugin was last told to ask for
}

type threadKey struct{ session, id string }

// thread is an annotation in its file.
type thread struct {
	key        threadKey
	annotation *ahp.Annotation
	order      int             // when it was first seen: older threads come first
	anchor     *mapping.Anchor // nil until the text it is about is known
	seenMade   bool            // it was made just now: it is about the text on disk
	noTurnText bool            // the text after its turn is not known
	former     []knownPlace    // what it was about before it was moved here, latest last
	placed     mapping.Placement
	placedIn   *mapping.Text
	said       *said // of its diagnostic; nil until the file is open
}

// disk is a file's content as it was last read.
type disk struct {
	known   bool          // it has been read, or found missing
	text    *mapping.Text // nil: missing, binary, or unreadable
	why     string        // of a nil text
	missing bool          // there is no file
	stamp   diskStamp
}

// file returns the record of a file, made if it is new.
func (s *Server) file(uri string) *file {
	f := s.files[uri]
	if f == nil {
		f = &file{uri: uri, threads: map[threadKey]*thread{}}
		s.files[uri] = f
	}
	return f
}

// collect forgets a file in which nothing is left. That a file was renamed, and
// took its threads along, is known by its record.
func (s *Server) collect(f *file) {
	if f.doc == nil && len(s.away[f.uri]) == 0 && len(f.threads) == 0 && len(f.changes) == 0 && len(f.waiting) == 0 && !f.reading && f.bases == 0 && f.published() == 0 {
		delete(s.files, f.uri)
	}
}

// text is what the user sees: the buffer, or the file on disk. It is nil while
// that is not known, or if there is no text.
func (f *file) text() *mapping.Text {
	if f.doc != nil {
		if f.doc.lost {
			return nil
		}
		return f.doc.text
	}
	return f.disk.text
}

// editorURI is how the editor spells the file's URI.
func (f *file) editorURI() string {
	if f.doc != nil {
		return f.doc.uri
	}
	return f.uri
}

// track is the tracker of the text the user sees.
func (f *file) track(text *mapping.Text) *mapping.Tracker {
	if f.tracker == nil {
		f.tracker = mapping.NewTracker(text)
	} else if f.tracker.Text() != text {
		f.tracker.Replace(text)
	}
	return f.tracker
}

// edit changes the open document. The comparisons with the bases go along: what
// a keystroke costs must not depend on how much differs elsewhere in the file.
func (f *file) edit(span mapping.Span, insert string) {
	tr := f.track(f.doc.text)
	tr.Edit(span, insert)
	f.doc.text = tr.Text()
}

// dropPlacements lets go of the text the threads were placed in.
func (f *file) dropPlacements() {
	f.tracker = nil
	for _, t := range f.threads {
		t.placedIn, t.said = nil, nil
	}
}

// unsettled: what a thread is about is being read from the disk. It takes a
// moment only, in which the file is not shown without that thread.
func (f *file) unsettled() bool {
	if !f.reading {
		return false
	}
	for _, t := range f.threads {
		if t.anchor == nil {
			return true
		}
	}
	return false
}

// place finds a thread in the text the user sees. ok is false while it is not
// known what the thread is about.
func (f *file) place(t *thread, text *mapping.Text) (mapping.Placement, bool) {
	if t.anchor == nil {
		return mapping.Placement{}, false
	}
	if t.placedIn != text {
		t.placed, t.placedIn = f.track(text).Place(*t.anchor), text
	}
	return t.placed, true
}

// placedThread is a thread with its place in a text.
type placedThread struct {
	*thread
	place mapping.Placement
}

// placedThreads are the file's threads that are shown, in the order of their
// places.
func (s *Server) placedThreads(f *file, text *mapping.Text) []placedThread {
	out := make([]placedThread, 0, len(f.threads))
	for _, t := range f.threads {
		if t.annotation.Resolved && !value(s.settings.ShowResolved) {
			continue
		}
		if p, ok := f.place(t, text); ok {
			out = append(out, placedThread{t, p})
		}
	}
	slices.SortFunc(out, func(a, b placedThread) int {
		if d := a.place.Span.Start - b.place.Span.Start; d != 0 {
			return d
		}
		if d := a.place.Span.End - b.place.Span.End; d != 0 {
			return d
		}
		return a.order - b.order
	})
	return out
}

// lines are the lines a thread is shown on.
func (p placedThread) lines(text *mapping.Text) mapping.LineRange {
	first := text.LineAt(p.place.Span.Start)
	last := first
	if p.place.Span.End > p.place.Span.Start {
		last = text.LineAt(p.place.Span.End - 1)
	}
	return mapping.LineRange{Start: first, End: last + 1}
}

func overlap(a, b mapping.LineRange) bool { return a.Start < b.End && b.Start < a.End }

// selectedLines are the lines a request is about. A selection that ends at the
// start of a line does not include it.
func selectedLines(text *mapping.Text, span mapping.Span) mapping.LineRange {
	first, last := text.LineAt(span.Start), text.LineAt(span.End)
	if last > first && span.End == text.FullLine(last).Start {
		last--
	}
	return mapping.LineRange{Start: first, End: last + 1}
}

// when runs do once nothing about the file is being loaded any more.
func (s *Server) when(f *file, do func()) {
	if !f.loading() {
		do()
		return
	}
	if !f.disk.known && !f.reading {
		s.readDisk(f)
	}
	f.waiting = append(f.waiting, do)
}

func (f *file) loading() bool {
	if f.reading || !f.disk.known || f.bases > 0 {
		return true
	}
	for _, c := range f.changes {
		if c.state == changeLoading {
			return true
		}
	}
	return false
}

// loaded runs what waited for the file.
func (s *Server) loaded(f *file) {
	if f.loading() {
		return
	}
	waiting := f.waiting
	f.waiting = nil
	for _, do := range waiting {
		s.loop.safely(do)
	}
}
