package githost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ahp-lsp/internal/githost/gitrepo"
)

// noteSaved is a notification of this host's own, by which an editor says that
// it has written files, so that they are not taken for an agent's:
//
//	{"method": "ahp-lsp/saved", "params": {"channel": <session>, "resources": [<URI>…]}}
//
// The channel is the session's URI; no subscription is needed. Resources are file
// URIs, by whatever name the editor has opened the work tree; those outside of it
// are passed over. It may be sent before the write or after it, and should be at
// once: it excuses writes of these files from claimWindow before it to
// claimWindow after it, but a burst that nobody has claimed for guessAfter is
// taken for a turn by then. Other hosts ignore it, as they ignore every
// notification they do not know.
const noteSaved = "ahp-lsp/saved"

// saved takes a noteSaved; h.mu is held.
func (h *Host) saved(params json.RawMessage) {
	var p struct {
		Channel   string   `json:"channel"`
		Resources []string `json:"resources"`
	}
	if json.Unmarshal(params, &p) != nil || p.Channel != h.session || h.guess == nil {
		return
	}
	// Asked of the disk, where a symbolic link is in the way: not here.
	h.running.Go(func() {
		var paths []string
		for _, r := range p.Resources {
			if rel, ok := h.relative(r); ok {
				paths = append(paths, rel)
			}
		}
		h.claim(paths)
	})
}

// claim says that writes of files are no agent's.
func (h *Host) claim(paths []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guess != nil {
		h.guess.claimed(time.Now(), paths)
		h.work.kick()
	}
}

// guessStep carries out what the guesser asks for, on the worker; it returns
// when to look again.
func (h *Host) guessStep(ctx context.Context) time.Time {
	h.mu.Lock()
	if h.guess == nil {
		h.mu.Unlock()
		return time.Time{}
	}
	active := h.activeTurn()
	do, at := h.guess.next(time.Now(), active != nil && !active.Guessed)
	g := *h.guess
	written := maps.Clone(h.guess.written())
	h.mu.Unlock()
	title := ""
	if do == guessBegin || do == guessEnd {
		gone, err := h.repo.Traceless(ctx, g.baseTree, slices.Collect(maps.Keys(written)))
		if err != nil {
			h.logGit(ctx, "look for what was written", err)
		}
		h.mu.Lock()
		h.guess.passed(written, gone)
		title = h.guess.title()
		nothing := do == guessBegin && len(h.guess.pending) == 0
		h.mu.Unlock()
		if nothing {
			return time.Now()
		}
	}
	switch do {
	case guessRenew:
		h.renewBase(ctx, g)
	case guessBegin:
		h.beginGuess(ctx, g, title)
	case guessEnd:
		h.endGuess(ctx, g, title)
	default:
		return at
	}
	return time.Now() // there may be more to do
}

// maxGuessed is how many bytes recording a tree nobody asked for may store.
const maxGuessed = 256 << 20

// renewBase records the tree before the next turn. Where that would fill the
// repository with large files that git does not know, turns are not guessed.
func (h *Host) renewBase(ctx context.Context, g guesser) {
	now := time.Now()
	t := Turn{ID: newTurnID(now), Title: "Before the next turn", Guessed: true}
	if g.base != "" {
		_ = h.repo.DeleteRef(ctx, turnRef(h.repo, g.base, "start"))
	}
	tree, _, err := h.scan.Checkpoint(ctx, turnRef(h.repo, t.ID, "start"), turnMessage(t), maxGuessed)
	if errors.Is(err, gitrepo.ErrTooLarge) {
		err = fmt.Errorf("%w; add large files to .gitignore, or announce turns with \"ahp-lsp turn start\"", err)
	}
	if err != nil {
		t.ID = ""
		h.logGit(ctx, "record the work tree to guess turns", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guess.renewed(t.ID, tree)
}

// beginGuess starts a guessed turn, unless the writes have changed nothing.
func (h *Host) beginGuess(ctx context.Context, g guesser, title string) {
	now := time.Now()
	t := turn{Turn: Turn{ID: g.base, Title: title, Guessed: true, Started: g.first}, start: g.baseTree}
	tree, _, err := h.scan.Checkpoint(ctx, turnRef(h.repo, t.ID, "end"), turnMessage(t.Turn), maxGuessed)
	if err != nil {
		h.logGit(ctx, "record the work tree", err)
	}
	changed := err == nil && tree != g.baseTree
	if err == nil && !changed {
		_ = h.repo.DeleteRef(ctx, turnRef(h.repo, t.ID, "end"))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guess.begun(now, changed)
	if changed {
		h.setTurns(append(append([]turn(nil), h.turns...), t))
		h.dirty.turns = true
	}
}

// endGuess ends the guessed turn that runs.
func (h *Host) endGuess(ctx context.Context, g guesser, title string) {
	h.mu.Lock()
	t := Turn{ID: g.turn, Title: title, Guessed: true}
	if running := h.turn(g.turn); running != nil {
		t.Started = running.Started
	}
	h.mu.Unlock()
	_, _, err := h.scan.Checkpoint(ctx, turnRef(h.repo, t.ID, "end"), turnMessage(t), maxGuessed)
	if err != nil {
		// The tree recorded at its beginning stands for its end.
		h.logGit(ctx, "record the work tree", err)
	}
	h.mu.Lock()
	h.guess.ended(time.Now())
	h.mu.Unlock()
	h.syncTurns(ctx)
}

// endGuessing lets go of the tree recorded for a turn that will not be, when
// the host ends. A guessed turn that runs ends with the tree last recorded.
func (h *Host) endGuessing() {
	if h.guess == nil || h.guess.base == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = h.repo.DeleteRef(ctx, turnRef(h.repo, h.guess.base, "start"))
}

// syncTurns reads the turns anew.
func (h *Host) syncTurns(ctx context.Context) {
	turns, err := readTurns(ctx, h.repo)
	if err != nil {
		h.logGit(ctx, "read the turns", err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guess != nil && h.guess.turn != "" {
		for i := range turns {
			if turns[i].ID == h.guess.turn {
				turns[i].end, turns[i].Ended = "", time.Time{}
			}
		}
	}
	if h.setTurns(turns) {
		h.dirty.turns = true
		h.work.kick()
	}
}

func (h *Host) logGit(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		h.log.Warningf("%s: %v", what, err)
	}
}
