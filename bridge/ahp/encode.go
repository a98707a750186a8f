package ahp

import (
	"bytes"
	"encoding/json"
)

// encoder builds an object to send: the unknown members first, then ours.
type encoder map[string]any

func newEncoder(extra map[string]json.RawMessage) encoder {
	e := make(encoder, len(extra)+8)
	for k, v := range extra {
		e[k] = v
	}
	return e
}

func (e encoder) setStr(key, value string) {
	if value != "" {
		e[key] = value
	}
}

func (e encoder) setRaw(key string, value json.RawMessage) {
	if len(value) > 0 {
		e[key] = value
	}
}

func (e encoder) encode() ([]byte, error) { return Marshal(map[string]any(e)) }

// Marshal writes JSON without HTML escaping: code is full of < and &.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
