package protocol

import "encoding/json"

// Capabilities is what the client can do.
type Capabilities struct {
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

// VersionedEdits reports whether the client takes edits that name the version
// they were made for. Neovim 0.12 does without announcing documentChanges; it
// announces the resource operations that only exist inside them.
func (c *Capabilities) VersionedEdits() bool {
	w := c.Workspace.WorkspaceEdit
	return w.DocumentChanges || len(w.ResourceOperations) > 0
}

// Asks reports whether the client can put a question with answers to the user.
func (c *Capabilities) Asks() bool {
	return c.Window.ShowMessage != nil && len(c.Window.ShowMessage.MessageActionItem) > 0
}

// ShowsDocuments reports whether the client can open a file for us.
func (c *Capabilities) ShowsDocuments() bool {
	return c.Window.ShowDocument != nil && c.Window.ShowDocument.Support
}

// RelatedInformation reports whether the client shows what belongs to a diagnostic.
func (c *Capabilities) RelatedInformation() bool {
	p := c.TextDocument.PublishDiagnostics
	return p != nil && p.RelatedInformation
}

// DiagnosticVersions reports whether the client compares the version of a set of
// diagnostics with its own.
func (c *Capabilities) DiagnosticVersions() bool {
	p := c.TextDocument.PublishDiagnostics
	return p != nil && p.VersionSupport
}

// RefreshesDiagnostics reports whether the client pulls again when it is asked to.
func (c *Capabilities) RefreshesDiagnostics() bool {
	return c.Workspace.Diagnostics.RefreshSupport || c.Workspace.Diagnostic.RefreshSupport
}
