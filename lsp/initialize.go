package lsp

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tliron/glsp"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

func (s *Server) initialize(c *call) (any, error) {
	var p initializeParams
	if err := c.decode(&p); err != nil {
		// One odd member must not cost the session; what decoded is used.
		s.log.Warningf("%v", err)
	}
	s.client = p.Capabilities
	s.encoding = mapping.UTF16
	for _, want := range []string{"utf-8", "utf-32"} {
		if slices.Contains(p.Capabilities.General.PositionEncodings, want) {
			s.encoding, _ = mapping.ParseEncoding(want)
			break
		}
	}
	for _, f := range p.WorkspaceFolders {
		s.folders = append(s.folders, ahp.CanonicalURI(f.URI))
	}
	if len(s.folders) == 0 && p.RootURI != nil && *p.RootURI != "" {
		s.folders = []string{ahp.CanonicalURI(*p.RootURI)}
	}
	s.fromInit = s.readSettings("initializationOptions", unwrap(p.InitializationOptions))
	s.applySettings()
	s.phase = phaseInitialized
	s.handler.SetInitialized(true)
	if p.ClientInfo != nil {
		s.log.Infof("editor: %s %s, positions in %s", p.ClientInfo.Name, p.ClientInfo.Version, s.encoding)
	}

	version := s.cfg.Version
	r := initializeResult{ServerInfo: protocol.InitializeResultServerInfo{Name: "ahp-lsp", Version: &version}}
	r.Capabilities.PositionEncoding = s.encoding.String()
	r.Capabilities.InlayHintProvider = true
	yes := true
	incremental := protocol.TextDocumentSyncKindIncremental
	r.Capabilities.TextDocumentSync = protocol.TextDocumentSyncOptions{
		OpenClose: &yes, Change: &incremental, Save: protocol.SaveOptions{},
	}
	r.Capabilities.HoverProvider = true
	r.Capabilities.CodeLensProvider = &protocol.CodeLensOptions{}
	r.Capabilities.CodeActionProvider = protocol.CodeActionOptions{
		CodeActionKinds: []protocol.CodeActionKind{kindThread, kindChange, kindSource},
	}
	r.Capabilities.ExecuteCommandProvider = &protocol.ExecuteCommandOptions{Commands: commandNames()}
	r.Capabilities.Workspace = &protocol.ServerCapabilitiesWorkspace{
		WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: &protocol.BoolOrString{Value: true},
		},
	}
	if s.pullOffered = s.offersPull(); s.pullOffered {
		r.Capabilities.DiagnosticProvider = &diagnosticOptions{Identifier: "ahp"}
	}
	return r, nil
}

// offersPull: diagnostics are pushed, unless the client can only pull or the
// user wants it so. Offering both would show everything twice in some editors.
func (s *Server) offersPull() bool {
	td := s.client.TextDocument
	return td.Diagnostic != nil && (td.PublishDiagnostics == nil || value(s.settings.PullDiagnostics))
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

func (s *Server) initialized(*call) (any, error) {
	if s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		s.registerWatchers()
	}
	if s.client.Workspace.Configuration {
		s.askSettings() // starts the host when the answer is there
	} else {
		s.startHost()
	}
	return nil, nil
}

func (s *Server) shutdown(*call) (any, error) {
	s.phase = phaseShutdown
	s.stopHost()
	return nil, nil
}

func (s *Server) exit(*call) (any, error) {
	if err := s.conn.Close(); err != nil {
		return nil, fmt.Errorf("exit: %w", err)
	}
	return nil, nil
}

// registerWatchers asks to be told of changes on disk, so that closed files
// and clean buffers are compared again when an agent wrote them.
func (s *Server) registerWatchers() {
	params := protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "ahp-watch", Method: "workspace/didChangeWatchedFiles",
		RegisterOptions: protocol.DidChangeWatchedFilesRegistrationOptions{
			Watchers: []protocol.FileSystemWatcher{{GlobPattern: "**/*"}},
		},
	}}}
	s.ask("client/registerCapability", params, nil, func(err error) {
		if err != nil {
			s.log.Infof("the editor does not watch files: %v", err)
		}
	})
}

func (s *Server) didChangeWatchedFiles(_ *glsp.Context, p *protocol.DidChangeWatchedFilesParams) error {
	for _, e := range p.Changes {
		if f := s.files[ahp.CanonicalURI(e.URI)]; f != nil {
			s.readDisk(f)
			s.reloadChanges(f)
		}
	}
	return nil
}

func (s *Server) didChangeFolders(_ *glsp.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	for _, f := range p.Event.Removed {
		uri := ahp.CanonicalURI(f.URI)
		s.folders = slices.DeleteFunc(s.folders, func(u string) bool { return u == uri })
	}
	for _, f := range p.Event.Added {
		if uri := ahp.CanonicalURI(f.URI); !slices.Contains(s.folders, uri) {
			s.folders = append(s.folders, uri)
		}
	}
	for _, f := range s.files {
		s.touch(f) // closed files that came into, or went out of, the workspace
	}
	s.rootsChanged()
	return nil
}

func ignoreProgressCancel(*glsp.Context, *protocol.WorkDoneProgressCancelParams) error { return nil }
