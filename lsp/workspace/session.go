package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
)

// Session is a followed session with its annotations.
type Session struct {
	uri     string
	view    *remote.SessionView
	threads map[string]*File // annotation id → the file it is in
	// overdue: the host has not said in time which turns there are; comments are
	// anchored without.
	overdue bool
	stored  *storedAnchors // what its comments are about, from earlier runs
}

// View is what the host says of the session; nil while it has said nothing.
func (s *Session) View() *remote.SessionView { return s.view }

// Busy reports whether a turn is running.
func (s *Session) Busy() bool { return s != nil && s.view != nil && s.view.Chat.Active != nil }

// Session is a session that is followed, or of which comments are known; nil for
// any other.
func (w *Workspace) Session(uri string) *Session {
	w.guard()
	return w.sessions[uri]
}

// Sessions are the URIs of the sessions that are followed, or of which comments
// are known, in order.
func (w *Workspace) Sessions() []string {
	w.guard()
	out := make([]string, 0, len(w.sessions))
	for uri := range w.sessions {
		out = append(out, uri)
	}
	slices.Sort(out)
	return out
}

func (w *Workspace) session(uri string) *Session {
	ses := w.sessions[uri]
	if ses == nil {
		ses = &Session{uri: uri, threads: map[string]*File{}, stored: newStoredAnchors()}
		w.sessions[uri] = ses
		if w.editor.remember {
			w.want(ReadAnchors{uri})
		} else {
			ses.stored.loaded = true
		}
		w.want(WaitForTurns{ses})
	}
	return ses
}

func (w *Workspace) sessionChanged(ch remote.SessionChanged) {
	if ch.View == nil {
		delete(w.sessions, ch.Session)
		return
	}
	ses := w.session(ch.Session)
	if ses.view == nil && w.editor.remember {
		w.want(ReadKept{keptScope(ch.Session)})
	}
	wasBusy := ses.Busy()
	wasKnown := ses.view != nil && ses.view.ChatKnown
	ses.view = ch.View
	if ch.View.ChatKnown && !wasKnown {
		w.anchorSession(ses)
	}
	if wasBusy && !ses.Busy() {
		// The agent has just written files: look at those that matter.
		for _, f := range ses.threads {
			w.readDisk(f)
		}
	}
}

// TurnsOverdue says that the host has not told in time which turns a session has.
type TurnsOverdue struct{ Session *Session }

func (e TurnsOverdue) apply(w *Workspace) {
	if ses := e.Session; ses.view == nil || !ses.view.ChatKnown {
		ses.overdue = true
		w.anchorSession(ses)
	}
}

// SessionsOf are the followed sessions that work where a file is, newest first.
// uri is canonical.
func (w *Workspace) SessionsOf(uri string) (out []string) {
	w.guard()
	for session, ses := range w.sessions {
		if ses.view == nil || ses.view.State == nil {
			continue
		}
		for _, dir := range ses.view.State.Directories() {
			if InsideURI(uri, w.ToLocal(dir)) {
				out = append(out, session)
				break
			}
		}
	}
	place := map[string]int{}
	for i, info := range w.remote.listed {
		place[info.URI] = i + 1
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := place[a] - place[b]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}

// SessionFor is the session that a new comment in a file belongs to: the one that
// is wanted, or the newest that works there. The error says what to do.
func (w *Workspace) SessionFor(f *File, wanted string) (string, error) {
	if wanted != "" {
		if ses := w.sessions[wanted]; ses == nil || ses.view == nil {
			return "", errNotFollowed(wanted)
		}
		return wanted, nil
	}
	if list := w.SessionsOf(f.uri); len(list) > 0 {
		return list[0], nil
	}
	return "", fmt.Errorf("no agent session works on %s; start one there, or choose one with the command ahp.session.select", BaseName(f.uri))
}

// BaseName is a file's name out of its URI.
func BaseName(uri string) string {
	if p, ok := ahp.FilePath(uri); ok {
		return path.Base(p)
	}
	return path.Base(uri)
}
