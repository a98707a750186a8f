package lsp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
)

// editorTimeout bounds how long an answer of the editor is waited for. What
// asks a person has no limit but the session's end.
const editorTimeout = 10 * time.Second

func (s *Server) notify(method string, params any) {
	if err := s.conn.Notify(method, params); err != nil {
		s.log.Debugf("%s: %v", method, err)
	}
}

// ask sends a request to the editor without waiting. done runs in the loop.
// result is written before it.
func (s *Server) ask(method string, params, result any, done func(error)) {
	go func() {
		err := s.call(s.ctx, method, params, result)
		s.loop.post(func() { done(err) })
	}()
}

// call sends a request and waits for the answer; not in the loop.
func (s *Server) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, editorTimeout)
	defer cancel()
	err := s.conn.Call(ctx, method, params, result)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the editor did not answer within %s: %w", editorTimeout, err)
	}
	return err
}

// saidBy is what an error of the editor says to the user, without its wire form.
func saidBy(err error) error {
	var refused *jsonrpc2.Error
	if errors.As(err, &refused) && refused.Message != "" {
		return errors.New(refused.Message)
	}
	return err
}

var messageTypes = map[bridge.NoticeSeverity]protocol.MessageType{
	bridge.NoticeInfo: protocol.MessageTypeInfo, bridge.NoticeWarning: protocol.MessageTypeWarning,
	bridge.NoticeError: protocol.MessageTypeError,
}

// tell shows a message to the user. It may be called from anywhere.
func (s *Server) tell(severity bridge.NoticeSeverity, text string) {
	s.log.Infof("told: %s", text)
	s.notify("window/showMessage", protocol.ShowMessageParams{Type: messageTypes[severity], Message: "ahp: " + text})
}

// logMessage writes into the editor's log of this server.
func (s *Server) logMessage(severity bridge.NoticeSeverity, text string) {
	s.log.Infof("%s", text)
	s.notify("window/logMessage", protocol.LogMessageParams{Type: messageTypes[severity], Message: text})
}

// choose asks the user; "" means that the question was closed. It waits as
// long as the person does; not in the loop.
func (s *Server) choose(ctx context.Context, severity bridge.NoticeSeverity, question string, answers ...string) (string, error) {
	params := protocol.ShowMessageRequestParams{Type: messageTypes[severity], Message: question}
	for _, a := range answers {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: a})
	}
	var chosen *protocol.MessageActionItem
	if err := s.conn.Call(ctx, "window/showMessageRequest", params, &chosen); err != nil {
		return "", err
	}
	if chosen == nil {
		return "", nil
	}
	return chosen.Title, nil
}

// applyEdit changes documents through the editor; not in the loop.
func (s *Server) applyEdit(ctx context.Context, label string, edit protocol.WorkspaceEdit) error {
	if !s.client.Workspace.ApplyEdit {
		return errors.New("this editor does not let a language server change text")
	}
	var r protocol.ApplyWorkspaceEditResponse
	if err := s.call(ctx, "workspace/applyEdit", protocol.ApplyWorkspaceEditParams{Label: &label, Edit: edit}, &r); err != nil {
		return saidBy(err)
	}
	if !r.Applied {
		if r.FailureReason != nil && *r.FailureReason != "" {
			return errors.New(*r.FailureReason)
		}
		return errors.New("the editor did not apply the change (has the text changed meanwhile?)")
	}
	return nil
}

// showDocument opens a file in the editor; not in the loop.
func (s *Server) showDocument(ctx context.Context, p showDocumentParams) error {
	if !s.client.showsDocuments() {
		return errors.New("this editor cannot open files for a language server")
	}
	var r struct {
		Success bool `json:"success"`
	}
	if err := s.call(ctx, "window/showDocument", p, &r); err != nil {
		return saidBy(err)
	}
	if !r.Success {
		return errors.New("the editor could not open it")
	}
	return nil
}

// refreshes are the views of the editor that are out of date. At most one
// request of a kind is under way; what changes meanwhile is asked for again.
type refreshes struct {
	lenses, hints, diagnostics bool
	busy                       map[string]bool
}

func (s *Server) sendRefreshes() {
	w := s.client.Workspace
	s.sendRefresh("workspace/codeLens/refresh", &s.refresh.lenses, w.CodeLens.RefreshSupport)
	s.sendRefresh("workspace/inlayHint/refresh", &s.refresh.hints, w.InlayHint.RefreshSupport)
	s.sendRefresh("workspace/diagnostic/refresh", &s.refresh.diagnostics, s.client.refreshesDiagnostics())
}

func (s *Server) sendRefresh(method string, wanted *bool, supported bool) {
	if !*wanted || s.refresh.busy[method] {
		return
	}
	*wanted = false
	if !supported || s.phase != phaseInitialized {
		return
	}
	if s.refresh.busy == nil {
		s.refresh.busy = map[string]bool{}
	}
	s.refresh.busy[method] = true
	s.ask(method, nil, nil, func(err error) {
		delete(s.refresh.busy, method)
		var refused *jsonrpc2.Error
		if errors.As(err, &refused) {
			s.log.Infof("%s: %v", method, err)
		}
	})
}
