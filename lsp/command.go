package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
)

// commands are what plugins and code actions call through
// workspace/executeCommand, each with one object as its argument. Names and
// members are stable. The answer is an object: {"ok": true, …}, or
// {"ok": false, "reason": …} after the user was told the reason.
var commands map[string]func(*Server, commandArgs) (any, error)

// The table names methods that lead back to it, so it is filled at start.
func init() {
	commands = map[string]func(*Server, commandArgs) (any, error){
		"ahp.annotation.create":   (*Server).annotationCreate,
		"ahp.annotation.reply":    (*Server).annotationReply,
		"ahp.annotation.edit":     (*Server).annotationEdit,
		"ahp.annotation.resolve":  (*Server).annotationResolve,
		"ahp.annotation.reopen":   (*Server).annotationReopen,
		"ahp.annotation.accept":   (*Server).annotationAccept,
		"ahp.annotation.delete":   (*Server).annotationDelete,
		"ahp.annotation.reanchor": (*Server).annotationReanchor,
		"ahp.original.show":       (*Server).originalShow,
		"ahp.suggestion.apply":    (*Server).suggestionApply,
		"ahp.operation.invoke":    (*Server).operationInvoke,
		"ahp.hunk.keep":           (*Server).hunkKeep,
		"ahp.file.keep":           (*Server).fileKeep,
		"ahp.hunk.revert":         (*Server).hunkRevert,
		"ahp.file.setReviewed":    (*Server).fileSetReviewed,
		"ahp.thread.show":         (*Server).threadShow,
		"ahp.before.show":         (*Server).beforeShow,
		"ahp.session.select":      (*Server).sessionSelect,
		"ahp.status":              (*Server).status,
		"ahp.reconnect":           (*Server).reconnect,
	}
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

// commandArgs is a command's argument, still raw.
type commandArgs struct {
	call *call
	name string
	raw  json.RawMessage
}

func (a commandArgs) decode(v any) error {
	if err := json.Unmarshal(a.raw, v); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s: bad argument: %v", a.name, err)}
	}
	return nil
}

func (s *Server) executeCommand(c *call) (any, error) {
	var p struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	run, ok := commands[p.Command]
	if !ok {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("ahp-lsp has no command %q", p.Command)}
	}
	args := commandArgs{c, p.Command, json.RawMessage("{}")}
	switch {
	case len(p.Arguments) > 1:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s takes one object, not %d arguments", p.Command, len(p.Arguments))}
	case len(p.Arguments) == 1 && string(p.Arguments[0]) != "null":
		args.raw = p.Arguments[0]
	}
	return run(s, args)
}

// done is a command's answer when it did what was asked.
func done(members map[string]any) map[string]any {
	out := map[string]any{"ok": true}
	maps.Copy(out, members)
	return out
}

// sorry tells the user why something was not done, and answers so.
func (s *Server) sorry(format string, args ...any) (any, error) {
	reason := fmt.Sprintf(format, args...)
	s.tell(bridge.NoticeError, reason)
	return map[string]any{"ok": false, "reason": reason}, nil
}

// declined answers that the user did not want it after all.
func declined() (any, error) { return map[string]any{"ok": false, "reason": "declined"}, nil }

// refuse answers a call that cannot be right: the caller's fault, not the
// user's.
func refuse(format string, args ...any) (any, error) {
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// How long an answer waits for the contents it needs: a view is asked for again
// when they are there, a command is not.
const (
	viewTimeout    = 200 * time.Millisecond
	loadingTimeout = 3 * time.Second
)

// afterLoading answers a request once what the file's view is made of has been
// loaded, or when it has waited long enough. do runs in the loop and may return
// a later of its own.
func (s *Server) afterLoading(f *file, timeout time.Duration, do func() (any, error)) (any, error) {
	if !f.loading() {
		return do()
	}
	return nil, later{func(ctx context.Context) (any, error) {
		ready := make(chan struct{})
		s.loop.post(func() { s.when(f, func() { close(ready) }) })
		return s.inLoopAfter(ctx, ready, timeout, do)
	}}
}

// inLoopAfter runs do in the loop once ready is closed, or when it has waited long
// enough; not in the loop.
func (s *Server) inLoopAfter(ctx context.Context, ready <-chan struct{}, timeout time.Duration, do func() (any, error)) (any, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.inLoop(ctx, do)
}

// inLoop runs do in the loop and waits for it; not in the loop.
func (s *Server) inLoop(ctx context.Context, do func() (any, error)) (any, error) {
	type outcome struct {
		v   any
		err error
	}
	ch := make(chan outcome, 1)
	s.loop.post(func() {
		o := outcome{err: errInternal}
		defer func() { ch <- o }()
		o.v, o.err = do()
	})
	select {
	case o := <-ch:
		var slow later
		if errors.As(o.err, &slow) {
			return slow.run(ctx)
		}
		return o.v, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// open is the record of an open document, nil if it is not open.
func (s *Server) open(uri string) *file {
	f := s.files[ahp.CanonicalURI(uri)]
	if f == nil || f.doc == nil {
		return nil
	}
	return f
}
