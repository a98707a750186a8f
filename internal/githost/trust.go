package githost

import (
	"context"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
	"ahp-lsp/internal/githost/wire"
	"ahp-lsp/internal/trust"
)

// TrustChanged tells a running host of the work tree that the user has allowed the
// repository's programs, or not any more.
func TrustChanged(repo *gitrepo.Repo) { store.Poke(repo, store.PokeTrust) }

// trust allows the programs with a hash, which the operation's confirmation named.
func (o operations) trust(ctx context.Context, hash string) (ahp.InvokeResult, *ahp.Error) {
	repo := o.h.repo
	p, err := repo.Programs(ctx)
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	if p.Hash == "" || p.Hash != hash {
		return ahp.InvokeResult{}, wire.Errorf(ahp.CodeConflict, "the programs of this repository %v; look at them again, then retry", gitrepo.ErrStale)
	}
	if err := trust.Default().Allow(trust.EntryOf(repo.CommonDir(), p.Hash, p.Lines())); err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	repo.Reconsider()
	TrustChanged(repo) // for other processes
	o.h.work.changed(session.Dirty{WorkTree: true, Head: true})
	message := ahp.Plain("Allowed: " + p.String() + ". \"ahp-lsp trust --remove\" takes it back.")
	return ahp.InvokeResult{Message: &message}, nil
}
