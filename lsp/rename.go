package lsp

import (
	"slices"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
	threadtext "ahp-lsp/mapping/thread"
)

// Comments name the path that a file had. Where a changeset says that it was
// renamed, and nothing is at the old path any more, they go with it; when
// something is there again, they come back. The host is not told: it renamed
// the file itself, and knows.

// learnRename notes a rename that a changeset has, unless it is only proposed.
func (s *Server) learnRename(view *bridge.ChangesetView, entry *ahp.ChangesetFile) {
	if entry.Before == nil || entry.After == nil || view.Entry.Kind == bridge.KindPatchset {
		return
	}
	from, to := s.host.ToLocal(entry.Before.URI), s.host.ToLocal(entry.After.URI)
	if from == to || s.renames[from] == to {
		return
	}
	s.renames[from] = to
	delete(s.renames, to) // that is past; and no way leads back to where it began
	if f := s.files[from]; f != nil && len(f.threads) > 0 {
		s.readDisk(f)
	}
}

// followRename moves a file's threads to where it is now, or back; it is called
// when the disk at the old path has just been read.
func (s *Server) followRename(f *file) {
	if f.disk.missing {
		to, ok := s.renames[f.uri]
		if !ok || len(f.threads) == 0 {
			return
		}
		target := s.file(to)
		for key, t := range f.threads {
			s.away[f.uri] = append(s.away[f.uri], key)
			s.rehome(t, f, target)
		}
		return
	}
	if f.disk.text == nil {
		return
	}
	keys := s.away[f.uri]
	delete(s.away, f.uri)
	for _, key := range keys {
		ses := s.sessions[key.session]
		if ses == nil || ses.threads[key.id] == nil || ses.threads[key.id] == f {
			continue
		}
		from := ses.threads[key.id]
		if t := from.threads[key]; t != nil && s.host.ToLocal(t.annotation.Resource) == f.uri {
			s.rehome(t, from, f)
		}
	}
}

// rehome shows a thread in another file. What it is about stays what it was.
func (s *Server) rehome(t *thread, from, to *file) {
	delete(from.threads, t.key)
	to.threads[t.key] = t
	t.placedIn = nil
	if ses := s.sessions[t.key.session]; ses != nil {
		ses.threads[t.key.id] = to
	}
	s.readDisk(to)
	s.touch(from)
	s.touch(to)
}

// home is the file a comment on a path is shown in.
func (s *Server) home(uri string, key threadKey) *file {
	f := s.file(uri)
	to, ok := s.renames[uri]
	if !ok || !f.disk.known || !f.disk.missing {
		return f // if it turns out to be missing, the thread moves on
	}
	if !slices.Contains(s.away[uri], key) {
		s.away[uri] = append(s.away[uri], key)
	}
	return s.file(to)
}

// maxElsewhere bounds the files that a lost piece of code is looked for in.
const maxElsewhere = 200

// elsewhereActions offers, never assumes, the places in other files where the
// code of a thread stands that is gone from its own.
func (s *Server) elsewhereActions(l *actionList, f *file, t placedThread) {
	quote := t.anchor.Quote
	if t.place.State != mapping.Detached || len(quote) < 12 {
		return
	}
	var candidates []*file
	for _, other := range s.files {
		if other != f && other.text() != nil && (len(other.changes) > 0 || other.doc != nil) {
			candidates = append(candidates, other)
		}
	}
	slices.SortFunc(candidates, func(a, b *file) int { return strings.Compare(a.uri, b.uri) })
	for _, other := range candidates[:min(len(candidates), maxElsewhere)] {
		text := other.text()
		place := mapping.PlaceQuote(mapping.QuoteAnchor(quote, t.anchor.Hint), text)
		if place.State != mapping.Live && place.State != mapping.Moved {
			continue
		}
		r := s.toRange(text, place.Span)
		l.command("Re-anchor comment to the same code in "+baseName(other.uri)+": "+threadtext.Summary(t.annotation, mapping.Placement{}, 40),
			"ahp.annotation.reanchor", reanchorArgs{Session: t.key.session, Annotation: t.key.id, URI: other.editorURI(), Range: &r, Seen: s.shows(other, text)})
	}
}
