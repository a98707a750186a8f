package ahp

import (
	"bytes"
	"encoding/json"
	"maps"
)

// object is a JSON object whose members are raw: for values that are merged
// member by member, or changed in one place and otherwise left alone. The
// members are never written to.
type object map[string]json.RawMessage

// rawObject reads the object at the cursor.
func (d *decoder) rawObject() (object, bool) {
	if !d.object() {
		return nil, false
	}
	o := object{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		d.other((*map[string]json.RawMessage)(&o), key)
	}
	return o, !d.broken
}

// parseObject reads a text that is nothing but an object.
func parseObject(data []byte) (object, bool) {
	d := newDecoder("", data)
	o, ok := d.rawObject()
	return o, ok && d.end()
}

// with reads one member of an object with methods of the decoder. An absent
// one is not read.
func (d *decoder) with(o object, key string, read func()) {
	raw, ok := o[key]
	if !ok {
		return
	}
	outer := d.scanner
	d.scanner = scanner{data: raw, slots: append(outer.slots, slot{key: []byte(key)})}
	read()
	d.scanner = outer
}

// inside reads a value that was taken as its text with methods of the decoder.
func (d *decoder) inside(raw []byte, read func()) {
	outer := d.scanner
	d.scanner = scanner{data: raw, slots: outer.slots}
	read()
	d.scanner = outer
}

// mergeObject returns base with the members of changes on top; members whose
// new value is null are dropped. It is the merge of session/chatUpdated and
// root/sessionSummaryChanged.
func mergeObject(base, changes object) object {
	out := maps.Clone(base)
	if out == nil {
		out = object{}
	}
	for k, v := range changes {
		if isNull(v) {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

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
