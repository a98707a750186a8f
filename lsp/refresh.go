package lsp

import (
	"errors"

	"github.com/sourcegraph/jsonrpc2"
)

// refreshes are the views of the editor that are out of date. At most one
// request of a kind is under way; what changes meanwhile is asked for again.
type refreshes struct {
	lenses, hints, diagnostics bool
	busy                       map[string]bool
}

func (s *Server) sendRefreshes() {
	w, r := s.editor.client.Workspace, &s.shown.refresh
	s.sendRefresh("workspace/codeLens/refresh", &r.lenses, w.CodeLens.RefreshSupport)
	s.sendRefresh("workspace/inlayHint/refresh", &r.hints, w.InlayHint.RefreshSupport)
	s.sendRefresh("workspace/diagnostic/refresh", &r.diagnostics, s.editor.client.RefreshesDiagnostics())
}

func (s *Server) sendRefresh(method string, wanted *bool, supported bool) {
	r := &s.shown.refresh
	if !*wanted || r.busy[method] {
		return
	}
	*wanted = false
	if !supported || s.phase != phaseInitialized {
		return
	}
	if r.busy == nil {
		r.busy = map[string]bool{}
	}
	r.busy[method] = true
	s.editor.ask(method, nil, nil, func(err error) {
		delete(r.busy, method)
		var refused *jsonrpc2.Error
		if errors.As(err, &refused) {
			s.cfg.Log.Infof("%s: %v", method, err)
		}
	})
}
