package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/tliron/glsp"
	protocol316 "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/lsp/rpc"
)

// routes says who handles which message.
type routes struct {
	requests      map[string]route
	notifications map[string]route
	rest          protocol316.Handler // glsp: decodes and dispatches the others of LSP 3.16
}

// route handles a message in the loop. A request's may leave the loop with
// outside; a notification's may not.
type route func(ctx context.Context, method string, params json.RawMessage) (any, error)

// request decodes the parameters of a typed handler.
func request[P, R any](handle func(context.Context, P) (R, error)) route {
	return func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		var p P
		if err := decode(method, params, &p); err != nil {
			return nil, err
		}
		return handle(ctx, p)
	}
}

// lenient is request for a handler that does with what could be decoded. err says
// what could not.
func lenient[P, R any](handle func(ctx context.Context, p P, err error) (R, error)) route {
	return func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		var p P
		err := decode(method, params, &p)
		return handle(ctx, p, err)
	}
}

// notification is request for what has no answer.
func notification[P any](handle func(P) error) route {
	return request(func(_ context.Context, p P) (any, error) { return nil, handle(p) })
}

func decode(method string, params json.RawMessage, v any) error {
	if len(params) == 0 {
		params = []byte("{}")
	}
	if err := json.Unmarshal(params, v); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s: %v", method, err)}
	}
	return nil
}

// makeRoutes fills the tables of handlers.
func (s *Server) makeRoutes() *routes {
	r := &routes{
		requests: map[string]route{
			"initialize":               lenient(s.initialize),
			"shutdown":                 request(s.shutdown),
			"textDocument/hover":       request(s.hover),
			"textDocument/codeLens":    request(s.codeLenses),
			"textDocument/inlayHint":   request(s.inlayHints),
			"textDocument/diagnostic":  request(s.pullDiagnostics),
			"textDocument/codeAction":  request(s.codeActions),
			"codeAction/resolve":       resolveUnchanged,
			"workspace/executeCommand": request(s.executeCommand),
			"ahp/threads":              request(s.pluginThreads),
			"ahp/hunks":                request(s.pluginHunks),
			"ahp/changesets":           request(s.pluginChangesets),
			"ahp/contents":             request(s.pluginContents),
		},
		notifications: map[string]route{
			"initialized":            notification(s.initialized),
			"exit":                   notification(s.exit),
			"$/setTrace":             notification(func(json.RawMessage) error { return nil }),
			"textDocument/didOpen":   notification(s.didOpen),
			"textDocument/didChange": lenient(s.didChange),
		},
	}
	r.rest.TextDocumentDidSave = s.didSave
	r.rest.TextDocumentDidClose = s.didClose
	r.rest.WorkspaceDidChangeConfiguration = s.didChangeConfiguration
	r.rest.WorkspaceDidChangeWorkspaceFolders = s.didChangeFolders
	r.rest.WorkspaceDidChangeWatchedFiles = s.didChangeWatchedFiles
	r.rest.WindowWorkDoneProgressCancel = ignoreProgressCancel
	return r
}

// find is the handler of a message: ours, or glsp's for the rest of LSP 3.16.
func (r *routes) find(req *rpc.Request) route {
	if h, ok := r.requests[req.Method]; ok {
		return h
	}
	if h, ok := r.notifications[req.Method]; ok {
		return h
	}
	return func(_ context.Context, method string, params json.RawMessage) (any, error) {
		if len(params) == 0 {
			params = []byte("{}")
		}
		result, known, valid, err := r.rest.Handle(&glsp.Context{Method: method, Params: params})
		switch {
		case !known && req.IsNotification() && len(method) > 1 && method[:2] == "$/":
			return nil, nil // optional by the specification
		case !known:
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "ahp-lsp does not serve " + method}
		case !valid:
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s: %v", method, err)}
		}
		return result, err
	}
}

// resolveUnchanged answers codeAction/resolve: our actions are complete, and
// clients send them back even when they only have a command.
func resolveUnchanged(_ context.Context, _ string, params json.RawMessage) (any, error) {
	return params, nil
}
