package githost

import (
	"context"
	"fmt"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/publish"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// Turn is one exchange with an agent, as far as the work tree shows it.
type Turn = session.Turn

// Proposal is an imported PatchSet, for a command's output.
type Proposal = store.Proposal

// Address is what a client needs to know: see bridge.Host.
type Address = publish.Address

// ErrExists is the error of importing a PatchSet that has been imported before.
var ErrExists = store.ErrExists

// StartTurn is store.StartTurn.
func StartTurn(ctx context.Context, repo *gitrepo.Repo, title, agent string) (Turn, error) {
	return store.StartTurn(ctx, repo, title, agent)
}

// EndTurn is store.EndTurn.
func EndTurn(ctx context.Context, repo *gitrepo.Repo) (Turn, error) { return store.EndTurn(ctx, repo) }

// Turns lists the recorded turns, oldest first.
func Turns(ctx context.Context, repo *gitrepo.Repo) ([]Turn, error) {
	turns, err := store.Turns(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	return turns, nil
}

// ImportPatchSet is store.ImportPatchSet.
func ImportPatchSet(ctx context.Context, repo *gitrepo.Repo, file, rationale string) (Proposal, error) {
	return store.ImportPatchSet(ctx, repo, file, rationale)
}

// Undo is gitrepo.Repo.Undo for a command: a running host of the work tree notices.
func Undo(ctx context.Context, repo *gitrepo.Repo, ref string) (gitrepo.Outcome, error) {
	out, err := repo.Undo(ctx, ref)
	if err == nil {
		store.Poke(repo, store.PokeUndo)
	}
	return out, err
}

// EntryDirs are the directories in which hosts publish themselves; not all of
// them exist.
func EntryDirs() []string { return publish.EntryDirs() }

// Service gives a process the host of a work tree, wherever it runs: see
// publish.Service.
type Service struct{ *publish.Service }

// Serve finds or starts the host of a work tree. Close the Service before the
// Repo.
func Serve(ctx context.Context, repo *gitrepo.Repo, o Options) (*Service, error) {
	s, err := publish.Serve(ctx, o.complete().service(repo))
	if err != nil {
		return nil, err
	}
	return &Service{s}, nil
}

// service is how publish runs the host.
func (o Options) service(repo *gitrepo.Repo) publish.Config {
	return publish.Config{
		ID: repo.ID(), Root: repo.Root(), Lock: store.File(repo, "host", ".lock"), Log: o.Log,
		Start: func(ctx context.Context) (publish.Host, error) { return Open(ctx, repo, o) },
		Dir:   o.Dir, Listen: o.Listen, OnListen: o.OnListen, Token: o.Token,
	}
}

// Owner is the Host if this process runs it, else nil.
func (s *Service) Owner() *Host {
	h, _ := s.Service.Owner().(*Host)
	return h
}
