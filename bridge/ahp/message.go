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

// DecodeMessage reads a frame. Its raw members share data's memory: data must
// not be changed as long as they are used. A snapshot of many megabytes is read
// once, where json.Unmarshal would look at it three times and copy it.
//
// Members of the wrong type read as absent, but an error that cannot be read is
// an error still, so that its request does not wait for ever. What was wrong is
// in the error, of type Problems; if the frame was no JSON object, the message
// is empty.
func DecodeMessage(data []byte) (Message, error) {
	var m Message
	d := newDecoder("message", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			switch string(key) {
			case "id":
				m.ID = d.raw()
			case "method":
				m.Method = d.str()
			case "params":
				m.Params = d.raw()
			case "result":
				m.Result = d.raw()
			case "error":
				m.Error = d.rpcError()
			default:
				d.skip()
			}
		}
	}
	ok, err := d.finish()
	if !ok {
		return Message{}, err
	}
	return m, err
}

func (d *decoder) rpcError() *Error {
	if d.peek() == 'n' {
		d.skip()
		return nil
	}
	e := &Error{Code: CodeInternal}
	if c := d.peek(); c != '{' {
		d.problem("want an object, got %s", kindOf(c))
		e.Message = string(d.raw())
		return e
	}
	d.enter(false)
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "code":
			if code, ok := d.optInt(); ok {
				e.Code = code
			}
		case "message":
			e.Message = d.str()
		case "data":
			e.Data = d.raw()
		default:
			d.skip()
		}
	}
	return e
}
