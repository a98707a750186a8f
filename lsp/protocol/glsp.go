package protocol

import glsp "github.com/tliron/glsp/protocol_3_16"

// Types of LSP 3.16, as glsp decodes and encodes them. Lines and characters are
// zero-based; characters count in the negotiated encoding.
type (
	UInteger = glsp.UInteger
	Position = glsp.Position
	Range    = glsp.Range
	Location = glsp.Location

	TextDocumentIdentifier                  = glsp.TextDocumentIdentifier
	OptionalVersionedTextDocumentIdentifier = glsp.OptionalVersionedTextDocumentIdentifier
	TextDocumentEdit                        = glsp.TextDocumentEdit
	TextEdit                                = glsp.TextEdit
	WorkspaceEdit                           = glsp.WorkspaceEdit

	Command                      = glsp.Command
	CodeAction                   = glsp.CodeAction
	CodeLens                     = glsp.CodeLens
	CodeLensParams               = glsp.CodeLensParams
	Diagnostic                   = glsp.Diagnostic
	DiagnosticSeverity           = glsp.DiagnosticSeverity
	DiagnosticRelatedInformation = glsp.DiagnosticRelatedInformation
	Hover                        = glsp.Hover
	HoverParams                  = glsp.HoverParams
	MarkupContent                = glsp.MarkupContent
	MarkupKind                   = glsp.MarkupKind

	DidSaveParams                    = glsp.DidSaveTextDocumentParams
	DidCloseParams                   = glsp.DidCloseTextDocumentParams
	DidChangeConfigurationParams     = glsp.DidChangeConfigurationParams
	DidChangeWatchedFilesParams      = glsp.DidChangeWatchedFilesParams
	DidChangeWorkspaceFoldersParams  = glsp.DidChangeWorkspaceFoldersParams
	ConfigurationParams              = glsp.ConfigurationParams
	ConfigurationItem                = glsp.ConfigurationItem
	MessageType                      = glsp.MessageType
	MessageActionItem                = glsp.MessageActionItem
	ShowMessageParams                = glsp.ShowMessageParams
	ShowMessageRequestParams         = glsp.ShowMessageRequestParams
	LogMessageParams                 = glsp.LogMessageParams
	ApplyWorkspaceEditParams         = glsp.ApplyWorkspaceEditParams
	ApplyWorkspaceEditResponse       = glsp.ApplyWorkspaceEditResponse
	RegistrationParams               = glsp.RegistrationParams
	Registration                     = glsp.Registration
	FileSystemWatcher                = glsp.FileSystemWatcher
	DidChangeWatchedFilesRegOptions  = glsp.DidChangeWatchedFilesRegistrationOptions
	InitializeResultServerInfo       = glsp.InitializeResultServerInfo
	TextDocumentSyncOptions          = glsp.TextDocumentSyncOptions
	SaveOptions                      = glsp.SaveOptions
	CodeLensOptions                  = glsp.CodeLensOptions
	CodeActionOptions                = glsp.CodeActionOptions
	CodeActionKind                   = glsp.CodeActionKind
	ExecuteCommandOptions            = glsp.ExecuteCommandOptions
	ServerCapabilitiesWorkspace      = glsp.ServerCapabilitiesWorkspace
	WorkspaceFoldersServerCapability = glsp.WorkspaceFoldersServerCapabilities
	BoolOrString                     = glsp.BoolOrString
)

// Values of LSP 3.16.
const (
	MarkupKindMarkdown  = glsp.MarkupKindMarkdown
	MarkupKindPlainText = glsp.MarkupKindPlainText

	MessageTypeInfo    = glsp.MessageTypeInfo
	MessageTypeWarning = glsp.MessageTypeWarning
	MessageTypeError   = glsp.MessageTypeError

	SeverityError       = glsp.DiagnosticSeverityError
	SeverityWarning     = glsp.DiagnosticSeverityWarning
	SeverityInformation = glsp.DiagnosticSeverityInformation
	SeverityHint        = glsp.DiagnosticSeverityHint

	SyncIncremental = glsp.TextDocumentSyncKindIncremental
)
