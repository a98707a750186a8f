package store

import (
	"context"
	"strings"

	"ahp-lsp/internal/githost/gitrepo"
)

// KeptTurns is how many turns of a work tree are kept; older ones go when a
// host starts.
const KeptTurns = 200

// PruneTurns deletes the oldest turns but those that wanted has, and what a host
// that was killed had recorded for a turn to be guessed.
func PruneTurns(ctx context.Context, repo *gitrepo.Repo, wanted map[string]string) error {
	refs, err := repo.Refs(ctx, TurnPrefix(repo))
	if err != nil {
		return err
	}
	turns, err := Turns(ctx, repo)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for i, t := range turns {
		keep[t.ID] = i >= len(turns)-KeptTurns || wanted[t.ID] != ""
	}
	old := refs[:0]
	for _, ref := range refs {
		id, _, _ := strings.Cut(strings.TrimPrefix(ref.Name, TurnPrefix(repo)), "/")
		if kept, isTurn := keep[id]; !kept && (isTurn || readMessage(ref.Message).Guessed) {
			old = append(old, ref)
		}
	}
	return repo.DeleteRefs(ctx, old)
}
