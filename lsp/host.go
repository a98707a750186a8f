package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
)

// session is a followed session with its annotations.
type session struct {
	view    *bridge.SessionView
	threads map[string]*file // annotation id → the file it is in
	order   int
	// hurry: the host has not said in time which turns there are; comments are
	// anchored without.
	hurry bool
	store *anchorStore // what its comments are about, from earlier runs

	unsent bool // what an earlier server has not sent is looked for, or was
}

// startHost starts following a host with the settings in force, instead of the
// one followed before.
func (s *Server) startHost() {
	s.stopHost()
	gen := s.hostGen
	set := s.settings
	ctx, cancel := context.WithCancel(s.ctx)
	s.shareRoots()
	hosts := set.Hosts(s.cfg.Discover, func() []string { return *s.openRoots.Load() })
	host := bridge.New(bridge.Config{
		Hosts: func() []bridge.Host {
			list := hosts()
			if len(list) == 0 {
				s.loop.post(func() {
					if s.hostGen == gen {
						s.tellSearch()
						s.hostMissing()
					}
				})
			}
			return list
		},
		Session: set.Session, Roots: s.roots(), PathMap: set.PathMap,
		Changesets: set.Changesets, Baseline: s.baseline, MaxSessions: set.MaxSessions, ReadLimit: set.ReadLimit,
		Info: ahp.Implementation{Name: "ahp-lsp", Version: s.cfg.Version},
		Log:  s.log, Dial: s.cfg.Dial,
		OnChange: func(ch bridge.Change) {
			s.loop.post(func() {
				if s.hostGen == gen {
					s.hostChanged(ch)
				}
			})
		},
	})
	s.host, s.hostStop, s.loading = host, cancel, loadingHost
	s.work.Go(func() { s.guarded(func() { _ = host.Run(ctx) }) }) // ends with its context only
}

// stopHost lets go of the host and of everything that came from it.
func (s *Server) stopHost() {
	s.hostGen++
	if s.hostStop == nil {
		return
	}
	unsent := s.host.Unsent()
	s.hostStop()
	s.host, s.hostStop = nil, nil
	for _, cs := range s.changesets {
		for _, c := range cs.files {
			s.dropChange(c)
		}
	}
	clear(s.changesets)
	for _, f := range s.files {
		if len(f.threads) > 0 {
			clear(f.threads)
			s.touch(f)
		}
	}
	clear(s.sessions)
	s.unsolved = 0
	clear(s.renames)
	clear(s.away)
	s.listed = nil
	s.connection, s.loading = bridge.Connection{}, loadedAll
	s.statusNew = true
	for _, a := range unsent {
		message := s.takenBack("the agent host was not told of", a)
		if s.phase == phaseShutdown {
			if s.keepUnsent(a) {
				message += "\nIt is sent when the session is followed again."
			}
			s.log.Warningf("%s", message) // there is nobody to tell any more
		} else {
			s.tell(bridge.NoticeError, message)
		}
	}
}

