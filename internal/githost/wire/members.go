// Package wire reads and changes JSON objects of the protocol member by member,
// so that members nobody here knows stay as they are. Everything in the embedded
// host may import it; it imports bridge/ahp only, and has no state.
package wire

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"

	"ahp-lsp/bridge/ahp"
)

// Members is a JSON object whose members are raw.
type Members map[string]json.RawMessage

// Parse reads an object; anything else reads as an empty one.
func Parse(raw json.RawMessage) Members {
	m := Members{}
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return Members{}
	}
	return m
}

// With returns the object raw with one member replaced, or taken out if
// value is nil.
func With(raw json.RawMessage, key string, value any) json.RawMessage {
	m := Parse(raw)
	delete(m, key)
	if value != nil {
		if v, err := ahp.Marshal(value); err == nil {
			m[key] = v
		}
	}
	if len(m) == 0 {
		return nil
	}
	out, err := ahp.Marshal(m)
	if err != nil {
		return raw
	}
	return out
}

// Text reads a JSON string, "" if it is none.
func Text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Errorf is the error of a request, with a code of the protocol.
func Errorf(code int, format string, args ...any) *ahp.Error {
	return &ahp.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// FileURI is the URI of a file below a folder, by its path relative to it with
// slashes.
func FileURI(root, rel string) string {
	return ahp.FileURI(path.Join(filepath.ToSlash(root), rel))
}
