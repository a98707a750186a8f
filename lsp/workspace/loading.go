package workspace

import "ahp-lsp/bridge/remote"

// progress is how far a host has come with telling what there is. A plugin that
// shows what an earlier server said takes away what this one does not tell of,
// once all is known.
type progress int

const (
	toldAll progress = iota // or there is no host to tell anything
	telling                 // a host is looked for, or has not told every comment
	placing                 // every comment is known; what they are about is being read
)

// HostMissing says that no host was found.
type HostMissing struct{}

func (HostMissing) apply(w *Workspace) {
	if w.remote.connection.State == remote.Searching {
		w.setProgress(toldAll)
	}
}

// Loading reports whether a host is looked for, or not every comment is known yet.
func (w *Workspace) Loading() bool { return w.remote.progress != toldAll }

func (w *Workspace) setProgress(p progress) {
	if (p == toldAll) != (w.remote.progress == toldAll) {
		w.count.status++
	}
	w.remote.progress = p
}

// finishLoading notes that every comment of the host's is known, with its place.
func (w *Workspace) finishLoading() {
	if w.remote.progress != placing {
		return
	}
	for _, ses := range w.sessions {
		turnsKnown := ses.overdue || ses.view != nil && ses.view.ChatKnown
		if len(ses.threads) > 0 && !(turnsKnown && ses.stored.loaded) {
			return
		}
	}
	for _, f := range w.files {
		if len(f.threads) > 0 && f.Loading() {
			return
		}
	}
	w.setProgress(toldAll)
}
