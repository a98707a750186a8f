package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/sourcegraph/jsonrpc2"
)

// version is the "jsonrpc" member of all we send. The peer's is not looked at: plugins forget it.
const version = "2.0"

// The messages sent. A nil ID is null, which only an errorMessage may have.
type (
	callMessage struct {
		Version string       `json:"jsonrpc"`
		ID      *jsonrpc2.ID `json:"id,omitempty"` // nil for a notification
		Method  string       `json:"method"`
		Params  any          `json:"params,omitempty"`
	}
	resultMessage struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}
	errorMessage struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc2.Error `json:"error"`
	}
)

// message is a message received. Its raw members are sub-slices of the frame, nil when absent.
type message struct {
	id                  id
	method              string
	params, result, err json.RawMessage
}

func (m message) isAnswer() bool { return m.result != nil || m.err != nil }

// id identifies a request. [jsonrpc2.ID] would not do: it has no room for negative and big numbers,
// and does not keep how the peer wrote it.
type id struct {
	wire json.RawMessage // as written; nil if there is none
	key  string          // the same for equal ids; a string's begins with a quote
}

var integer = regexp.MustCompile(`^-?\d+$`)

// parseID reports false for what is neither an integer nor a string.
func parseID(raw json.RawMessage) (id, bool) {
	switch {
	case len(raw) > 0 && raw[0] == '"':
		return id{wire: bytes.Clone(raw), key: `"` + unquote(raw)}, true // cloned: must not hold the frame
	case integer.Match(raw):
		return id{wire: bytes.Clone(raw), key: string(raw)}, true
	}
	return id{}, false
}

// parseMessage reads a body. An error is what to tell the peer, with the message's id if that could
// be read; there is none about answers, lest two peers throw errors at each other.
func parseMessage(body []byte) (m message, err *jsonrpc2.Error) {
	if !json.Valid(body) {
		why := json.Unmarshal(body, new(json.RawMessage))
		return m, &jsonrpc2.Error{Code: jsonrpc2.CodeParseError, Message: fmt.Sprintf("message is not JSON: %v", why)}
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	if body[0] != '{' {
		return m, invalid("message is not an object (nor are batches supported)")
	}
	var rawID, method json.RawMessage
	for name, value := range members(body) {
		switch name {
		case "id":
			rawID = value
		case "method":
			method = value
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			m.err = value
		}
	}
	var idOK bool
	m.id, idOK = parseID(rawID)
	switch {
	case method == nil && m.isAnswer():
		return m, nil
	case rawID != nil && !idOK: // null too: JSON-RPC discourages it, LSP does not have it
		return m, invalid("id is neither an integer nor a string")
	case method == nil:
		return m, invalid("message has no method")
	case method[0] != '"':
		return m, invalid("method is not a string")
	}
	m.method, m.result, m.err = unquote(method), nil, nil
	if string(m.params) == "null" {
		m.params = nil // not allowed by JSON-RPC, but some send it for none
	}
	return m, nil
}

func invalid(text string) *jsonrpc2.Error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: text}
}
