package githost

import (
	"context"
	"strings"
	"time"
)

// keptTurns is how many turns of a work tree are kept; older ones go when a
// host starts. What operations have destroyed is kept as long as
// gitrepo.UndoCount and gitrepo.UndoAge say.
const keptTurns = 200

// prune lets go of old refs when the host starts, before anybody sees them. What
// a turn's stash still refers to stays, and so does its turn; where that cannot
// be read, everything stays. That pruning fails is no reason not to start.
func (h *Host) prune(ctx context.Context, now time.Time) {
	if !h.commits.complete {
		return
	}
	if err := h.pruneTurns(ctx); err != nil {
		h.logGit(ctx, "let old turns go", err)
	}
	stashes := map[string]bool{}
	for _, undo := range h.commits.stash {
		stashes[undo] = true
	}
	if _, err := h.repo.PruneUndo(ctx, now, stashes); err != nil {
		h.logGit(ctx, "let old operations go", err)
	}
}

// pruneTurns deletes the oldest turns, and what a host that was killed had
// recorded for a turn to be guessed.
func (h *Host) pruneTurns(ctx context.Context) error {
	refs, err := h.repo.Refs(ctx, turnPrefix(h.repo))
	if err != nil {
		return err
	}
	turns, err := readTurns(ctx, h.repo)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for i, t := range turns {
		keep[t.ID] = i >= len(turns)-keptTurns || h.commits.stash[t.ID] != ""
	}
	old := refs[:0]
	for _, ref := range refs {
		id, _, _ := strings.Cut(strings.TrimPrefix(ref.Name, turnPrefix(h.repo)), "/")
		if kept, isTurn := keep[id]; !kept && (isTurn || readMessage(ref.Message).Guessed) {
			old = append(old, ref)
		}
	}
	return h.repo.DeleteRefs(ctx, old)
}
