package githost

import (
	"encoding/json"

	"ahp-lsp/bridge/ahp"
)

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
