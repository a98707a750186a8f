package ahp

import (
	"fmt"
	"strconv"
	"strings"
)

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
