package lsp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/remote"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/rpc"
)

// editorConn is what the server sends to its editor. notify, ask, tell and logMessage
// do not wait and may be called from anywhere; the others wait for an answer and
// are called outside the loop.
type editorConn struct {
	log  commonlog.Logger
	loop *loop
	conn *rpc.Conn
	ctx  context.Context // ends with the server

	client protocol.Capabilities // what it can do; set once, by initialize
}

// editorTimeout bounds how long an answer of the editor is waited for. What
// asks a person has no limit but the session's end.
const editorTimeout = 10 * time.Second

func (e *editorConn) notify(method string, params any) {
	if err := e.conn.Notify(method, params); err != nil {
		e.log.Debugf("%s: %v", method, err)
	}
}

// ask sends a request to the editor without waiting. done runs in the loop.
// result is written before it.
func (e *editorConn) ask(method string, params, result any, done func(error)) {
	go func() {
		err := e.call(e.ctx, method, params, result)
		e.loop.post(func() { done(err) })
	}()
}

// call sends a request and waits for the answer.
func (e *editorConn) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, editorTimeout)
	defer cancel()
	err := e.conn.Call(ctx, method, params, result)
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

var messageTypes = map[remote.NoticeSeverity]protocol.MessageType{
	remote.NoticeInfo: protocol.MessageTypeInfo, remote.NoticeWarning: protocol.MessageTypeWarning,
	remote.NoticeError: protocol.MessageTypeError,
}

// tell shows a message to the user. It may be called from anywhere.
func (e *editorConn) tell(severity remote.NoticeSeverity, text string) {
	e.log.Infof("told: %s", text)
	e.notify("window/showMessage", protocol.ShowMessageParams{Type: messageTypes[severity], Message: "ahp: " + printable.Message(text)})
}

// logMessage writes into the editor's log of this server.
func (e *editorConn) logMessage(severity remote.NoticeSeverity, text string) {
	e.log.Infof("%s", text)
	e.notify("window/logMessage", protocol.LogMessageParams{Type: messageTypes[severity], Message: printable.Text(text)})
}

// choose asks the user; "" means that the question was closed. It waits as
// long as the person does.
func (e *editorConn) choose(ctx context.Context, severity remote.NoticeSeverity, question string, answers ...string) (string, error) {
	params := protocol.ShowMessageRequestParams{Type: messageTypes[severity], Message: printable.Message(question)}
	for _, a := range answers {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: printable.Label(a)})
	}
	var chosen *protocol.MessageActionItem
	if err := e.conn.Call(ctx, "window/showMessageRequest", params, &chosen); err != nil {
		return "", err
	}
	if chosen == nil {
		return "", nil
	}
	for i, a := range params.Actions {
		if a.Title == chosen.Title {
			return answers[i], nil
		}
	}
	return "", nil // none of them: as if it was closed
}

// applyEdit changes documents through the editor.
func (e *editorConn) applyEdit(ctx context.Context, label string, edit protocol.WorkspaceEdit) error {
	if !e.client.Workspace.ApplyEdit {
		return errors.New("this editor does not let a language server change text")
	}
	var r protocol.ApplyWorkspaceEditResponse
	if err := e.call(ctx, "workspace/applyEdit", protocol.ApplyWorkspaceEditParams{Label: &label, Edit: edit}, &r); err != nil {
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

// errNoDocuments: the client cannot open a file for us.
var errNoDocuments = errors.New("this editor cannot open files for a language server")

// showDocument opens a file in the editor.
func (e *editorConn) showDocument(ctx context.Context, p protocol.ShowDocumentParams) error {
	if !e.client.ShowsDocuments() {
		return errNoDocuments
	}
	var r struct {
		Success bool `json:"success"`
	}
	if err := e.call(ctx, "window/showDocument", p, &r); err != nil {
		return saidBy(err)
	}
	if !r.Success {
		return errors.New("the editor could not open it")
	}
	return nil
}
