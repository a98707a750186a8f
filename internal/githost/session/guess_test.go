package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// guessing drives a Guesser by a clock of its own.
type guessing struct {
	t   *testing.T
	g   *Guesser
	now time.Time
}

func newGuessing(t *testing.T) *guessing {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &guessing{t, NewGuesser(now), now}
	s.after(RenewAfter, GuessRenew)
	s.g.Renewed("base", "tree0")
	s.rests()
	return s
}

// after lets time go by; nothing happens before its end, and then what is
// wanted.
func (s *guessing) after(d time.Duration, want GuessAction) {
	s.t.Helper()
	if d > 0 {
		do, _ := s.g.Next(s.now.Add(d-1), false)
		require.Equal(s.t, GuessNothing, do, "too early")
	}
	s.now = s.now.Add(d)
	do, _ := s.g.Next(s.now, false)
	require.Equal(s.t, want, do)
}

// rests checks that there is nothing to wait for: an idle host has no timer.
func (s *guessing) rests() {
	s.t.Helper()
	do, at := s.g.Next(s.now, false)
	require.Equal(s.t, GuessNothing, do)
	require.True(s.t, at.IsZero())
}

func TestGuessedTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.Wrote(s.now, []string{"src/a.go"})
	s.after(GuessAfter/2, GuessNothing)
	s.g.Wrote(s.now, []string{"src/b.go", "c.go"})
	s.after(GuessAfter-GuessAfter/2, GuessBegin)
	require.Equal(t, "Guessed turn: c.go and 2 more files", s.g.Title())
	s.g.Begun(s.now, true)
	require.Equal(t, "base", s.g.turn)
	s.after(GuessQuiet-1, GuessNothing)
	s.g.Wrote(s.now, []string{"d.go"})
	s.after(GuessQuiet, GuessEnd)
	require.Equal(t, "Guessed turn: c.go and 3 more files", s.g.Title())
	s.g.Ended(s.now)
	s.after(RenewAfter, GuessRenew)
	s.g.Renewed("next", "tree1")
	s.rests()
}

func TestEditorsWritesAreNoTurn(t *testing.T) {
	s := newGuessing(t)
	// The word comes after the write, or before it.
	s.g.Wrote(s.now, []string{"a"})
	s.now = s.now.Add(GuessAfter / 2)
	s.g.Claimed(s.now, []string{"a"})
	s.after(RenewAfter, GuessRenew)
	s.g.Renewed("b1", "t1")
	s.g.Claimed(s.now, []string{"a"})
	s.now = s.now.Add(ClaimWindow)
	s.g.Wrote(s.now, []string{"a"})
	s.after(RenewAfter, GuessRenew)
	s.g.Renewed("b2", "t2")
	// It is too old to explain anything.
	s.now = s.now.Add(ClaimWindow + 1)
	s.g.Wrote(s.now, []string{"a"})
	s.after(GuessAfter, GuessBegin)
	// The editor's part of a burst does not make it go on.
	s.g.Begun(s.now, true)
	s.now = s.now.Add(GuessQuiet - 1)
	s.g.Claimed(s.now, []string{"mine"})
	s.g.Wrote(s.now, []string{"mine"})
	s.after(1, GuessEnd)
}

// A save in the middle of an agent's turn is none of its writes, whichever comes
// first.
func TestSavesDuringATurn(t *testing.T) {
	s := newGuessing(t)
	s.g.Wrote(s.now, []string{"agents"})
	s.after(GuessAfter, GuessBegin)
	s.g.Begun(s.now, true)
	s.now = s.now.Add(GuessQuiet - GuessAfter - 2)
	s.g.Wrote(s.now, []string{"mine"})
	s.now = s.now.Add(1)
	s.g.Claimed(s.now, []string{"mine"})
	s.after(1, GuessEnd)
	require.Equal(t, "Guessed turn: agents", s.g.Title())
	// The word comes too late to be about that write.
	s.g.Wrote(s.now, []string{"other"})
	s.now = s.now.Add(ClaimWindow + 1)
	s.g.Claimed(s.now, []string{"other"})
	s.after(GuessQuiet-ClaimWindow-1, GuessEnd)
	require.Equal(t, "Guessed turn: agents and other", s.g.Title())
}

func TestGitCommandsAreNoTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.Wrote(s.now, []string{"a", "b"})
	s.g.HeadMoved(s.now)
	s.after(RenewAfter, GuessRenew)
}

func TestWritesThatChangeNothingAreNoTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.Wrote(s.now, []string{"a"})
	s.after(GuessAfter, GuessBegin)
	s.g.Begun(s.now, false)
	s.rests()
}

func TestAnnouncedTurnsAreNotGuessed(t *testing.T) {
	s := newGuessing(t)
	s.g.Wrote(s.now, []string{"a"})
	do, at := s.g.Next(s.now.Add(GuessAfter), true)
	require.Equal(t, GuessNothing, do)
	require.True(t, at.IsZero())
	// A guessed one gives way.
	s = newGuessing(t)
	s.g.Wrote(s.now, []string{"a"})
	s.after(GuessAfter, GuessBegin)
	s.g.Begun(s.now, true)
	do, _ = s.g.Next(s.now, true)
	require.Equal(t, GuessEnd, do)
}

func TestWithoutABaseThereIsNoTurn(t *testing.T) {
	s := newGuessing(t)
	s.g.Renewed("", "") // it failed
	s.g.Wrote(s.now, []string{"a"})
	s.after(GuessAfter, GuessRenew)
}
