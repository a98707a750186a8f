package ahp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Error codes (specification: Errors).
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeNoSession      = -32001
	CodeTurnInProgress = -32004
	CodeVersion        = -32005
	CodeContent        = -32006
	CodeAuthRequired   = -32007
	CodeNotFound       = -32008
	CodePermission     = -32009
	CodeConflict       = -32011
)

// Error is a JSON-RPC error as a host answers it.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error gives the message's first line: hosts put stack traces behind it.
func (e *Error) Error() string {
	line, _, _ := strings.Cut(e.Message, "\n")
	return fmt.Sprintf("%s (%d)", line, e.Code)
}

// Is reports whether err is a host's error with the code.
func Is(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// SupportedVersions reads the data of a CodeVersion error.
func (e *Error) SupportedVersions() []string {
	var data struct {
		SupportedVersions []string `json:"supportedVersions"`
	}
	_ = json.Unmarshal(e.Data, &data)
	return data.SupportedVersions
}

// Message is any JSON-RPC message as it arrives: a request has Method and ID,
// a notification only Method, an answer only ID. The host's ids are opaque.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// InitializeParams opens a connection.
type InitializeParams struct {
	Channel              string          `json:"channel"`
	ProtocolVersions     []string        `json:"protocolVersions"`
	ClientID             string          `json:"clientId"`
	ClientInfo           *Implementation `json:"clientInfo,omitempty"`
	InitialSubscriptions []string        `json:"initialSubscriptions,omitempty"`
	Locale               string          `json:"locale,omitempty"`
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// InitializeResult is the host's answer.
type InitializeResult struct {
	ProtocolVersion string          `json:"protocolVersion"`
	ServerSeq       int64           `json:"serverSeq"`
	ServerInfo      *Implementation `json:"serverInfo,omitempty"`
	Snapshots       []Snapshot      `json:"snapshots"`
}

// ChannelParams is the params of subscribe, unsubscribe and ping.
type ChannelParams struct {
	Channel string `json:"channel"`
}

// SubscribeResult carries the snapshot of a channel that has state.
type SubscribeResult struct {
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}

// DispatchParams is the params of dispatchAction.
type DispatchParams struct {
	Channel   string `json:"channel"`
	ClientSeq int64  `json:"clientSeq"`
	Action    Action `json:"action"`
}

// ListSessionsParams is the params of listSessions.
type ListSessionsParams struct {
	Channel string `json:"channel"`
	Limit   int    `json:"limit,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
}

// ListSessionsResult is one page of summaries.
type ListSessionsResult struct {
	Items      []json.RawMessage `json:"items"`
	NextCursor string            `json:"nextCursor,omitempty"`
}

// ResourceReadParams is the params of resourceRead.
type ResourceReadParams struct {
	Channel  string `json:"channel"`
	URI      string `json:"uri"`
	Encoding string `json:"encoding,omitempty"`
}

// ResourceReadResult is a resource's content.
type ResourceReadResult struct {
	Data        string `json:"data"`
	Encoding    string `json:"encoding"` // utf-8 or base64
	ContentType string `json:"contentType,omitempty"`
}

// InvokeParams is the params of invokeChangesetOperation.
type InvokeParams struct {
	Channel     string           `json:"channel"`
	OperationID string           `json:"operationId"`
	Target      *OperationTarget `json:"target,omitempty"`
}

// OperationTarget is what an operation acts on; nil is the whole changeset.
// The range is in the coordinates of the named side's content.
type OperationTarget struct {
	Kind     string `json:"kind"` // resource or range
	Resource string `json:"resource"`
	Side     string `json:"side,omitempty"` // before or after
	Range    *Range `json:"range,omitempty"`
}

// InvokeResult is what an operation has to say.
type InvokeResult struct {
	Message  *Text `json:"message,omitempty"`
	FollowUp *struct {
		Content  ContentRef `json:"content"`
		External bool       `json:"external,omitempty"`
	} `json:"followUp,omitempty"`
}

// ReconnectParams resumes a lost connection.
type ReconnectParams struct {
	Channel           string   `json:"channel"`
	ClientID          string   `json:"clientId"`
	LastSeenServerSeq int64    `json:"lastSeenServerSeq"`
	Subscriptions     []string `json:"subscriptions"`
}

// ReconnectResult is either what was missed or fresh snapshots.
type ReconnectResult struct {
	Type      string     `json:"type"` // replay or snapshot
	Actions   []Envelope `json:"actions,omitempty"`
	Missing   []string   `json:"missing,omitempty"`
	Snapshots []Snapshot `json:"snapshots,omitempty"`
}
