package protocol

// InlayHint is LSP 3.17's.
type InlayHint struct {
	Position    Position `json:"position"`
	Label       string   `json:"label"`
	Tooltip     string   `json:"tooltip,omitempty"`
	PaddingLeft bool     `json:"paddingLeft"`
}

// InlayHintParams are those of textDocument/inlayHint.
type InlayHintParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        RawRange               `json:"range"`
}

// DocumentDiagnosticParams and DiagnosticReport are LSP 3.17's pull model.
type DocumentDiagnosticParams struct {
	TextDocument     TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                 `json:"previousResultId"`
}

type DiagnosticReport struct {
	Kind     string        `json:"kind"` // full or unchanged
	ResultID string        `json:"resultId"`
	Items    *[]Diagnostic `json:"items,omitempty"` // full only
}

// ShowDocumentParams are those of window/showDocument.
type ShowDocumentParams struct {
	URI       string `json:"uri"`
	External  bool   `json:"external,omitempty"`
	TakeFocus bool   `json:"takeFocus"`
	Selection *Range `json:"selection,omitempty"`
}

// PublishDiagnosticsParams are glsp's with a version that can be negative, as LSP
// has it.
type PublishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// CodeActionParams are those of textDocument/codeAction that matter.
type CodeActionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        RawRange               `json:"range"`
	Context      struct {
		Only        []string `json:"only"`
		TriggerKind int      `json:"triggerKind"` // 1: the user asked, 2: the editor on its own
	} `json:"context"`
}
