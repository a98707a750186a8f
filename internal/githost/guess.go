package githost

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"time"
)

// Times of guessing.
const (
	// claimWindow is how far apart a write and the word that an editor made it
	// may be.
	claimWindow = 2 * time.Second
	// guessAfter is how long a write waits for somebody to claim it.
	guessAfter = 700 * time.Millisecond
	// guessQuiet without a write ends a guessed turn: agents think in between.
	guessQuiet = 20 * time.Second
	// renewAfter is how long the work tree must be quiet before it is recorded
	// as what the next guessed turn starts from.
	renewAfter = time.Second
)

// guesser decides when a turn that nobody announced begins and ends. A burst of
// writes that no editor claims (see noteSaved), and no operation or git command
// explains, is taken for an agent's turn. It only decides; times and events are
// given to it, and what it asks for is carried out by the Host.
//
// The tree before a burst cannot be recorded when the burst is noticed: so it is
// recorded in advance, whenever the work tree has come to rest after something
// else.
type guesser struct {
	base     string // id under which the tree before the next turn is recorded; "" none
	baseTree string
	stale    bool // base is not what is on disk
	settling time.Time

	pending map[string]time.Time // when it was written last; claimed by nobody
	first   time.Time            // of the pending writes

	wait   time.Duration        // guessAfter
	claims map[string]time.Time // path to when somebody said: that was me

	turn  string // id of the guessed turn that runs, "" if none does
	last  time.Time
	paths map[string]time.Time // written in this turn, and when last
}

func newGuesser(now time.Time) *guesser {
	return &guesser{stale: true, settling: now, wait: guessAfter, pending: map[string]time.Time{}, claims: map[string]time.Time{}, paths: map[string]time.Time{}}
}

// guessAction is what has to be done now.
type guessAction int

const (
	guessNothing guessAction = iota
	guessRenew               // record the tree before the next turn
	guessBegin               // a burst is going on
	guessEnd                 // it is over
)

// wrote takes writes on disk.
func (g *guesser) wrote(now time.Time, paths []string) {
	for _, p := range paths {
		if at, ok := g.claims[p]; ok && now.Sub(at) <= claimWindow {
			g.spoil(now)
			continue
		}
		if g.turn != "" {
			g.last, g.paths[p] = now, now
			continue
		}
		if len(g.pending) == 0 {
			g.first = now
		}
		g.pending[p] = now
	}
}

// claimed takes the word that somebody who is no agent wrote files, or is about
// to.
func (g *guesser) claimed(now time.Time, paths []string) {
	maps.DeleteFunc(g.claims, func(_ string, at time.Time) bool { return now.Sub(at) > claimWindow })
	for _, p := range paths {
		g.claims[p] = now
		if _, ok := g.pending[p]; ok {
			delete(g.pending, p)
			g.spoil(now)
		}
		if at, ok := g.paths[p]; ok && now.Sub(at) <= claimWindow {
			// The turn goes on from its own last write.
			delete(g.paths, p)
			if len(g.paths) > 0 {
				g.last = slices.MaxFunc(slices.Collect(maps.Values(g.paths)), time.Time.Compare)
			}
		}
	}
}

// moved takes that HEAD is another commit: a git command explains the writes.
func (g *guesser) moved(now time.Time) {
	clear(g.pending)
	g.spoil(now)
}

func (g *guesser) spoil(now time.Time) { g.stale, g.settling = true, now }

// next tells what to do, or else when to ask again (zero: when something
// happens). announced: a turn runs that somebody announced.
func (g *guesser) next(now time.Time, announced bool) (guessAction, time.Time) {
	switch {
	case announced:
		clear(g.pending)
		g.spoil(now)
		if g.turn != "" {
			return guessEnd, time.Time{}
		}
		return guessNothing, time.Time{}
	case g.turn != "":
		if at := g.last.Add(guessQuiet); now.Before(at) {
			return guessNothing, at
		}
		return guessEnd, time.Time{}
	case len(g.pending) > 0:
		if at := g.first.Add(g.wait); now.Before(at) {
			return guessNothing, at
		}
		if g.base == "" {
			clear(g.pending) // what was there before is not known
			return guessRenew, time.Time{}
		}
		return guessBegin, time.Time{}
	case g.stale:
		if at := g.settling.Add(renewAfter); now.Before(at) {
			return guessNothing, at
		}
		return guessRenew, time.Time{}
	}
	return guessNothing, time.Time{}
}

// renewed takes the outcome of guessRenew; id is "" if it failed.
func (g *guesser) renewed(id, tree string) { g.base, g.baseTree, g.stale = id, tree, false }

// begun takes the outcome of guessBegin: whether the tree is another one.
func (g *guesser) begun(now time.Time, changed bool) {
	if changed {
		g.turn, g.last, g.paths = g.base, now, maps.Clone(g.pending)
		g.base = ""
	}
	clear(g.pending)
}

// ended takes that guessEnd has been carried out.
func (g *guesser) ended(now time.Time) {
	g.turn = ""
	clear(g.paths)
	g.spoil(now)
}

// written is what was written in the turn that runs, or would begin.
func (g *guesser) written() map[string]time.Time {
	if g.turn != "" {
		return g.paths
	}
	return g.pending
}

// passed takes that files of what was written are gone without a trace, unless
// they were written again. They are a program's own while it saves another file:
// Helix, for one, keeps a copy until the file is written.
func (g *guesser) passed(written map[string]time.Time, gone []string) {
	now := g.written()
	for _, p := range gone {
		if at, ok := now[p]; ok && at.Equal(written[p]) {
			delete(now, p)
		}
	}
}

// title describes the turn that runs, or would begin.
func (g *guesser) title() string {
	names := slices.Sorted(maps.Keys(g.written()))
	switch len(names) {
	case 0:
		return "Guessed turn"
	case 1:
		return "Guessed turn: " + path.Base(names[0])
	case 2:
		return "Guessed turn: " + path.Base(names[0]) + " and " + path.Base(names[1])
	}
	return fmt.Sprintf("Guessed turn: %s and %d more files", path.Base(names[0]), len(names)-1)
}
