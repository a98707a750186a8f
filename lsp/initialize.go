package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tliron/glsp"
	protocol316 "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

func (s *Server) initialize(_ context.Context, p protocol.InitializeParams, err error) (protocol.InitializeResult, error) {
	if err != nil {
		// One odd member must not cost the session; what decoded is used.
		s.cfg.Log.Warningf("%v", err)
	}
	s.editor.client = p.Capabilities
	hello := workspace.Initialized{Encoding: mapping.UTF16}
	for _, want := range []string{"utf-8", "utf-32"} {
		if slices.Contains(p.Capabilities.General.PositionEncodings, want) {
			hello.Encoding, _ = mapping.ParseEncoding(want)
			break
		}
	}
	for _, f := range p.WorkspaceFolders {
		hello.Folders = append(hello.Folders, ahp.CanonicalURI(f.URI))
	}
	if len(hello.Folders) == 0 && p.RootURI != nil && *p.RootURI != "" {
		hello.Folders = []string{ahp.CanonicalURI(*p.RootURI)}
	}
	s.apply(hello)
	s.settings.fromInit = s.readSettings("initializationOptions", unwrap(p.InitializationOptions))
	s.applySettings()
	s.phase = phaseInitialized
	s.routes.rest.SetInitialized(true)
	if p.ClientInfo != nil {
		s.cfg.Log.Infof("editor: %s %s, positions in %s", p.ClientInfo.Name, p.ClientInfo.Version, hello.Encoding)
	}

	version := s.cfg.Version
	r := protocol.InitializeResult{ServerInfo: protocol.InitializeResultServerInfo{Name: "ahp-lsp", Version: &version}}
	r.Capabilities.PositionEncoding = hello.Encoding.String()
	r.Capabilities.InlayHintProvider = true
	yes := true
	incremental := protocol.SyncIncremental
	r.Capabilities.TextDocumentSync = protocol.TextDocumentSyncOptions{
		OpenClose: &yes, Change: &incremental, Save: protocol.SaveOptions{},
	}
	r.Capabilities.HoverProvider = true
	r.Capabilities.CodeLensProvider = &protocol.CodeLensOptions{}
	r.Capabilities.CodeActionProvider = protocol.CodeActionOptions{
		CodeActionKinds: []protocol.CodeActionKind{view.KindThread, view.KindChange, view.KindSource},
	}
	r.Capabilities.ExecuteCommandProvider = &protocol.ExecuteCommandOptions{Commands: s.commands.Names()}
	r.Capabilities.Workspace = &protocol.ServerCapabilitiesWorkspace{
		WorkspaceFolders: &protocol.WorkspaceFoldersServerCapability{
			Supported: &yes, ChangeNotifications: &protocol.BoolOrString{Value: true},
		},
	}
	if s.shown.pullOffered = s.offersPull(); s.shown.pullOffered {
		r.Capabilities.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: "ahp"}
	}
	return r, nil
}

// offersPull: diagnostics are pushed, unless the client can only pull or the
// user wants it so. Offering both would show everything twice in some editors.
func (s *Server) offersPull() bool {
	td := s.editor.client.TextDocument
	return td.Diagnostic != nil && (td.PublishDiagnostics == nil || value(s.settings.inForce.PullDiagnostics))
}

// unwrap takes the section "ahp" out of options that have it.
func unwrap(raw json.RawMessage) json.RawMessage {
	var wrapped struct {
		AHP json.RawMessage `json:"ahp"`
	}
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped.AHP) > 0 {
		return wrapped.AHP
	}
	return raw
}

func (s *Server) initialized(json.RawMessage) error {
	if s.editor.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		s.registerWatchers()
	}
	if s.editor.client.Workspace.Configuration {
		s.askSettings() // starts the host when the answer is there
	} else {
		s.startHost()
	}
	return nil
}

func (s *Server) shutdown(ctx context.Context, _ json.RawMessage) (any, error) {
	s.phase = phaseShutdown
	unsent := s.stopHost()
	if len(unsent) == 0 {
		return nil, nil
	}
	written := s.keepUnsent(unsent)
	outside(ctx, func() { // the process may be killed once it has answered

		select {
		case <-written:
		case <-ctx.Done():
		}
	})
	return nil, nil
}

func (s *Server) exit(json.RawMessage) error {
	if err := s.editor.conn.Close(); err != nil {
		return fmt.Errorf("exit: %w", err)
	}
	return nil
}

// registerWatchers asks to be told of changes on disk, so that closed files
// and clean buffers are compared again when an agent wrote them.
func (s *Server) registerWatchers() {
	params := protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "ahp-watch", Method: "workspace/didChangeWatchedFiles",
		RegisterOptions: protocol.DidChangeWatchedFilesRegOptions{
			Watchers: []protocol.FileSystemWatcher{{GlobPattern: "**/*"}},
		},
	}}}
	s.editor.ask("client/registerCapability", params, nil, func(err error) {
		if err != nil {
			s.cfg.Log.Infof("the editor does not watch files: %v", err)
		}
	})
}

func ignoreProgressCancel(*glsp.Context, *protocol316.WorkDoneProgressCancelParams) error { return nil }
