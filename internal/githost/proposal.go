package githost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/wire"
)

// proposal finds a proposal that has no verdict yet.
func (o operations) proposal(id string) (p *session.Patchset, refused *ahp.Error) {
	var verdict string
	o.h.with(func(s *session.State) { p, verdict = s.Proposals().Find(id) })
	switch {
	case p == nil:
		return nil, wire.Errorf(ahp.CodeNoSession, "there is no proposal %s", id)
	case verdict != "":
		return nil, wire.Errorf(ahp.CodeInvalidParams, "the proposal has been %s already", verdict)
	}
	return p, nil
}

// decide records a verdict on a proposal.
func (o operations) decide(id, verdict string) error {
	return o.h.commits.keep(session.Decide(session.Decision{Patchset: id, Verdict: verdict, Time: time.Now().UTC()}))
}

// reject says no to a proposal.
func (o operations) reject(id string) (ahp.InvokeResult, *ahp.Error) {
	p, refused := o.proposal(id)
	if refused != nil {
		return ahp.InvokeResult{}, refused
	}
	if err := o.decide(id, session.VerdictRejected); err != nil {
		return ahp.InvokeResult{}, wire.Errorf(ahp.CodeInternal, "reject: %v", err)
	}
	message := ahp.Plain(fmt.Sprintf("Rejected the proposal '%s'.", p.Title))
	return ahp.InvokeResult{Message: &message}, nil
}

// apply applies a proposal, or a part of it. Once nothing is left of it, it counts
// as applied.
func (o operations) apply(ctx context.Context, id string, targets []gitrepo.Target) (ahp.InvokeResult, *ahp.Error) {
	p, refused := o.proposal(id)
	if refused != nil {
		return ahp.InvokeResult{}, refused
	}
	done, err := o.h.repo.ApplyPatch(ctx, p.Files, targets)
	o.h.work.claim(done.Paths)
	if err != nil && !errors.Is(err, gitrepo.ErrNothing) {
		return ahp.InvokeResult{}, operationError(err)
	}
	left, leftErr := o.h.proposedFiles(ctx, id)
	if leftErr == nil && len(left) == 0 {
		if derr := o.decide(id, session.VerdictApplied); derr != nil {
			o.h.opts.Log.Errorf("record that %s was applied: %v", id, derr)
			done.Skipped = append(done.Skipped, "Could not record that it was applied: "+derr.Error())
		}
		if err != nil {
			err, done.Message = nil, "All proposed changes were already there"
		}
	}
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	return said(done), nil
}
