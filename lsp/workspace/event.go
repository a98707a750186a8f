package workspace

import (
	"slices"

	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
)

// Initialized says what the editor told in its first request.
type Initialized struct {
	Encoding mapping.Encoding
	Folders  []string // canonical URIs
}

func (e Initialized) apply(w *Workspace) {
	w.editor.encoding, w.editor.folders = e.Encoding, e.Folders
}

// FoldersChanged says which folders were opened and closed, as canonical URIs.
type FoldersChanged struct{ Added, Removed []string }

func (e FoldersChanged) apply(w *Workspace) {
	folders := slices.DeleteFunc(slices.Clone(w.editor.folders), func(uri string) bool { return slices.Contains(e.Removed, uri) })
	for _, uri := range e.Added {
		if !slices.Contains(folders, uri) {
			folders = append(folders, uri)
		}
	}
	w.editor.folders = folders
	w.touchAll() // closed files that came into, or went out of, the workspace
}

// SettingsChanged gives the settings that are in force from now on.
type SettingsChanged struct{ Settings Settings }

func (e SettingsChanged) apply(w *Workspace) {
	w.editor.settings = e.Settings
	w.touchAll()
}

func (w *Workspace) touchAll() {
	for _, f := range w.files {
		w.touch(f)
	}
}

// HostStarted says that a host is followed, whose paths these are.
type HostStarted struct{ Paths Paths }

func (e HostStarted) apply(w *Workspace) {
	w.remote.paths = e.Paths
	w.setProgress(telling)
}

// HostStopped lets go of everything that came from the host.
type HostStopped struct{}

func (HostStopped) apply(w *Workspace) {
	for _, cs := range w.changesets {
		for _, c := range cs.files {
			w.dropChange(c)
		}
	}
	clear(w.changesets)
	for _, f := range w.files {
		if len(f.threads) > 0 {
			clear(f.threads)
			w.touch(f)
		}
	}
	clear(w.sessions)
	w.renames.clear()
	w.count.unresolved = 0
	w.count.status++
	w.remote = host{epoch: w.remote.epoch + 1}
}

// HostChanged is one change that the host's client reported.
type HostChanged struct{ Change remote.Change }

func (e HostChanged) apply(w *Workspace) {
	switch ch := e.Change.(type) {
	case remote.ConnectionChanged:
		w.count.status++
		w.remote.connection = ch.Connection
		switch ch.Connection.State {
		case remote.Connected:
			w.setProgress(telling)
			w.retryChanges()
		case remote.Connecting:
			w.setProgress(telling)
		default:
			w.setProgress(toldAll)
		}
	case remote.CaughtUp:
		w.setProgress(placing)
	case remote.SessionsChanged:
		w.count.status++
		w.remote.listed = ch.Sessions
	case remote.SessionChanged:
		w.count.status++
		w.sessionChanged(ch)
	case remote.AnnotationsChanged:
		unresolved := w.count.unresolved
		for _, a := range ch.Changed {
			w.annotationChanged(ch.Session, a, ch.Live, ch.Gone)
		}
		if w.count.unresolved != unresolved {
			w.count.status++
		}
	case remote.ChangesetChanged:
		w.changesetChanged(ch)
	case remote.Rejected:
		w.moveRejected(ch)
	}
}

// ShowAgain says that the editor has to be given a file's view again.
type ShowAgain struct{ File *File }

func (e ShowAgain) apply(w *Workspace) { w.touch(e.File) }
