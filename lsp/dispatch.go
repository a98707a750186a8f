package lsp

import (
	"context"
	"errors"

	"github.com/sourcegraph/jsonrpc2"

	"ahp-lsp/lsp/rpc"
)

// codeNotInitialized answers requests before initialize (LSP, ErrorCodes).
const codeNotInitialized = -32002

// errInternal answers a request whose handling failed by a fault of ours.
var errInternal = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "internal error in ahp-lsp; see its log"}

// receive takes each message from the connection to the loop.
func (s *Server) receive(r *rpc.Request) {
	s.loop.post(func() { s.handle(r) })
}

// handle answers a message. A notification is handled at once; a request may wait
// outside the loop, but has begun before the next message is looked at.
func (s *Server) handle(r *rpc.Request) {
	if err := s.allowed(r); err != nil {
		s.answer(r, nil, err)
		return
	}
	run := s.routes.find(r)
	if r.IsNotification() {
		_, err := run(context.Background(), r.Method, r.Params)
		s.answer(r, nil, err)
		return
	}
	if err := r.Context().Err(); err != nil {
		r.Reply(nil, err) // cancelled while it was queued
		return
	}
	s.loop.begin(r.Context(), func(ctx context.Context) {
		result, err := run(ctx, r.Method, r.Params)
		s.answer(r, result, err)
	}, func() { r.Reply(nil, errInternal) })
}

func (s *Server) answer(r *rpc.Request, result any, err error) {
	if err != nil && r.IsNotification() {
		s.cfg.Log.Warningf("%s: %v", r.Method, err)
	}
	if err != nil {
		result = nil
	}
	r.Reply(result, err)
}

// allowed keeps the order of LSP's lifecycle.
func (s *Server) allowed(r *rpc.Request) error {
	switch {
	case r.Method == "exit":
		return nil
	case r.Method == "initialize":
		if s.phase != phaseNew {
			return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "initialize was sent before"}
		}
	case s.phase == phaseNew && r.IsNotification():
		return errors.New("dropped: the session is not initialized")
	case s.phase == phaseNew:
		return &jsonrpc2.Error{Code: codeNotInitialized, Message: "the session is not initialized"}
	case s.phase == phaseShutdown && r.IsNotification():
		return errors.New("dropped: the session is shut down")
	case s.phase == phaseShutdown:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the session is shut down"}
	}
	return nil
}
