package protocol

import (
	"encoding/json"

	glsp "github.com/tliron/glsp/protocol_3_16"
)

// InitializeParams are the members of the client's first request that matter.
type InitializeParams struct {
	ClientInfo *struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	ProcessID             *int            `json:"processId"`
	RootURI               *string         `json:"rootUri"`
	RootPath              *string         `json:"rootPath"`
	WorkspaceFolders      []Folder        `json:"workspaceFolders"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
	Capabilities          Capabilities    `json:"capabilities"`
	Trace                 string          `json:"trace"`
}

// Folder is a workspace folder.
type Folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

type refreshSupport struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// ServerCapabilities extends glsp's by what came after 3.16.
type ServerCapabilities struct {
	glsp.ServerCapabilities
	PositionEncoding   string             `json:"positionEncoding"`
	InlayHintProvider  bool               `json:"inlayHintProvider"`
	DiagnosticProvider *DiagnosticOptions `json:"diagnosticProvider,omitempty"`
}

// DiagnosticOptions are those of pull diagnostics (LSP 3.17).
type DiagnosticOptions struct {
	Identifier            string `json:"identifier"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}

// InitializeResult answers initialize.
type InitializeResult struct {
	Capabilities ServerCapabilities         `json:"capabilities"`
	ServerInfo   InitializeResultServerInfo `json:"serverInfo"`
}
