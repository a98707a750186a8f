package githost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// invokeParams are the params of invokeChangesetOperation. Some documents call
// the channel changeset.
type invokeParams struct {
	Channel     string               `json:"channel"`
	Changeset   string               `json:"changeset"`
	OperationID string               `json:"operationId"`
	Target      *ahp.OperationTarget `json:"target"`
	Meta        struct {
		CommitMessage string `json:"ahp-lsp.commitMessage"`
	} `json:"_meta"`

	// undo is the operation that "undo" said it would undo when it was invoked.
	undo string
}

// invoke runs an operation. On the wire: its status running, then idle or error,
// then the answer; what it changed follows.
func (p *peer) invoke(ctx context.Context, params json.RawMessage) (any, *ahp.Error) {
	h := p.h
	var q invokeParams
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, fail(ahp.CodeInvalidParams, "invokeChangesetOperation: %v", err)
	}
	if q.Channel == "" || q.Channel == ahp.RootURI {
		q.Channel = q.Changeset
	}
	h.mu.Lock()
	ref, err := h.admit(&q)
	if err != nil {
		h.mu.Unlock()
		return nil, err
	}
	if q.OperationID == opUndo && h.undo != nil {
		q.undo = h.undo.Ref
	}
	key := failureKey{q.Channel, q.OperationID}
	h.busy[key] = true
	delete(h.failures, key)
	h.tellStatus(key, ahp.OperationRunning, nil)
	h.mu.Unlock()

	done := make(chan struct{})
	var result ahp.InvokeResult
	var failed *ahp.Error
	h.work.do(func(ctx context.Context) {
		defer close(done)
		ctx, cancel := patient(ctx)
		defer cancel()
		result, failed = h.attempt(ctx, q, ref)
		h.finish(ctx, key, failed)
	})
	select {
	case <-done:
	case <-h.ctx.Done():
		return nil, fail(ahp.CodeInternal, "%s: %v", q.OperationID, errClosed)
	}
	if failed != nil {
		return nil, failed
	}
	return result, nil
}

// operationGrace is how long an operation may go on when the host ends.
const operationGrace = 10 * time.Second

// patient is a context that outlives ctx by operationGrace: an operation that is
// half done when an editor quits is worse than one that is done.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(operationGrace, cancel)
		context.AfterFunc(patient, func() { timer.Stop() })
	})
	return patient, func() {
		stop()
		cancel()
	}
}

// admit checks an invocation against what is on offer; h.mu is held.
func (h *Host) admit(q *invokeParams) (changesetRef, *ahp.Error) {
	ref, ok := h.parseChangeset(q.Channel)
	if !ok {
		return ref, fail(ahp.CodeNoSession, "Changeset not found: %s", q.Channel)
	}
	op := h.find(q.Channel, ref, q.OperationID)
	if op == nil {
		return ref, fail(ahp.CodeInvalidParams, "Unknown operation '%s' on changeset %s", q.OperationID, q.Channel)
	}
	scope := ahp.ScopeChangeset
	if q.Target != nil {
		if scope = q.Target.Kind; scope != ahp.ScopeResource && scope != ahp.ScopeRange {
			return ref, fail(ahp.CodeInvalidParams, "a target's kind is resource or range, not %q", scope)
		}
	}
	if !slices.Contains(op.Scopes, scope) {
		return ref, fail(ahp.CodeInvalidParams, "Operation '%s' does not support scope '%s' (allowed: %s)", op.ID, scope, strings.Join(op.Scopes, ", "))
	}
	if h.busy[failureKey{q.Channel, q.OperationID}] {
		return ref, fail(ahp.CodeInvalidParams, "Operation '%s' is running; wait for it to end", op.ID)
	}
	return ref, nil
}

func (h *Host) tellStatus(key failureKey, status string, info *ahp.ErrorInfo) {
	c := h.changesets[key.channel]
	if c == nil {
		return
	}
	m := map[string]any{"operationId": key.operation, "status": status}
	if info != nil {
		m["error"] = info
	}
	i := slices.IndexFunc(c.operations, func(o *operation) bool { return o.ID == key.operation })
	if i < 0 {
		return
	}
	next := *c.operations[i]
	next.Status, next.Error = status, info
	c.operations = slices.Clone(c.operations)
	c.operations[i] = &next
	h.publish(c.uri, action(ahp.TypeChangesetOperationStatusChanged, m))
}

