package githost

import (
	"bytes"
	"encoding/json"
)

// encode writes JSON without HTML escaping: code is full of < and &.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// members is a JSON object whose members are raw.
type members map[string]json.RawMessage

// parseMembers reads an object; what is none reads as an empty one.
func parseMembers(raw json.RawMessage) members {
	m := members{}
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return members{}
	}
	return m
}

// withMember returns the object raw with one member replaced, or taken out if
// value is nil.
func withMember(raw json.RawMessage, key string, value any) json.RawMessage {
	m := parseMembers(raw)
	delete(m, key)
	if value != nil {
		if v, err := encode(value); err == nil {
			m[key] = v
		}
	}
	if len(m) == 0 {
		return nil
	}
	out, err := encode(m)
	if err != nil {
		return raw
	}
	return out
}
