package githost

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/wire"
)

// operations carries operations out, on the worker's goroutine.
type operations struct{ h *Host }

// run is perform, with a panic as an error.
func (o operations) run(ctx context.Context, i invocation) (r ahp.InvokeResult, failed *ahp.Error) {
	var err error
	func() {
		defer o.h.work.survive(&err)
		r, failed = o.perform(ctx, i)
	}()
	if err != nil {
		failed = wire.Errorf(ahp.CodeInternal, "%s: %v", i.OperationID, err)
	}
	return r, failed
}

// finish publishes how an operation ended, and has everything looked at that it may
// have changed: the watcher's events come later and find nothing new.
func (o operations) finish(ctx context.Context, i invocation, failed *ahp.Error) {
	o.h.work.loadUndo(ctx)
	o.h.with(func(s *session.State) { s.End(i.Invocation, failed) })
	o.h.work.changed(session.Dirty{
		WorkTree: true, Index: true, Head: failed != nil || i.OperationID == session.OpCommit, Undo: true, Patchsets: true,
	})
}

func (o operations) perform(ctx context.Context, i invocation) (ahp.InvokeResult, *ahp.Error) {
	targets, refusal := o.targets(i)
	if refusal != nil {
		return ahp.InvokeResult{}, refusal
	}
	repo := o.h.repo
	var done gitrepo.Outcome
	var err error
	switch id := i.OperationID; {
	case id == session.OpReject && i.ref.Kind == session.KindPatchset:
		return o.reject(i.ref.ID)
	case id == session.OpApply && i.ref.Kind == session.KindPatchset:
		return o.apply(ctx, i.ref.ID, targets)
	case strings.HasPrefix(id, session.OpTrust):
		return o.trust(ctx, strings.TrimPrefix(id, session.OpTrust))
	case id == session.OpCommit:
		return o.commit(ctx, i.message)
	case id == session.OpUnstashTurn:
		return o.unstash(ctx, i.ref.ID)
	case id == session.OpStage:
		done, err = repo.Stage(ctx, targets)
	case id == session.OpUnstage:
		done, err = repo.Unstage(ctx, targets)
	case id == session.OpUndo:
		done, err = repo.Undo(ctx, i.undo)
	case strings.HasPrefix(id, session.OpUndoRef):
		done, err = repo.Undo(ctx, strings.TrimPrefix(id, session.OpUndoRef))
	default:
		done, err = o.revert(ctx, i, targets)
	}
	o.h.work.claim(done.Paths)
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	return said(done), nil
}

func (o operations) revert(ctx context.Context, i invocation, targets []gitrepo.Target) (gitrepo.Outcome, error) {
	t, ok, err := o.h.work.trees(ctx, i.ref)
	if err == nil && !ok {
		err = gitrepo.ErrNothing
	}
	if err != nil {
		return gitrepo.Outcome{}, err
	}
	done, err := o.h.repo.Revert(ctx, t, targets)
	if err == nil && i.OperationID == session.OpStashTurn && done.Undo != "" {
		if err := o.h.commits.keep(session.SetStash(i.ref.ID, done.Undo)); err != nil {
			// "undo" brings them back all the same.
			o.h.opts.Log.Warningf("stash turn: %v", err)
		}
	}
	return done, err
}

// unstash brings a turn's changes back.
func (o operations) unstash(ctx context.Context, turn string) (ahp.InvokeResult, *ahp.Error) {
	var undo string
	o.h.with(func(s *session.State) { undo = s.Kept().Stash(turn) })
	if undo == "" {
		return ahp.InvokeResult{}, operationError(gitrepo.ErrNothing)
	}
	done, err := o.h.repo.Undo(ctx, undo)
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	o.h.work.claim(done.Paths)
	if err := o.h.commits.keep(session.SetStash(turn, "")); err != nil {
		o.h.opts.Log.Warningf("unstash turn: %v", err)
	}
	return said(done), nil
}

// targets are what an operation acts on, as the engine has them.
func (o operations) targets(i invocation) ([]gitrepo.Target, *ahp.Error) {
	t := i.Target
	if t == nil {
		return []gitrepo.Target{{}}, nil
	}
	rel, ok := o.h.tree.Relative(t.Resource)
	if !ok {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "the target %q is not a file of %s", t.Resource, o.h.repo.Root())
	}
	out := gitrepo.Target{Path: rel}
	var err *ahp.Error
	if t.Kind == ahp.ScopeRange {
		if out.Range, err = session.Lines(t); err != nil {
			return nil, err
		}
	}
	if out.Seen, err = o.current(i.Channel, rel); err != nil {
		return nil, err
	}
	return []gitrepo.Target{out}, nil
}

// current refuses a target whose file is not the one that clients know: the lines
// they mean are not where they were. It may still become another one, or HEAD or
// the index may: same checks again once the engine has read it.
func (o operations) current(uri, rel string) (same func(gitrepo.FileDiff) bool, _ *ahp.Error) {
	var f *session.File
	var computed bool
	o.h.with(func(s *session.State) { f, computed = s.Changesets().Shown(uri, rel) })
	tree := o.h.tree
	switch {
	case !computed:
		return nil, nil // the client knows nothing that could be out of date
	case f == nil:
		return nil, wire.Errorf(ahp.CodeInvalidParams, "%s is not in this changeset (any more)", rel)
	case f.Version != tree.VersionOf(f):
		o.h.work.changed(session.Dirty{WorkTree: true})
		return nil, wire.Errorf(ahp.CodeConflict, "%s %v; look at it again, then retry", path.Base(rel), gitrepo.ErrStale)
	}
	return func(d gitrepo.FileDiff) bool {
		return tree.VersionOf(&session.File{Diff: d, Proposed: f.Proposed}) == f.Version
	}, nil
}

// operationError is a failed operation as it is answered. What the client could
// have known better is a fault of its params.
func operationError(err error) *ahp.Error {
	code := ahp.CodeInternal
	switch {
	case errors.Is(err, gitrepo.ErrStale):
		code = ahp.CodeConflict
	case errors.Is(err, gitrepo.ErrNothing), errors.Is(err, gitrepo.ErrNoRange),
		errors.Is(err, gitrepo.ErrUnsafePath), errors.Is(err, gitrepo.ErrNotFound), errors.Is(err, gitrepo.ErrNotAllowed):
		code = ahp.CodeInvalidParams
	}
	return wire.Errorf(code, "%v", err)
}

// said is an outcome in words: what was done, what was not, and where what was
// destroyed is kept.
func said(o gitrepo.Outcome) ahp.InvokeResult {
	text := sentence(o.Message)
	for _, s := range o.Skipped {
		text += " " + sentence(s)
	}
	switch {
	case strings.HasPrefix(o.Undo, "refs/ahp/undone/"):
		// "undo" alone is for the operation before.
		text += fmt.Sprintf(" \"ahp-lsp undo %s\" redoes it.", o.Undo)
	case o.Undo != "":
		text += fmt.Sprintf(" \"undo\" restores it (kept as %s).", o.Undo)
	}
	message := ahp.Plain(text)
	return ahp.InvokeResult{Message: &message}
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
