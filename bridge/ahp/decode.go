package ahp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
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

// Problems is the list of members that could not be read as the specification
// has them, at most a few of them. The value they came with is usable all the
// same: what is unreadable is absent from it.
type Problems []string

// Error lists the problems, separated by "; ".
func (p Problems) Error() string { return strings.Join(p, "; ") }

// A hostile frame must not make us hold a message per member, nor a long one.
const (
	maxProblems    = 16
	maxProblemPart = 80 // bytes of a name in a message
)

// problem notes what is wrong with the value at the cursor. Its place is put
// together only now: naming each of 100 000 annotations beforehand would cost
// more than reading them.
func (d *decoder) problem(format string, args ...any) { d.note("", format, args...) }

// missing notes that the object just left has no such member.
func (d *decoder) missing(member string) { d.note("."+member, "missing") }

func (d *decoder) note(below, format string, args ...any) {
	switch {
	case d.broken:
	case len(d.problems) == maxProblems:
		d.more++
	default:
		d.problems = append(d.problems, d.path()+below+": "+fmt.Sprintf(format, args...))
	}
}

func (d *decoder) path() string {
	var b strings.Builder
	b.WriteString(d.what())
	for _, s := range d.slots {
		switch {
		case s.array && s.index >= 0:
			fmt.Fprintf(&b, "[%d]", s.index)
		case s.key != nil:
			b.WriteString("." + short(string(s.key)))
		}
		b.WriteString(quotedID(s.id))
	}
	return b.String()
}

func (d *decoder) what() string { return short(d.root) + quotedID(d.id) }

func quotedID(id string) string {
	if id == "" {
		return ""
	}
	return " " + strconv.Quote(short(id))
}

func short(s string) string {
	if len(s) > maxProblemPart {
		return strings.ToValidUTF8(s[:maxProblemPart], "") + "…"
	}
	return s
}

// named lets messages about the object being read say its id.
func (d *decoder) named(id string) {
	switch n := len(d.slots); {
	case n > 1:
		d.slots[n-2].id = id
	case n == 1:
		d.id = id
	}
}

// finish checks that the whole text was sound and returns what was wrong. If ok
// is false nothing that was read may be used.
func (d *decoder) finish() (ok bool, err error) {
	if !d.end() {
		return false, Problems{fmt.Sprintf("%s: not readable as JSON at byte %d of %d: %s", d.what(), d.at, len(d.data), d.reason)}
	}
	if d.more > 0 {
		d.problems = append(d.problems, fmt.Sprintf("and %d more", d.more))
	}
	if len(d.problems) == 0 {
		return true, nil
	}
	return true, d.problems
}

// kindOf names the JSON value that starts with c, for messages.
func kindOf(c byte) string {
	switch c {
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
	case 0:
		return "nothing"
	}
	return "no JSON"
}
