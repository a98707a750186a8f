package githost

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// guessing drives a guesser by a clock of its own.
type guessing struct {
	t   *testing.T
	g   *guesser
	now time.Time
}

func newGuessing(t *testing.T) *guessing {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &guessing{t, newGuesser(now), now}
	s.after(renewAfter, guessRenew)
	s.g.renewed("base", "tree0")
	s.rests()
	return s
}

// after lets time go by; nothing happens before its end, and then what is
// wanted.
func (s *guessing) after(d time.Duration, want guessAction) {
	s.t.Helper()
	if d > 0 {
		do, _ := s.g.next(s.now.Add(d-1), false)
		require.Equal(s.t, guessNothing, do, "too early")
	}
	s.now = s.now.Add(d)
	do, _ := s.g.next(s.now, false)
	require.Equal(s.t, want, do)
}

// rests checks that there is nothing to wait for: an idle host has no timer.
func (s *guessing) rests() {
	s.t.Helper()
	do, at := s.g.next(s.now, false)
	require.Equal(s.t, guessNothing, do)
	require.True(s.t, at.IsZero())
}

func TestGuessedTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.wrote(s.now, []string{"src/a.go"})
	s.after(guessAfter/2, guessNothing)
	s.g.wrote(s.now, []string{"src/b.go", "c.go"})
	s.after(guessAfter-guessAfter/2, guessBegin)
	require.Equal(t, "Guessed turn: c.go and 2 more files", s.g.title())
	s.g.begun(s.now, true)
	require.Equal(t, "base", s.g.turn)
	s.after(guessQuiet-1, guessNothing)
	s.g.wrote(s.now, []string{"d.go"})
	s.after(guessQuiet, guessEnd)
	require.Equal(t, "Guessed turn: c.go and 3 more files", s.g.title())
	s.g.ended(s.now)
	s.after(renewAfter, guessRenew)
	s.g.renewed("next", "tree1")
	s.rests()
}

func TestEditorsWritesAreNoTurn(t *testing.T) {
	s := newGuessing(t)
	// The word comes after the write, or before it.
	s.g.wrote(s.now, []string{"a"})
	s.now = s.now.Add(guessAfter / 2)
	s.g.claimed(s.now, []string{"a"})
	s.after(renewAfter, guessRenew)
	s.g.renewed("b1", "t1")
	s.g.claimed(s.now, []string{"a"})
	s.now = s.now.Add(claimWindow)
	s.g.wrote(s.now, []string{"a"})
	s.after(renewAfter, guessRenew)
	s.g.renewed("b2", "t2")
	// It is too old to explain anything.
	s.now = s.now.Add(claimWindow + 1)
	s.g.wrote(s.now, []string{"a"})
	s.after(guessAfter, guessBegin)
	// The editor's part of a burst does not make it go on.
	s.g.begun(s.now, true)
	s.now = s.now.Add(guessQuiet - 1)
	s.g.claimed(s.now, []string{"mine"})
	s.g.wrote(s.now, []string{"mine"})
	s.after(1, guessEnd)
}

// A save in the middle of an agent's turn is none of its writes, whichever comes
// first.
func TestSavesDuringATurn(t *testing.T) {
	s := newGuessing(t)
	s.g.wrote(s.now, []string{"agents"})
	s.after(guessAfter, guessBegin)
	s.g.begun(s.now, true)
	s.now = s.now.Add(guessQuiet - guessAfter - 2)
	s.g.wrote(s.now, []string{"mine"})
	s.now = s.now.Add(1)
	s.g.claimed(s.now, []string{"mine"})
	s.after(1, guessEnd)
	require.Equal(t, "Guessed turn: agents", s.g.title())
	// The word comes too late to be about that write.
	s.g.wrote(s.now, []string{"other"})
	s.now = s.now.Add(claimWindow + 1)
	s.g.claimed(s.now, []string{"other"})
	s.after(guessQuiet-claimWindow-1, guessEnd)
	require.Equal(t, "Guessed turn: agents and other", s.g.title())
}

func TestGitCommandsAreNoTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.wrote(s.now, []string{"a", "b"})
	s.g.moved(s.now)
	s.after(renewAfter, guessRenew)
}

func TestWritesThatChangeNothingAreNoTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.wrote(s.now, []string{"a"})
	s.after(guessAfter, guessBegin)
	s.g.begun(s.now, false)
	s.rests()
}

func TestAnnouncedTurnsAreNotGuessed(t *testing.T) {
	s := newGuessing(t)
	s.g.wrote(s.now, []string{"a"})
	do, at := s.g.next(s.now.Add(guessAfter), true)
	require.Equal(t, guessNothing, do)
	require.True(t, at.IsZero())
	// A guessed one gives way.
	s = newGuessing(t)
	s.g.wrote(s.now, []string{"a"})
	s.after(guessAfter, guessBegin)
	s.g.begun(s.now, true)
	do, _ = s.g.next(s.now, true)
	require.Equal(t, guessEnd, do)
}

func TestWithoutABaseThereIsNoTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.renewed("", "") // it failed
	s.g.wrote(s.now, []string{"a"})
	s.after(guessAfter, guessRenew)
}
