package lsp

import (
	"encoding/json"

	protocol "github.com/tliron/glsp/protocol_3_16"
)

// The members of LSP 3.17 and 3.18, and of 3.16 where glsp's types lose or
// refuse something, as small structs.

// rawRange reads positions of any size and sign: an editor that sends a column
// of 2³¹ or -1 must not get its document out of step.
type rawRange struct {
	Start rawPosition `json:"start"`
	End   rawPosition `json:"end"`
}

type rawPosition struct {
	Line      float64 `json:"line"`
	Character float64 `json:"character"`
}

type didOpenParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Range *rawRange `json:"range"`
		Text  string    `json:"text"`
	} `json:"contentChanges"`
}

// initializeParams are the members of the client's first request that matter.
type initializeParams struct {
	ClientInfo *struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	ProcessID             *int            `json:"processId"`
	RootURI               *string         `json:"rootUri"`
	RootPath              *string         `json:"rootPath"`
	WorkspaceFolders      []folder        `json:"workspaceFolders"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
	Capabilities          capabilities    `json:"capabilities"`
	Trace                 string          `json:"trace"`
}

type folder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

type refreshSupport struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// capabilities is what the client can do.
type capabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	TextDocument struct {
		CodeAction *struct {
			CodeActionLiteralSupport json.RawMessage `json:"codeActionLiteralSupport"`
			DisabledSupport          bool            `json:"disabledSupport"`
			IsPreferredSupport       bool            `json:"isPreferredSupport"`
		} `json:"codeAction"`
		CodeLens   *struct{} `json:"codeLens"`
		InlayHint  *struct{} `json:"inlayHint"`
		Diagnostic *struct{} `json:"diagnostic"`
		Hover      struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		PublishDiagnostics *struct {
			RelatedInformation bool `json:"relatedInformation"`
			VersionSupport     bool `json:"versionSupport"`
		} `json:"publishDiagnostics"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowMessage      *struct {
			MessageActionItem json.RawMessage `json:"messageActionItem"`
		} `json:"showMessage"`
		ShowDocument *struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	Workspace struct {
		ApplyEdit     bool `json:"applyEdit"`
		Configuration bool `json:"configuration"`
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		CodeLens    refreshSupport `json:"codeLens"`
		InlayHint   refreshSupport `json:"inlayHint"`
		Diagnostics refreshSupport `json:"diagnostics"`
		Diagnostic  refreshSupport `json:"diagnostic"` // Helix spells it so
	} `json:"workspace"`
}

// versionedEdits reports whether the client takes edits that name the version
// they were made for. Neovim 0.12 does without announcing documentChanges; it
// announces the resource operations that only exist inside them.
func (c *capabilities) versionedEdits() bool {
	w := c.Workspace.WorkspaceEdit
	return w.DocumentChanges || len(w.ResourceOperations) > 0
}

func (c *capabilities) asks() bool {
	return c.Window.ShowMessage != nil && len(c.Window.ShowMessage.MessageActionItem) > 0
}

func (c *capabilities) showsDocuments() bool {
	return c.Window.ShowDocument != nil && c.Window.ShowDocument.Support
}

func (c *capabilities) relatedInformation() bool {
	p := c.TextDocument.PublishDiagnostics
	return p != nil && p.RelatedInformation
}

func (c *capabilities) diagnosticVersions() bool {
	p := c.TextDocument.PublishDiagnostics
	return p != nil && p.VersionSupport
}

func (c *capabilities) refreshesDiagnostics() bool {
	return c.Workspace.Diagnostics.RefreshSupport || c.Workspace.Diagnostic.RefreshSupport
}

// serverCapabilities extends glsp's by what came after 3.16.
type serverCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding   string             `json:"positionEncoding"`
	InlayHintProvider  bool               `json:"inlayHintProvider"`
	DiagnosticProvider *diagnosticOptions `json:"diagnosticProvider,omitempty"`
}

type diagnosticOptions struct {
	Identifier            string `json:"identifier"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}

type initializeResult struct {
	Capabilities serverCapabilities                  `json:"capabilities"`
	ServerInfo   protocol.InitializeResultServerInfo `json:"serverInfo"`
}

// inlayHint is LSP 3.17's.
type inlayHint struct {
	Position    protocol.Position `json:"position"`
	Label       string            `json:"label"`
	Tooltip     string            `json:"tooltip,omitempty"`
	PaddingLeft bool              `json:"paddingLeft"`
}

type inlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        rawRange                        `json:"range"`
}

// documentDiagnosticParams and diagnosticReport are LSP 3.17's pull model.
type documentDiagnosticParams struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                          `json:"previousResultId"`
}

type diagnosticReport struct {
	Kind     string                 `json:"kind"` // full or unchanged
	ResultID string                 `json:"resultId"`
	Items    *[]protocol.Diagnostic `json:"items,omitempty"` // full only
}

type showDocumentParams struct {
	URI       string          `json:"uri"`
	External  bool            `json:"external,omitempty"`
	TakeFocus bool            `json:"takeFocus"`
	Selection *protocol.Range `json:"selection,omitempty"`
}
