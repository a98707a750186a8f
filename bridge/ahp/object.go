package ahp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
)

// Problems is the list of members that could not be read as the specification
// has them. The value they came with is usable all the same.
type Problems []string

// Error lists the problems, separated by "; ".
func (p Problems) Error() string { return strings.Join(p, "; ") }

// decoder gathers problems while a value is read member by member.
type decoder struct{ problems Problems }

func (d *decoder) problem(format string, args ...any) {
	// A hostile frame must not make us hold a message per member.
	if len(d.problems) < 16 {
		d.problems = append(d.problems, fmt.Sprintf(format, args...))
	}
}

func (d *decoder) err() error {
	if len(d.problems) == 0 {
		return nil
	}
	return d.problems
}

// object is a JSON object whose members are still raw. Reading a member takes
// it out, so that what remains at the end are the members we do not know.
type object map[string]json.RawMessage

// object decodes data, which must be an object; anything else is a problem and
// reads as an empty one. null and absent data are an absent value, not a problem.
func (d *decoder) object(path string, data []byte) (object, bool) {
	if isNull(data) {
		return nil, false
	}
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		d.problem("%s: want an object, got %s", path, kindOf(data))
		return nil, false
	}
	return o, true
}

func (d *decoder) array(path string, data []byte) ([]json.RawMessage, bool) {
	if isNull(data) {
		return nil, false
	}
	var a []json.RawMessage
	if err := json.Unmarshal(data, &a); err != nil {
		d.problem("%s: want an array, got %s", path, kindOf(data))
		return nil, false
	}
	return a, true
}

func (o object) take(key string) json.RawMessage {
	v, ok := o[key]
	if ok {
		delete(o, key)
	}
	return v
}

// rest returns the members that were not taken, nil if there are none.
func (o object) rest() map[string]json.RawMessage {
	if len(o) == 0 {
		return nil
	}
	return o
}

func (d *decoder) str(o object, path, key string) string {
	s, _ := d.optStr(o, path, key)
	return s
}

func (d *decoder) optStr(o object, path, key string) (string, bool) {
	raw := o.take(key)
	if isNull(raw) {
		return "", false
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		d.problem("%s.%s: want a string, got %s", path, key, kindOf(raw))
		return "", false
	}
	return s, true
}

func (d *decoder) bool(o object, path, key string) bool {
	b, _ := d.optBool(o, path, key)
	return b
}

func (d *decoder) optBool(o object, path, key string) (value, present bool) {
	raw := o.take(key)
	if isNull(raw) {
		return false, false
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		d.problem("%s.%s: want true or false, got %s", path, key, kindOf(raw))
		return false, false
	}
	return value, true
}

// int reads a number as an integer, clamped to 32 bits: agents invent columns
// such as 1e9, and a line number must never overflow what it is added to.
func (d *decoder) int(o object, path, key string) (int, bool) {
	raw := o.take(key)
	if isNull(raw) {
		return 0, false
	}
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil {
		d.problem("%s.%s: want a number, got %s", path, key, kindOf(raw))
		return 0, false
	}
	return int(math.Max(math.MinInt32, math.Min(math.MaxInt32, f))), true
}

func (d *decoder) strings(o object, path, key string) []string {
	items, ok := d.array(path+"."+key, o.take(key))
	if !ok {
		return nil
	}
	out := make([]string, 0, len(items))
	for _, raw := range items {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			d.problem("%s.%s: want strings, got %s", path, key, kindOf(raw))
			continue
		}
		out = append(out, s)
	}
	return out
}

func isNull(data []byte) bool {
	return len(data) == 0 || string(bytes.TrimSpace(data)) == "null"
}

// kindOf names what a JSON text is, for messages.
func kindOf(data []byte) string {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return "nothing"
	}
	switch data[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "a number"
	}
	return "no JSON"
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

// encode writes without HTML escaping: code is full of < and &.
func (e encoder) encode() ([]byte, error) { return marshal(map[string]any(e)) }

func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
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