// finish tells how an operation ended, and has everything that it may have
// changed looked at: the disk's own word comes later and finds nothing new.
func (h *Host) finish(ctx context.Context, key failureKey, failed *ahp.Error) {
	h.loadUndo(ctx)
	h.mu.Lock()
	delete(h.busy, key)
	h.acted = key.channel
	if failed != nil {
		info := &ahp.ErrorInfo{Type: "Error", Message: failed.Message}
		h.failures[key] = info
		h.tellStatus(key, ahp.OperationError, info)
	} else {
		h.tellStatus(key, ahp.OperationIdle, nil)
	}
	h.mu.Unlock()
	h.noticed(dirty{worktree: true, index: true, head: failed != nil || key.operation == opCommit, undo: true, patchsets: true})
}

// attempt is carryOut, whatever happens in it.
func (h *Host) attempt(ctx context.Context, q invokeParams, ref changesetRef) (r ahp.InvokeResult, failed *ahp.Error) {
	var err error
	func() {
		defer h.survive(&err)
		r, failed = h.carryOut(ctx, q, ref)
	}()
	if err != nil {
		failed = fail(ahp.CodeInternal, "%s: %v", q.OperationID, err)
	}
	return r, failed
}

// carryOut runs an operation, on the worker.
func (h *Host) carryOut(ctx context.Context, q invokeParams, ref changesetRef) (ahp.InvokeResult, *ahp.Error) {
	targets, refusal := h.target(q.Channel, q.Target)
	if refusal != nil {
		return ahp.InvokeResult{}, refusal
	}
	if ref.kind == kindPatchset && (q.OperationID == opApply || q.OperationID == opReject) {
		return h.decide(ctx, ref.id, q.OperationID, targets)
	}
	var o gitrepo.Outcome
	var err error
	switch id := q.OperationID; {
	case id == opCommit:
		return h.commit(ctx, q.Meta.CommitMessage)
	case id == opStage:
		o, err = h.repo.Stage(ctx, targets)
	case id == opUnstage:
		o, err = h.repo.Unstage(ctx, targets)
	case id == opUndo:
		o, err = h.repo.Undo(ctx, q.undo)
	case strings.HasPrefix(id, opUndoRef):
		o, err = h.repo.Undo(ctx, strings.TrimPrefix(id, opUndoRef))
	case id == opUnstashTurn:
		return h.unstash(ctx, ref.id)
	default:
		t, ok, terr := h.trees(ctx, ref)
		if err = terr; err == nil && !ok {
			err = gitrepo.ErrNothing
		}
		if err == nil {
			o, err = h.repo.Revert(ctx, t, targets)
		}
		if err == nil && id == opStashTurn {
			h.stash(ref.id, o.Undo)
		}
	}
	h.claim(o.Paths)
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	return said(o), nil
}

// operationError is a failed operation as it is answered. What the client could
// have known better is a fault of its params.
func operationError(err error) *ahp.Error {
	code := ahp.CodeInternal
	switch {
	case errors.Is(err, gitrepo.ErrStale):
		code = ahp.CodeConflict
	case errors.Is(err, gitrepo.ErrNothing), errors.Is(err, gitrepo.ErrNoRange),
		errors.Is(err, gitrepo.ErrUnsafePath), errors.Is(err, gitrepo.ErrNotFound):
		code = ahp.CodeInvalidParams
	}
	return fail(code, "%v", err)
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
		text += fmt.Sprintf(" \"ahp-lsp undo %s\" does it again.", o.Undo)
	case o.Undo != "":
		text += fmt.Sprintf(" \"undo\" brings it back (kept as %s).", o.Undo)
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

// Undo is gitrepo.Repo.Undo for a command: a running host of the work tree notices.
func Undo(ctx context.Context, repo *gitrepo.Repo, ref string) (gitrepo.Outcome, error) {
	out, err := repo.Undo(ctx, ref)
	if err == nil {
		poke(repo, pokeUndo)
	}
	return out, err
}

// loadUndo reads what can be undone.
func (h *Host) loadUndo(ctx context.Context) {
	records, err := h.repo.UndoList(ctx)
	if err != nil {
		h.logGit(ctx, "list what can be undone", err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.undo = nil
	if len(records) > 0 {
		h.undo = &records[0]
	}
}
