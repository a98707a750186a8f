package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/tliron/glsp"

	"ahp-lsp/lsp/rpc"
)

// codeNotInitialized answers requests before initialize (LSP, ErrorCodes).
const codeNotInitialized = -32002

// call is one request or notification while it is handled in the loop.
type call struct {
	method string
	params json.RawMessage
	req    *rpc.Request
}

// decode reads the params into v.
func (c *call) decode(v any) error {
	raw := c.params
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s: %v", c.method, err)}
	}
	return nil
}

// later is returned as the error of a handler whose answer takes time. run is
// called in a goroutine of its own with the request's context, and its outcome
// is the answer.
type later struct {
	run func(ctx context.Context) (any, error)
}

func (later) Error() string { return "answered later" }

// receive takes each message from the connection to the loop.
func (s *Server) receive(r *rpc.Request) {
	s.loop.post(func() { s.handle(r) })
}

// errInternal answers a request whose handling failed by a fault of ours.
var errInternal = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "internal error in ahp-lsp; see its log"}

func (s *Server) handle(r *rpc.Request) {
	defer func() {
		if v := recover(); v != nil {
			r.Reply(nil, errInternal)
			panic(v) // logged by the loop, with the stack
		}
	}()
	if err := r.Context().Err(); err != nil && !r.IsNotification() {
		r.Reply(nil, err) // cancelled while it was queued
		return
	}
	result, err := s.dispatch(&call{r.Method, r.Params, r})
	var slow later
	if errors.As(err, &slow) {
		go s.guarded(func() {
			result, err := any(nil), error(errInternal)
			defer func() { r.Reply(result, err) }() // after a panic too
			result, err = slow.run(r.Context())
		})
		return
	}
	if err != nil && r.IsNotification() {
		s.log.Warningf("%s: %v", r.Method, err)
	}
	r.Reply(result, err)
}

// dispatch runs a message's handler: ours, or glsp's for the rest of LSP 3.16.
func (s *Server) dispatch(c *call) (any, error) {
	if err := s.allowed(c); err != nil {
		return nil, err
	}
	if h, ok := s.own[c.method]; ok {
		return h(c)
	}
	params := c.params
	if len(params) == 0 {
		params = []byte("{}")
	}
	result, known, valid, err := s.handler.Handle(&glsp.Context{
		Method: c.method, Params: params,
		Notify: func(method string, params any) { s.notify(method, params) },
	})
	switch {
	case !known && c.req.IsNotification() && len(c.method) > 1 && c.method[:2] == "$/":
		return nil, nil // optional by the specification
	case !known:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "ahp-lsp does not serve " + c.method}
	case !valid:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s: %v", c.method, err)}
	}
	return result, err
}

// allowed keeps the order of LSP's lifecycle.
func (s *Server) allowed(c *call) error {
	switch {
	case c.method == "exit":
		return nil
	case c.method == "initialize":
		if s.phase != phaseNew {
			return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "initialize was sent before"}
		}
	case s.phase == phaseNew && c.req.IsNotification():
		return errors.New("dropped: the session is not initialized")
	case s.phase == phaseNew:
		return &jsonrpc2.Error{Code: codeNotInitialized, Message: "the session is not initialized"}
	case s.phase == phaseShutdown && c.req.IsNotification():
		return errors.New("dropped: the session is shut down")
	case s.phase == phaseShutdown:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the session is shut down"}
	}
	return nil
}

// routes fills the tables of handlers.
func (s *Server) routes() {
	s.own = map[string]func(*call) (any, error){
		"initialize":               s.initialize,
		"initialized":              s.initialized,
		"shutdown":                 s.shutdown,
		"exit":                     s.exit,
		"$/setTrace":               func(*call) (any, error) { return nil, nil },
		"textDocument/didOpen":     s.didOpen,
		"textDocument/didChange":   s.didChange,
		"textDocument/inlayHint":   s.inlayHints,
		"textDocument/diagnostic":  s.pullDiagnostics,
		"textDocument/codeAction":  s.codeActions,
		"codeAction/resolve":       resolveUnchanged,
		"workspace/executeCommand": s.executeCommand,
		"ahp/threads":              s.pluginThreads,
		"ahp/hunks":                s.pluginHunks,
		"ahp/changesets":           s.pluginChangesets,
		"ahp/contents":             s.pluginContents,
	}
	s.handler.TextDocumentDidSave = s.didSave
	s.handler.TextDocumentDidClose = s.didClose
	s.handler.TextDocumentHover = s.hover
	s.handler.TextDocumentCodeLens = s.codeLenses
	s.handler.WorkspaceDidChangeConfiguration = s.didChangeConfiguration
	s.handler.WorkspaceDidChangeWorkspaceFolders = s.didChangeFolders
	s.handler.WorkspaceDidChangeWatchedFiles = s.didChangeWatchedFiles
	s.handler.WindowWorkDoneProgressCancel = ignoreProgressCancel
}

// resolveUnchanged answers codeAction/resolve: our actions are complete, and
// clients send them back even when they only have a command.
func resolveUnchanged(c *call) (any, error) { return c.params, nil }
