package session

import (
	"fmt"
	"slices"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// State is the session as it is now. The Host's mutex guards it.
type State struct {
	names    Names
	created  time.Time
	modified time.Time

	git      gitrepo.State
	programs gitrepo.Programs // what the repository itself would run
	notices  []string

	kept      *Kept
	turns     Turns
	proposals Proposals
	undo      *gitrepo.UndoRecord // the newest; nil: nothing can be undone
	guess     *Guesser            // nil: turns are not guessed
	open      Changesets
	runs      runs
	out       outbox
}

// New is a session without turns and annotations, of a work tree that stands at
// git.
func New(names Names, git gitrepo.State, now time.Time) *State {
	kept := newKept()
	return &State{
		names: names, git: git, created: now, modified: now,
		kept: kept, proposals: Proposals{decided: kept.decided}, open: Changesets{}, runs: newRuns(),
	}
}

// Take returns what has happened since it was called last, in order.
func (s *State) Take() []Event { return s.out.take() }

// Guess is the guesser, nil where turns are not guessed.
func (s *State) Guess() *Guesser { return s.guess }

// SetGuess has turns guessed.
func (s *State) SetGuess(g *Guesser) { s.guess = g }

// Kept is what the journal keeps of the session.
func (s *State) Kept() *Kept { return s.kept }

// Turns are the turns as they are now.
func (s *State) Turns() Turns { return s.turns }

// Proposals are the proposals as they are now.
func (s *State) Proposals() *Proposals { return &s.proposals }

// Changesets are those that somebody looks at.
func (s *State) Changesets() Changesets { return s.open }

// Git is where the work tree stands.
func (s *State) Git() gitrepo.State { return s.git }

// Notices are sentences for the user.
func (s *State) Notices() []string { return s.notices }

// SetGit takes where the work tree stands and publishes what that changes of the
// session. It reports whether HEAD is on another branch, and whether it, or what
// the branch is compared with, is another commit.
func (s *State) SetGit(git gitrepo.State) (branch, head bool) {
	oldTitle, oldMeta := titleOf(s.names, s.git), s.meta()
	branch = s.git.Branch != git.Branch || s.git.Detached != git.Detached
	head = branch || s.git.Head != git.Head || s.git.Upstream != git.Upstream || s.git.DefaultBranch != git.DefaultBranch
	s.git = git
	s.publishSummary(oldTitle, oldMeta)
	if head && s.guess != nil {
		s.guess.HeadMoved(time.Now())
	}
	return branch, head
}

// RestorePrograms takes the programs that the repository itself names, before any
// client is there.
func (s *State) RestorePrograms(p gitrepo.Programs) { s.programs = p }

// SetPrograms takes the programs that the repository itself names, and whether they
// are held back, and publishes what that changes of the session.
func (s *State) SetPrograms(p gitrepo.Programs) {
	oldTitle, oldMeta := titleOf(s.names, s.git), s.meta()
	s.programs = p
	s.publishSummary(oldTitle, oldMeta)
}

// AddNotices adds sentences for the user, before any client is there.
func (s *State) AddNotices(notices ...string) { s.notices = append(s.notices, notices...) }

// SetUndo takes the newest operation that can be undone, nil if none can.
func (s *State) SetUndo(undo *gitrepo.UndoRecord) { s.undo = undo }

// Notify shows the user something through the session's _meta, once.
func (s *State) Notify(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if slices.Contains(s.notices, text) {
		return
	}
	s.notices = append(s.notices, text)
	meta := s.meta()
	s.out.publish(s.names.Session, ahp.TypeSessionMetaChanged, map[string]any{"_meta": meta})
	s.summaryChanged(map[string]any{"_meta": meta})
}
