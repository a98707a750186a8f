package workspace

import (
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
)

// Comments name the path that a file had. Where a changeset says that it was
// renamed, and nothing is at the old path any more, they go with it; when
// something is there again, they come back. The host is not told: it renamed
// the file itself, and knows.

// renames are by canonical URIs.
type renames struct {
	to   map[string]string      // old path → new, as changesets have said
	away map[string][]ThreadKey // threads that moved on with a renamed file, by old path
}

func (r *renames) clear() {
	clear(r.to)
	clear(r.away)
}

// learnRename notes a rename that a changeset has, unless it is only proposed.
func (w *Workspace) learnRename(view *remote.ChangesetView, entry *ahp.ChangesetFile) {
	if entry.Before == nil || entry.After == nil || view.Entry.Kind == remote.KindPatchset {
		return
	}
	from, to := w.ToLocal(entry.Before.URI), w.ToLocal(entry.After.URI)
	if from == to || w.renames.to[from] == to {
		return
	}
	w.renames.to[from] = to
	delete(w.renames.to, to) // that is past; and no way leads back to where it began
	if f := w.files[from]; f != nil && len(f.threads) > 0 {
		w.readDisk(f)
	}
}

// followRename moves a file's threads to where it is now, or back; it is called
// when the disk at the old path has just been read.
func (w *Workspace) followRename(f *File) {
	if f.disk.Missing {
		to, ok := w.renames.to[f.uri]
		if !ok || len(f.threads) == 0 {
			return
		}
		target := w.file(to)
		for key, t := range f.threads {
			w.renames.away[f.uri] = append(w.renames.away[f.uri], key)
			w.rehome(t, f, target)
		}
		return
	}
	if f.disk.Text == nil {
		return
	}
	keys := w.renames.away[f.uri]
	delete(w.renames.away, f.uri)
	for _, key := range keys {
		ses := w.sessions[key.Session]
		if ses == nil || ses.threads[key.ID] == nil || ses.threads[key.ID] == f {
			continue
		}
		from := ses.threads[key.ID]
		if t := from.threads[key]; t != nil && w.ToLocal(t.annotation.Resource) == f.uri {
			w.rehome(t, from, f)
		}
	}
}

// rehome shows a thread in another file. What it is about stays what it was.
func (w *Workspace) rehome(t *Thread, from, to *File) {
	delete(from.threads, t.key)
	to.threads[t.key] = t
	t.placedIn = nil
	if ses := w.sessions[t.key.Session]; ses != nil {
		ses.threads[t.key.ID] = to
	}
	w.readDisk(to)
	w.touch(from)
	w.touch(to)
}

// home is the file a comment on a path is shown in.
func (w *Workspace) home(uri string, key ThreadKey) *File {
	f := w.file(uri)
	to, ok := w.renames.to[uri]
	if !ok || !f.disk.Known || !f.disk.Missing {
		return f // if it turns out to be missing, the thread moves on
	}
	if !slices.Contains(w.renames.away[uri], key) {
		w.renames.away[uri] = append(w.renames.away[uri], key)
	}
	return w.file(to)
}
