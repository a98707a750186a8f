package workspace

import (
	"iter"
	"maps"
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
)

// Changeset is a followed changeset and the files it is in.
type Changeset struct {
	view  *remote.ChangesetView
	files map[string]*Change // by the file's id in the changeset
	order int                // when it was first seen: earlier ones are preferred
}

// View is what the host says of the changeset.
func (cs *Changeset) View() *remote.ChangesetView { return cs.view }

// Change is what the changeset says of the file with an id, nil if it does not
// have it.
func (cs *Changeset) Change(id string) *Change { return cs.files[id] }

// ChangeOf is what the changeset says of a file, nil if it does not have it.
func (cs *Changeset) ChangeOf(f *File) *Change {
	for _, c := range f.changes {
		if cs.files[c.entry.ID] == c {
			return c
		}
	}
	return nil
}

// Changeset is the followed changeset with a URI, nil if there is none.
func (w *Workspace) Changeset(channel string) *Changeset {
	w.guard()
	return w.changesets[channel]
}

// Changesets are the followed changesets by their channels, in no order.
func (w *Workspace) Changesets() iter.Seq2[string, *Changeset] {
	w.guard()
	return maps.All(w.changesets)
}

// changesetChanged takes a changeset's new state.
func (w *Workspace) changesetChanged(ch remote.ChangesetChanged) {
	cs := w.changesets[ch.Channel]
	if ch.View == nil {
		if cs != nil {
			for _, c := range cs.files {
				w.dropChange(c)
			}
			delete(w.changesets, ch.Channel)
		}
		return
	}
	if cs == nil {
		cs = &Changeset{files: map[string]*Change{}, order: len(w.changesets)}
		w.changesets[ch.Channel] = cs
	}
	reorder := cs.view == nil || cs.view.Primary != ch.View.Primary
	cs.view = ch.View
	for _, entry := range ch.Touched {
		if w.fileChanged(cs, entry) {
			reorder = true
		}
	}
	// Every other file keeps its contents, but sees the new operations.
	for _, c := range cs.files {
		c.view = cs.view
	}
	for _, c := range cs.files {
		if reorder {
			sortChanges(c.file)
		}
		if c.file.doc == nil {
			continue
		}
		if c.load.state == changeUnloaded {
			w.loadChange(c) // its hunks are the ones shown, from now on
		}
		w.touch(c.file)
	}
}

// fileChanged takes what a changeset says of one of its files now. added: the
// file has not been in it.
func (w *Workspace) fileChanged(cs *Changeset, entry *ahp.ChangesetFile) (added bool) {
	now := cs.view.State.File(entry.ID)
	old := cs.files[entry.ID]
	if now == nil {
		if old != nil {
			w.dropChange(old)
			delete(cs.files, entry.ID)
		}
		return false
	}
	f := w.file(w.ToLocal(now.URI()))
	if old != nil && old.file != f {
		w.dropChange(old)
		old = nil
	}
	if old == nil {
		old = &Change{file: f, order: cs.order}
		cs.files[entry.ID] = old
		f.changes = append(f.changes, old)
		added = true
	}
	was := old.entry
	old.view, old.entry = cs.view, now
	w.learnRename(cs.view, now)
	if was != nil && was.Before == now.Before && was.After == now.After && old.load.state == changeReady {
		return added // only its flags differ
	}
	w.loadChange(old)
	if f.doc != nil || len(f.threads) > 0 || len(w.renames.away[f.uri]) > 0 {
		w.readDisk(f)
	}
	w.touch(f)
	return added
}

// sortChanges puts the change whose hunks are shown first.
func sortChanges(f *File) {
	slices.SortStableFunc(f.changes, func(a, b *Change) int {
		proposal := func(c *Change) bool { return c.view.Entry.Kind == remote.KindPatchset }
		switch {
		case proposal(a) && !proposal(b):
			return -1
		case proposal(b) && !proposal(a):
			return 1
		case a.view.Primary && !b.view.Primary:
			return -1
		case b.view.Primary && !a.view.Primary:
			return 1
		}
		return a.order - b.order
	})
}
