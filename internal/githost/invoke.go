package githost

import (
	"context"
	"encoding/json"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/wire"
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
}

// invocation is an operation that the worker runs.
type invocation struct {
	session.Invocation
	ref     session.Ref
	undo    string // the operation that "undo" said it would undo when it was invoked
	message string // of a commit
}

// invoke runs an operation. On the wire: its status running, then idle or error,
// then the answer; what it changed follows.
func (p *peer) invoke(_ context.Context, params json.RawMessage) (any, *ahp.Error) {
	h := p.h
	var q invokeParams
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, wire.Errorf(ahp.CodeInvalidParams, "invokeChangesetOperation: %v", err)
	}
	if q.Channel == "" || q.Channel == ahp.RootURI {
		q.Channel = q.Changeset
	}
	q.Channel = h.names.Resolve(q.Channel)
	i := invocation{
		Invocation: session.Invocation{Channel: q.Channel, OperationID: q.OperationID, Target: q.Target},
		message:    q.Meta.CommitMessage,
	}
	var refused *ahp.Error
	h.with(func(s *session.State) { i.ref, i.undo, refused = s.Begin(i.Invocation) })
	if refused != nil {
		return nil, refused
	}
	done := make(chan struct{})
	var result ahp.InvokeResult
	var failed *ahp.Error
	h.work.do(func(ctx context.Context) {
		defer close(done)
		ctx, cancel := withGrace(ctx)
		defer cancel()
		o := operations{h}
		result, failed = o.run(ctx, i)
		o.finish(ctx, i, failed)
	})
	select {
	case <-done:
	case <-h.ctx.Done():
		return nil, wire.Errorf(ahp.CodeInternal, "%s: %v", i.OperationID, errClosed)
	}
	if failed != nil {
		return nil, failed
	}
	return result, nil
}

// operationGrace is how long an operation may go on when the host ends.
const operationGrace = 10 * time.Second

// withGrace is a context that outlives ctx by operationGrace: an operation that is
// half done when an editor quits is worse than one that is done.
func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	outliving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(operationGrace, cancel)
		context.AfterFunc(outliving, func() { timer.Stop() })
	})
	return outliving, func() {
		stop()
		cancel()
	}
}
