package githost

import (
	"context"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// stashed is the ref that brings back what was taken away of a turn, "" if
// nothing was; h.mu is held.
func (h *Host) stashed(turn string) string { return h.commits.stash[turn] }

// stash remembers what brings a turn's changes back.
func (h *Host) stash(turn, undo string) {
	if undo == "" {
		return
	}
	if err := h.keep(record{Stash: &stashed{Turn: turn, Undo: undo}}, func() { h.commits.stash[turn] = undo }); err != nil {
		// "undo" brings them back all the same.
		h.log.Warningf("stash turn: %v", err)
	}
}

// unstash brings a turn's changes back.
func (h *Host) unstash(ctx context.Context, turn string) (ahp.InvokeResult, *ahp.Error) {
	h.mu.Lock()
	undo := h.stashed(turn)
	h.mu.Unlock()
	if undo == "" {
		return ahp.InvokeResult{}, operationError(gitrepo.ErrNothing)
	}
	o, err := h.repo.Undo(ctx, undo)
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	h.claim(o.Paths)
	if err := h.keep(record{Stash: &stashed{Turn: turn}}, func() { delete(h.commits.stash, turn) }); err != nil {
		h.log.Warningf("unstash turn: %v", err)
	}
	return said(o), nil
}
