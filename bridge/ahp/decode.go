package ahp

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// decoder reads typed values with a scanner and gathers what was wrong with
// them. Its read methods consume one value each; null is an absent value, one
// of another type is a problem and reads as absent.
type decoder struct {
	scanner
	root, id string // what is being read, for messages
	problems Problems
	more     int // problems beyond maxProblems

	interned map[string]string
	origin   *Origin // the one read last
}

func newDecoder(root string, data []byte) *decoder {
	return &decoder{scanner: scanner{data: data}, root: root}
}

// unfit consumes a value of the wrong type.
func (d *decoder) unfit(want string) {
	c := d.peek()
	if c != 'n' {
		d.problem("want %s, got %s", want, kindOf(c))
	}
	d.skip()
}

// object enters the object at the cursor.
func (d *decoder) object() bool {
	if d.peek() != '{' {
		d.unfit("an object")
		return false
	}
	d.enter(false)
	return true
}

// array enters the array at the cursor.
func (d *decoder) array() bool {
	if d.peek() != '[' {
		d.unfit("an array")
		return false
	}
	d.enter(true)
	return true
}

func (d *decoder) optStr() (string, bool) {
	if d.peek() != '"' {
		d.unfit("a string")
		return "", false
	}
	raw, plain := d.quoted()
	if !plain {
		return unquote(raw), true
	}
	return string(raw[1 : len(raw)-1]), true
}

func (d *decoder) str() string {
	s, _ := d.optStr()
	return s
}

// optCommon reads a string that many items share: they then share its memory.
func (d *decoder) optCommon() (string, bool) {
	if d.peek() != '"' {
		return d.optStr()
	}
	raw, plain := d.quoted()
	if !plain {
		return unquote(raw), true
	}
	raw = raw[1 : len(raw)-1]
	if s, ok := d.interned[string(raw)]; ok {
		return s, true
	}
	if d.interned == nil {
		d.interned = map[string]string{}
	}
	s := string(raw)
	d.interned[s] = s
	return s, true
}

func (d *decoder) common() string {
	s, _ := d.optCommon()
	return s
}

func (d *decoder) optBool() (value, present bool) {
	switch d.peek() {
	case 't':
		d.literal("true")
		return true, true
	case 'f':
		d.literal("false")
		return false, true
	}
	d.unfit("true or false")
	return false, false
}

func (d *decoder) bool() bool {
	b, _ := d.optBool()
	return b
}

// optFloat reads a number. One that is too large for a float64 is the largest.
func (d *decoder) optFloat() (float64, bool) {
	if c := d.peek(); c != '-' && (c < '0' || c > '9') {
		d.unfit("a number")
		return 0, false
	}
	f, _ := strconv.ParseFloat(string(d.number()), 64)
	return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, f)), !d.broken
}

// optInt reads a number as an integer, clamped to 32 bits: agents invent
// columns such as 1e9, and a line number must never overflow what it is added
// to. A fraction is cut off.
func (d *decoder) optInt() (int, bool) {
	f, ok := d.optFloat()
	return int(math.Max(math.MinInt32, math.Min(math.MaxInt32, f))), ok
}

func (d *decoder) int() int {
	n, _ := d.optInt()
	return n
}

// seq reads a sequence number: an integer up to 2^53.
func (d *decoder) seq() int64 {
	f, _ := d.optFloat()
	return int64(math.Max(-1<<53, math.Min(1<<53, f)))
}

// strings reads an array of strings, nil if there is none; elements of another
// type are left out.
func (d *decoder) strings() []string {
	if !d.array() {
		return nil
	}
	out := []string{}
	for d.elem() {
		if s, ok := d.optStr(); ok {
			out = append(out, s)
		}
	}
	return out
}

// keep reads any value as its text, in memory of its own. null reads as nil.
func (d *decoder) keep() json.RawMessage {
	raw := d.raw()
	if len(raw) == 0 || raw[0] == 'n' {
		return nil
	}
	return clone(raw)
}

// clone copies a JSON text that may be written back, into a text frame: so it
// must be UTF-8.
func clone(raw []byte) json.RawMessage {
	if !utf8.Valid(raw) {
		return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	return bytes.Clone(raw)
}

// other keeps a member that this package does not know.
func (d *decoder) other(members *map[string]json.RawMessage, key []byte) {
	if *members == nil {
		*members = map[string]json.RawMessage{}
	}
	name := string(key)
	value := d.keep()
	if value == nil {
		value = json.RawMessage("null")
	}
	(*members)[name] = value
}

func isNull(data []byte) bool {
	return len(data) == 0 || string(bytes.TrimSpace(data)) == "null"
}