// roots are the folders sessions are matched with. Without a folder, as Helix
// opens files outside a repository, those of the open files.
func (s *Server) roots() []string {
	if len(s.folders) > 0 {
		return s.folders
	}
	var out []string
	for _, f := range s.files {
		if f.doc != nil && s.scratch[f.uri] == nil && (s.dir == "" || !insideURI(f.uri, ahp.FileURI(filepath.ToSlash(s.dir)))) {
			out = append(out, parentURI(f.uri))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *Server) rootsChanged() {
	s.shareRoots()
	if s.host != nil {
		s.host.SetRoots(s.roots())
	}
}

// shareRoots tells those outside the loop which folders are open.
func (s *Server) shareRoots() {
	roots := slices.Clone(s.roots())
	s.openRoots.Store(&roots)
}

// hostChanged takes one change of the host's.
func (s *Server) hostChanged(ch bridge.Change) {
	switch ch := ch.(type) {
	case bridge.ConnectionChanged:
		s.statusNew = true
		s.connectionChanged(ch.Connection)
	case bridge.CaughtUp:
		s.loading = loadingFiles
	case bridge.SessionsChanged:
		s.statusNew = true
		s.listed = ch.Sessions
	case bridge.SessionChanged:
		s.statusNew = true
		s.sessionChanged(ch)
	case bridge.AnnotationsChanged:
		unsolved := s.unsolved
		for _, a := range ch.Changed {
			s.annotationChanged(ch.Session, a, ch.Live, ch.Gone)
		}
		s.statusNew = s.statusNew || s.unsolved != unsolved
		s.sendUnsent(ch.Session, s.session(ch.Session))
	case bridge.ChangesetChanged:
		s.changesetChanged(ch)
	case bridge.Rejected:
		s.rejected(ch)
	case bridge.Notice:
		s.tell(ch.Severity, ch.Text)
	}
}

// rejected tells that an action was taken back. What the user wrote is told
// too: it is nowhere else any more.
func (s *Server) rejected(ch bridge.Rejected) {
	s.movedBack(ch)
	s.tell(bridge.NoticeError, s.takenBack("the host refused", ch))
}

// takenBack says what became of an action, with the user's text.
func (s *Server) takenBack(what string, ch bridge.Rejected) string {
	message := fmt.Sprintf("%s %s: %s", what, describeAction(ch.Action.Type), ch.Reason)
	var a struct {
		Annotation struct {
			ID      string      `json:"id"`
			Entries []ahp.Entry `json:"entries"`
		} `json:"annotation"`
		Entry ahp.Entry `json:"entry"`
	}
	_ = json.Unmarshal(ch.Action.Raw, &a) // made here
	text := a.Entry.Text.Value
	ses := s.sessions[strings.TrimSuffix(ch.Channel, "/annotations")]
	if n := len(a.Annotation.Entries); n > 0 && (ses == nil || ses.threads[a.Annotation.ID] == nil) {
		text = a.Annotation.Entries[n-1].Text.Value
	}
	if text != "" {
		message += "\nYour text was: " + text
	}
	return message
}

func describeAction(kind string) string {
	switch kind {
	case ahp.TypeAnnotationsSet:
		return "the comment"
	case ahp.TypeAnnotationsUpdated:
		return "the change of the comment's state"
	case ahp.TypeAnnotationsRemoved:
		return "the deletion of the comment"
	case ahp.TypeAnnotationsEntrySet:
		return "the reply"
	case ahp.TypeChangesetFilesReviewChanged, ahp.TypeChangesetFilesReviewedChanged:
		return "the reviewed flag"
	}
	return kind
}

// connectionChanged tells the user what is theirs to act on: once that there is
// no host, and each new reason why one cannot be reached.
func (s *Server) connectionChanged(c bridge.Connection) {
	old := s.connection
	s.connection, s.loading = c, loadedAll
	if c.State == bridge.Connecting || c.State == bridge.Connected {
		s.loading = loadingHost
	}
	switch c.State {
	case bridge.Connected:
		text := fmt.Sprintf("connected to %s (Agent Host Protocol %s)", c.Host, c.Version)
		if old.State == bridge.Disconnected && old.Err != nil {
			s.tell(bridge.NoticeInfo, text)
		} else {
			s.logMessage(bridge.NoticeInfo, text)
		}
		s.retryChanges()
	case bridge.Disconnected:
		if c.Err != nil && (old.Err == nil || old.Err.Error() != c.Err.Error()) {
			s.tell(bridge.NoticeWarning, fmt.Sprintf("%v; trying again", c.Err))
		}
	}
}

// onlyTexts reports whether nothing is open but texts that a server of another
// folder has asked its user for, or nothing at all: an editor may start one more
// server for such a file, which has no host to look for.
func (s *Server) onlyTexts() bool {
	if len(s.folders) > 0 {
		return false
	}
	texts := strings.TrimSuffix(ahp.FileURI(filepath.ToSlash(os.TempDir())), "/") + "/" + scratchPrefix
	for _, f := range s.files {
		if f.doc != nil && !strings.HasPrefix(f.uri, texts) {
			return false
		}
	}
	return true
}

// tellSearch says, once, that there is no host yet. One line of a narrow terminal:
// a longer message stops the user.
func (s *Server) tellSearch() {
	if s.toldSearch || s.onlyTexts() {
		return
	}
	s.toldSearch = true
	s.tell(bridge.NoticeInfo, "no agent host found; \"ahp-lsp doctor\" says what to do")
}

func (s *Server) sessionChanged(ch bridge.SessionChanged) {
	if ch.View == nil {
		delete(s.sessions, ch.Session)
		return
	}
	ses := s.session(ch.Session)
	if ses.view == nil {
		s.loadKept(ch.Session)
	}
	s.sendUnsent(ch.Session, ses)
	wasBusy := ses.view != nil && ses.view.Chat.Active != nil
	wasKnown := ses.view != nil && ses.view.ChatKnown
	ses.view = ch.View
	if ch.View.ChatKnown && !wasKnown {
		s.anchorSession(ses)
	}
	if wasBusy && ch.View.Chat.Active == nil {
		// The agent has just written files: look at those that matter.
		for _, f := range ses.threads {
			s.readDisk(f)
		}
	}
}

func (s *Server) session(uri string) *session {
	ses := s.sessions[uri]
	if ses == nil {
		ses = &session{threads: map[string]*file{}, order: len(s.sessions)}
		s.sessions[uri] = ses
		s.loadAnchors(ses, uri)
		time.AfterFunc(turnPatience, func() {
			s.loop.post(func() {
				if ses.view == nil || !ses.view.ChatKnown {
					ses.hurry = true
					s.anchorSession(ses)
				}
			})
		})
	}
	return ses
}

// annotationChanged takes one annotation's new value. Its anchor is kept while
// the host says the same place: what it is about does not change by a reply. gone:
// it is out of reach, not deleted, and may come back.
func (s *Server) annotationChanged(uri string, ch bridge.AnnotationChange, live, gone bool) {
	ses := s.session(uri)
	if ch.New == nil {
		if ch.Old == nil {
			return
		}
		key := threadKey{uri, ch.Old.ID}
		if f := ses.threads[key.id]; f != nil {
			s.unsolved -= countUnsolved(f.threads[key])
			delete(f.threads, key)
			delete(ses.threads, key.id)
			delete(s.ownAnchors, key)
			s.forgetAdrift(key)
			if !gone {
				ses.store.forget(key.id)
			}
			s.touch(f)
		}
		return
	}
	a := ch.New
	key := threadKey{uri, a.ID}
	f := s.home(s.host.ToLocal(a.Resource), key)
	var old *thread
	if was := ses.threads[key.id]; was != nil {
		old = was.threads[key]
		if was != f {
			delete(was.threads, key)
			s.touch(was)
		}
	}
	s.seen++
	t := &thread{key: key, annotation: a, order: s.seen, seenMade: live && ch.Old == nil}
	if old != nil {
		t.order, t.former = old.order, old.former
	}
	if old != nil && ses.threads[key.id] == f && sameRange(old.annotation.Range, a.Range) {
		t.anchor, t.placed, t.placedIn = old.anchor, old.placed, old.placedIn
		t.seenMade, t.noTurnText = old.seenMade, old.noTurnText
	}
	ses.threads[key.id] = f
	f.threads[key] = t
	s.unsolved += countUnsolved(t) - countUnsolved(old)
	s.takeOwn(t, old)
	if t.anchor == nil {
		s.readDisk(f)
	}
	s.touch(f)
}

func countUnsolved(t *thread) int {
	if t == nil || t.annotation.Resolved {
		return 0
	}
	return 1
}

func sameRange(a, b *ahp.Range) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
