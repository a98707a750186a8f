package session

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"time"
)

// Times of guessing.
const (
	// ClaimWindow is how far apart a write and the word that an editor made it
	// may be.
	ClaimWindow = 2 * time.Second
	// GuessAfter is how long a write waits for somebody to claim it.
	GuessAfter = 700 * time.Millisecond
	// GuessQuiet without a write ends a guessed turn: agents think in between.
	GuessQuiet = 20 * time.Second
	// RenewAfter is how long the work tree must be quiet before it is recorded
	// as what the next guessed turn starts from.
	RenewAfter = time.Second
)

// Guesser decides when a turn that nobody announced begins and ends. A burst of
// writes that no editor claims (ahp-lsp/saved), and no operation or git command
// explains, is taken for an agent's turn. It only decides: the caller gives it
// times and events, and the Host does what it asks for.
//
// The tree before a burst cannot be recorded when the burst is noticed: so it is
// recorded in advance, whenever the work tree has come to rest after something
// else.
type Guesser struct {
	Wait  time.Duration // how long a write waits for somebody to claim it
	Quiet time.Duration // how long without a write ends a turn

	base     string // id under which the tree before the next turn is recorded; "" none
	baseTree string
	stale    bool // base is not what is on disk
	settling time.Time

	pending map[string]time.Time // when it was written last; claimed by nobody
	first   time.Time            // of the pending writes

	claims map[string]time.Time // path to when a program said that it wrote it

	turn  string // id of the guessed turn that runs, "" if none does
	last  time.Time
	paths map[string]time.Time // written in this turn, and when last
}

// NewGuesser has no tree recorded yet.
func NewGuesser(now time.Time) *Guesser {
	return &Guesser{Wait: GuessAfter, Quiet: GuessQuiet, stale: true, settling: now, pending: map[string]time.Time{}, claims: map[string]time.Time{}, paths: map[string]time.Time{}}
}

// GuessAction is what has to be done now.
type GuessAction int

// What a Guesser can ask for.
const (
	GuessNothing GuessAction = iota
	GuessRenew               // record the tree before the next turn
	GuessBegin               // a burst is going on
	GuessEnd                 // it is over
)

// Wrote is called after writes on disk.
func (g *Guesser) Wrote(now time.Time, paths []string) {
	for _, p := range paths {
		if at, ok := g.claims[p]; ok && now.Sub(at) <= ClaimWindow {
			g.invalidate(now)
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

// Claimed is called when a program that is no agent says that it wrote files, or is
// about to.
func (g *Guesser) Claimed(now time.Time, paths []string) {
	maps.DeleteFunc(g.claims, func(_ string, at time.Time) bool { return now.Sub(at) > ClaimWindow })
	for _, p := range paths {
		g.claims[p] = now
		if _, ok := g.pending[p]; ok {
			delete(g.pending, p)
			g.invalidate(now)
		}
		if at, ok := g.paths[p]; ok && now.Sub(at) <= ClaimWindow {
			// The turn goes on from its own last write.
			delete(g.paths, p)
			if len(g.paths) > 0 {
				g.last = slices.MaxFunc(slices.Collect(maps.Values(g.paths)), time.Time.Compare)
			}
		}
	}
}

// HeadMoved is called when HEAD is another commit: a git command explains the writes.
func (g *Guesser) HeadMoved(now time.Time) {
	clear(g.pending)
	g.invalidate(now)
}

func (g *Guesser) invalidate(now time.Time) { g.stale, g.settling = true, now }

// Next is what to do, or else when to ask again (zero: when something
// happens). announced: a turn runs that somebody announced.
func (g *Guesser) Next(now time.Time, announced bool) (GuessAction, time.Time) {
	switch {
	case announced:
		clear(g.pending)
		g.invalidate(now)
		if g.turn != "" {
			return GuessEnd, time.Time{}
		}
		return GuessNothing, time.Time{}
	case g.turn != "":
		if at := g.last.Add(g.Quiet); now.Before(at) {
			return GuessNothing, at
		}
		return GuessEnd, time.Time{}
	case len(g.pending) > 0:
		if at := g.first.Add(g.Wait); now.Before(at) {
			return GuessNothing, at
		}
		if g.base == "" {
			clear(g.pending) // what was there before is not known
			return GuessRenew, time.Time{}
		}
		return GuessBegin, time.Time{}
	case g.stale:
		if at := g.settling.Add(RenewAfter); now.Before(at) {
			return GuessNothing, at
		}
		return GuessRenew, time.Time{}
	}
	return GuessNothing, time.Time{}
}

// Plan is what an action is about.
type Plan struct {
	Base, BaseTree string // id and tree recorded before the next turn; "" none
	Turn           string // id of the guessed turn that runs; "" none
	First          time.Time
	Written        map[string]time.Time // path to when it was written last
}

// Plan is what the next action is about.
func (g *Guesser) Plan() Plan {
	return Plan{Base: g.base, BaseTree: g.baseTree, Turn: g.turn, First: g.first, Written: maps.Clone(g.written())}
}

// HasClaim reports whether somebody has said that writes of a file are theirs.
func (g *Guesser) HasClaim(path string) bool {
	_, ok := g.claims[path]
	return ok
}

// Empty reports whether there is nothing left that a turn could be about.
func (g *Guesser) Empty() bool { return len(g.written()) == 0 }

// Resting reports whether the tree before the next turn is recorded.
func (g *Guesser) Resting() bool { return g.base != "" && !g.stale }

// Renewed takes the outcome of GuessRenew; id is "" if it failed.
func (g *Guesser) Renewed(id, tree string) { g.base, g.baseTree, g.stale = id, tree, false }

// Begun takes the outcome of GuessBegin: whether the tree is another one.
func (g *Guesser) Begun(now time.Time, changed bool) {
	if changed {
		g.turn, g.last, g.paths = g.base, now, maps.Clone(g.pending)
		g.base = ""
	}
	clear(g.pending)
}

// Ended is called when GuessEnd has been carried out.
func (g *Guesser) Ended(now time.Time) {
	g.turn = ""
	clear(g.paths)
	g.invalidate(now)
}

// written is what was written in the turn that runs, or would begin.
func (g *Guesser) written() map[string]time.Time {
	if g.turn != "" {
		return g.paths
	}
	return g.pending
}

// Vanished is called when written files are gone without a trace; those that were
// written again stay. They are a program's own while it saves another file:
// Helix, for one, keeps a copy until the file is written.
func (g *Guesser) Vanished(written map[string]time.Time, gone []string) {
	now := g.written()
	for _, p := range gone {
		if at, ok := now[p]; ok && at.Equal(written[p]) {
			delete(now, p)
		}
	}
}

// Title describes the turn that runs, or would begin.
func (g *Guesser) Title() string {
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
