package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/workspace"
)

// following is the host that is followed. It belongs to the loop.
type following struct {
	client     *bridge.Client // nil until started
	count      int            // of hosts; changes of earlier ones are ignored
	stop       context.CancelFunc
	baseline   string                   // what the user chose to see hunks from, "" for the agent's own
	toldSearch bool                     // "no host found" has been said
	lastHost   string                   // that was connected, without its token
	openRoots  atomic.Pointer[[]string] // roots(), for those outside the loop; not the loop's alone
	turnReads  chan struct{}            // limits concurrent reads of what turns left
	unsent     map[string]bool          // sessions for which it was looked what waits to be sent
}

// startHost starts following a host with the settings in force, instead of the
// one followed before.
func (s *Server) startHost() {
	s.tellUnsent(s.stopHost())
	count, set := s.host.count, s.settings.inForce
	ctx, cancel := context.WithCancel(s.ctx)
	s.shareRoots()
	hosts := set.Hosts(s.cfg.Discover, func() []string { return *s.host.openRoots.Load() })
	host := bridge.New(bridge.Config{
		Hosts: func() []bridge.Host {
			list := hosts()
			if len(list) == 0 {
				s.loop.post(func() {
					if s.host.count == count {
						s.tellSearch()
						s.apply(workspace.HostMissing{})
					}
				})
			}
			return list
		},
		Session: set.Session, Roots: s.roots(), PathMap: set.PathMap,
		Changesets: set.Changesets, Baseline: s.host.baseline, MaxSessions: set.MaxSessions, ReadLimit: set.ReadLimit,
		Info: ahp.Implementation{Name: "ahp-lsp", Version: s.cfg.Version},
		Log:  s.cfg.Log, Dial: s.cfg.Dial,
		OnChange: func(ch bridge.Change) {
			s.loop.post(func() {
				if s.host.count == count {
					s.hostChanged(ch)
				}
			})
		},
	})
	s.host.client, s.host.stop, s.host.unsent = host, cancel, map[string]bool{}
	s.apply(workspace.HostStarted{Paths: host})
	s.atEnd(func() { _ = host.Run(ctx) }) // ends with its context only
}

// stopHost lets go of the host and of everything that came from it. It returns
// what the host was not told.
func (s *Server) stopHost() (unsent []unsentAction) {
	s.host.count++
	if s.host.stop == nil {
		return nil
	}
	left := s.host.client.Unsent()
	s.host.stop()
	s.host.client, s.host.stop, s.host.unsent = nil, nil, nil
	s.apply(workspace.HostStopped{})
	for _, a := range left { // nowhere else any more
		unsent = append(unsent, unsentAction{a, s.view().TakenBack("the agent host was not told of", a)})
	}
	return unsent
}

