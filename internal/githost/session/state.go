package session

import (
	"fmt"
	"slices"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// Names are what the session and its channels are called; they never change.
type Names struct {
	Session, Chat, Annotations string // the channels' URIs
	Root                       string // the work tree's folder, as a URI
	Dir                        string // and as a path
}

// State is the session as it is now. The Host's mutex guards it.
type State struct {
	names    Names
	created  time.Time
	modified time.Time

	git     gitrepo.State
	notices []string

	kept      *Kept
	turns     []Turn // oldest first
	patchsets []*Patchset
	undo      *gitrepo.UndoRecord // the newest; nil: nothing can be undone
	guess     *Guesser            // nil: turns are not guessed
	open      map[string]*Changeset
	runs      runs
	out       []Event // not taken yet
}

// Event is something to tell clients: an action on a channel, or a notification.
type Event struct {
	Envelope ahp.Envelope // without a serverSeq

	// Method, if not empty, is a notification's on the root channel, and Params
	// its params without the channel.
	Method string
	Params map[string]any
}

// New is a session without turns and annotations, of a work tree that stands at
// git.
func New(names Names, git gitrepo.State, now time.Time) *State {
	return &State{
		names: names, git: git, created: now, modified: now,
		kept: newKept(), open: map[string]*Changeset{}, runs: newRuns(),
	}
}

// Take returns what has happened since it was called last, in order.
func (s *State) Take() []Event {
	out := s.out
	s.out = nil
	return out
}

// Guess is the guesser, nil where turns are not guessed.
func (s *State) Guess() *Guesser { return s.guess }

// SetGuess has turns guessed.
func (s *State) SetGuess(g *Guesser) { s.guess = g }

// Kept is what the journal keeps of the session.
func (s *State) Kept() *Kept { return s.kept }

// Git is where the work tree stands.
func (s *State) Git() gitrepo.State { return s.git }

// Notices are what the user has to know, a sentence each.
func (s *State) Notices() []string { return s.notices }

// action builds an action of the host's own.
func action(kind string, m map[string]any) ahp.Action {
	m["type"] = kind
	raw, err := ahp.Marshal(m)
	if err != nil {
		// Made of strings, numbers and JSON that has been checked.
		panic("session: " + kind + ": " + err.Error())
	}
	return ahp.Action{Type: kind, Raw: raw}
}

// publish tells an action that has been applied to the state.
func (s *State) publish(channel string, a ahp.Action) {
	s.echo(ahp.Envelope{Channel: channel, Action: a})
}

func (s *State) echo(e ahp.Envelope) { s.out = append(s.out, Event{Envelope: e}) }

// SetGit takes where the work tree stands and tells what that changes of the
// session. It reports whether HEAD is on another branch, and whether it, or what
// the branch is compared with, is another commit.
func (s *State) SetGit(git gitrepo.State) (branch, head bool) {
	oldTitle, oldMeta := s.title(), s.meta()
	branch = s.git.Branch != git.Branch || s.git.Detached != git.Detached
	head = branch || s.git.Head != git.Head || s.git.Upstream != git.Upstream || s.git.DefaultBranch != git.DefaultBranch
	s.git = git
	s.changedSummary(oldTitle, oldMeta)
	if head && s.guess != nil {
		s.guess.HeadMoved(time.Now())
	}
	return branch, head
}

// AddNotices adds what the user has to know, before any client is there.
func (s *State) AddNotices(notices ...string) { s.notices = append(s.notices, notices...) }

// SetUndo takes the newest operation that can be undone, nil if none can.
func (s *State) SetUndo(undo *gitrepo.UndoRecord) { s.undo = undo }

// Notify tells the user something through the session's _meta, once.
func (s *State) Notify(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if slices.Contains(s.notices, text) {
		return
	}
	s.notices = append(s.notices, text)
	meta := s.meta()
	s.publish(s.names.Session, action(ahp.TypeSessionMetaChanged, map[string]any{"_meta": meta}))
	s.summaryChanged(map[string]any{"_meta": meta})
}
