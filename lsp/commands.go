package lsp

import (
	"context"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/command"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
)

// What commands act on: the server's own parts, with outside around all that
// waits.

var (
	_ command.Workspace = commandWorkspace{}
	_ command.Editor    = commandEditor{}
	_ command.Host      = commandHost{}
)

type commandWorkspace struct{ s *Server }

func (w commandWorkspace) State() *workspace.Workspace { return w.s.ws }
func (w commandWorkspace) Apply(e workspace.Event)     { w.s.apply(e) }

func (w commandWorkspace) Await(ctx context.Context, limit time.Duration, until func() bool) error {
	return w.s.loop.await(ctx, limit, until)
}

type commandEditor struct{ s *Server }

func (e commandEditor) Client() *protocol.Capabilities { return &e.s.editor.client }

func (e commandEditor) Tell(severity remote.NoticeSeverity, text string) {
	e.s.editor.tell(severity, text)
}

func (e commandEditor) Progress(title string) (end func()) { return e.s.editor.progress(title) }

func (e commandEditor) Choose(ctx context.Context, severity remote.NoticeSeverity, question string, answers ...string) (answer string, err error) {
	outside(ctx, func() { answer, err = e.s.editor.choose(ctx, severity, question, answers...) })
	return answer, err
}

func (e commandEditor) ApplyEdit(ctx context.Context, label string, edit protocol.WorkspaceEdit) (err error) {
	outside(ctx, func() { err = e.s.editor.applyEdit(ctx, label, edit) })
	return err
}

func (e commandEditor) ShowDocument(ctx context.Context, p protocol.ShowDocumentParams) (err error) {
	outside(ctx, func() { err = e.s.editor.showDocument(ctx, p) })
	return err
}

func (e commandEditor) ShowText(ctx context.Context, name, text string, selection *protocol.Range) (uri string, err error) {
	outside(ctx, func() { uri, err = e.s.scratch.show(ctx, name, text, selection) })
	return uri, err
}

func (e commandEditor) AskText(ctx context.Context, r command.TextRequest) (uri string, err error) {
	return e.s.scratch.ask(ctx, r)
}

// commandHost is the host as commands see it; nil while none is followed.
func (s *Server) commandHost() command.Host {
	if s.host.client == nil {
		return nil
	}
	return commandHost{s.host.client, s}
}

type commandHost struct {
	*bridge.Client
	s *Server
}

// SelectBaseline keeps the choice, for a host that is started again.
func (h commandHost) SelectBaseline(baseline string) bool {
	ok := h.Client.SelectBaseline(baseline)
	if ok {
		h.s.host.baseline = baseline
	}
	return ok
}

func (h commandHost) Invoke(ctx context.Context, channel, operation string, target *ahp.OperationTarget) (r ahp.InvokeResult, err error) {
	outside(ctx, func() { r, err = h.Client.Invoke(ctx, channel, operation, target) })
	return r, err
}

func (h commandHost) Read(ctx context.Context, ref ahp.ContentRef) (data []byte, err error) {
	outside(ctx, func() { data, err = h.Client.Read(ctx, ref) })
	return data, err
}