// roots are the folders sessions are matched with. Without a folder, as Helix
// opens files outside a repository, those of the open files.
func (s *Server) roots() []string {
	if folders := s.ws.Folders(); len(folders) > 0 {
		return folders
	}
	var out []string
	for f := range s.ws.Files() {
		if f.Doc() != nil && !s.scratch.has(f.URI()) {
			out = append(out, parentURI(f.URI()))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func parentURI(uri string) string {
	if p, ok := ahp.FilePath(uri); ok {
		return ahp.FileURI(path.Dir(p))
	}
	return uri
}

func (s *Server) rootsChanged() {
	s.shareRoots()
	if s.host.client != nil {
		s.host.client.SetRoots(s.roots())
	}
}

// shareRoots tells those outside the loop which folders are open.
func (s *Server) shareRoots() {
	roots := slices.Clone(s.roots())
	s.host.openRoots.Store(&roots)
}

// hostChanged takes one change of the host's.
func (s *Server) hostChanged(ch remote.Change) {
	if ch, ok := ch.(remote.Rejected); ok {
		// What the user wrote is told too: it is nowhere else any more.
		defer s.editor.tell(remote.NoticeError, s.view().TakenBack("the host refused", ch))
	}
	s.apply(workspace.HostChanged{Change: ch})
	switch ch := ch.(type) {
	case remote.ConnectionChanged:
		s.connectionChanged(ch.Connection)
	case remote.OutageChanged:
		s.outageChanged(ch.Outage)
	case remote.AnnotationsLost:
		s.annotationsLost(ch)
	case remote.SessionChanged:
		if ch.View == nil {
			delete(s.host.unsent, ch.Session)
		} else {
			s.sendUnsent(ch.Session)
		}
	case remote.AnnotationsChanged:
		s.sendUnsent(ch.Session)
	case remote.ChangesetChanged:
		if s.ws.Settings().Notifications {
			s.editor.notify("ahp/changesetsChanged", struct{}{})
		}
	case remote.Notice:
		s.editor.tell(ch.Severity, ch.Text)
	}
}

// connectionChanged logs how the connection is; the user hears of outages.
func (s *Server) connectionChanged(c remote.Connection) {
	switch {
	case c.State == remote.Connected:
		s.host.lastHost = c.Host
		s.editor.logMessage(remote.NoticeInfo, fmt.Sprintf("connected to %s (Agent Host Protocol %s)", c.Host, c.Version))
	case c.State == remote.Disconnected && c.Err != nil:
		s.editor.logMessage(remote.NoticeWarning, fmt.Sprintf("%v; trying again", c.Err))
	}
}

// outageChanged tells the user that there has been no host for some seconds, and
// that there is one again.
func (s *Server) outageChanged(o remote.Outage) {
	switch {
	case o.Over:
		s.editor.tell(remote.NoticeInfo, "connected to "+o.Host)
	case o.Err != nil && !errors.Is(o.Err, remote.ErrDisconnected):
		s.editor.tell(remote.NoticeWarning, fmt.Sprintf("%v; trying again", o.Err))
	case s.host.lastHost != "": // gone, or not even to be found
		s.editor.tell(remote.NoticeWarning, fmt.Sprintf("the connection to %s was lost; trying again", s.host.lastHost))
	}
}

// annotationsLost says that a host which was started again lacks comments that it
// had, and offers to send them again.
func (s *Server) annotationsLost(lost remote.AnnotationsLost) {
	client, n := s.host.client, len(lost.Annotations)
	if n == 0 {
		return
	}
	message := fmt.Sprintf("the host lost %d comments when it was started again", n)
	if n == 1 {
		message = "the host lost a comment when it was started again"
	}
	const again = "Send again"
	s.loop.begin(s.ctx, func(ctx context.Context) {
		answer := ""
		var err error
		if s.editor.client.Asks() {
			outside(ctx, func() { answer, err = s.editor.choose(ctx, remote.NoticeWarning, message, again, "Not now") })
		} else {
			s.editor.tell(remote.NoticeWarning, message)
		}
		if answer == again && s.host.client == client {
			_, err = client.RestoreLost(lost.Session)
		}
		if err != nil {
			s.editor.tell(remote.NoticeError, fmt.Sprintf("the comments were not sent again: %v", err))
		}
	}, func() {})
}

// onlyTexts reports whether nothing is open but texts that a server of another
// folder has asked its user for, or nothing at all: an editor may start one more
// server for such a file, which has no host to look for.
func (s *Server) onlyTexts() bool {
	if len(s.ws.Folders()) > 0 {
		return false
	}
	texts := strings.TrimSuffix(ahp.FileURI(filepath.ToSlash(os.TempDir())), "/") + "/" + scratchPrefix
	for f := range s.ws.Files() {
		if f.Doc() != nil && !strings.HasPrefix(f.URI(), texts) {
			return false
		}
	}
	return true
}

// tellSearch says, once, that there is no host yet. One line of a narrow terminal:
// a longer message stops the user.
func (s *Server) tellSearch() {
	if s.host.toldSearch || s.onlyTexts() {
		return
	}
	s.host.toldSearch = true
	s.editor.tell(remote.NoticeInfo, "no agent host found; \"ahp-lsp doctor\" says what to do")
}
