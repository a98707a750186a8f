package ahp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// maxDepth bounds the nesting of what is read. Deeper texts are refused as a
// whole: encoding/json would refuse to write them back.
const maxDepth = 512

// scanner walks a JSON text once, from left to right, and checks it on the way:
// a snapshot of 100 000 annotations is read without building a tree and without
// looking at a byte twice.
//
// A read method consumes exactly one value. After a syntax error the scanner is
// broken: it stands at the end, every read gives the zero value, every loop
// ends, and nothing that was read may be used.
type scanner struct {
	data   []byte
	i      int
	first  bool // nothing of the object or array just opened has been read
	broken bool
	reason string // why it is broken
	at     int    // where, in bytes
	slots  []slot // the open objects and arrays, for messages
}

// slot is where in an object or array the scanner is.
type slot struct {
	key   []byte // of the member; nil before the first one
	array bool
	index int    // of the element
	id    string // what the member or element calls itself, if it has said so
}

func (s *scanner) fail(reason string) {
	if !s.broken {
		s.broken, s.reason, s.at = true, reason, s.i
	}
	s.i = len(s.data)
	s.first = false
}

// peek returns the next byte that is no white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.data) {
		switch c := s.data[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// enter consumes the bracket that opens an object or array.
func (s *scanner) enter(array bool) {
	if len(s.slots) >= maxDepth {
		s.fail("nested too deeply")
		return
	}
	s.i++
	s.first = true
	s.slots = append(s.slots, slot{array: array, index: -1})
}

func (s *scanner) leave() {
	s.i++
	s.first = false
	s.slots = s.slots[:len(s.slots)-1]
}

// next moves to the value of the next member of the object that was entered
// and returns its key, which is valid until the text is given up. At the end it
// leaves the object. Key and value may be in any order; of members with the
// same key the last one counts, as everywhere.
func (s *scanner) next() (key []byte, ok bool) {
	if !s.more('}') {
		return nil, false
	}
	if s.peek() != '"' {
		s.fail("want a member's name")
		return nil, false
	}
	raw, plain := s.quoted()
	if key = raw[1 : len(raw)-1]; !plain {
		key = []byte(unquote(raw))
	}
	if s.peek() != ':' {
		s.fail("want a colon behind a member's name")
		return nil, false
	}
	s.i++
	top := &s.slots[len(s.slots)-1]
	top.key, top.id = key, ""
	return key, true
}

// elem moves to the next element of the array that was entered; at the end it
// leaves the array.
func (s *scanner) elem() bool {
	if !s.more(']') {
		return false
	}
	top := &s.slots[len(s.slots)-1]
	top.index, top.id = top.index+1, ""
	return true
}

func (s *scanner) more(end byte) bool {
	c := s.peek()
	switch {
	case s.broken:
		return false
	case c == end:
		s.leave()
		return false
	case s.first:
		s.first = false
		return true
	case c != ',':
		s.fail("want a comma or the end of an object or array")
		return false
	}
	s.i++
	if s.peek() == end {
		s.fail("a comma with nothing behind it")
		return false
	}
	return true
}

// quoted consumes the string at the cursor and returns it with its quotes.
// plain is true if what is between them is the string itself: no escape, and
// valid UTF-8. If the text is broken there, an empty string comes back.
func (s *scanner) quoted() (raw []byte, plain bool) {
	start, ascii := s.i, true
	for i := start + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.i = i + 1
			raw = s.data[start:s.i]
			return raw, ascii || utf8.Valid(raw)
		case c == '\\':
			return s.escaped(start, i)
		case c < ' ':
			s.fail("a control character in a string")
			return []byte(`""`), true
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.fail("a string without an end")
	return []byte(`""`), true
}

func (s *scanner) escaped(start, i int) (raw []byte, plain bool) {
	for ; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.i = i + 1
			return s.data[start:s.i], false
		case c < ' ':
			s.fail("a control character in a string")
			return []byte(`""`), true
		case c != '\\':
		case i+1 < len(s.data) && bytes.IndexByte([]byte(`"\/bfnrt`), s.data[i+1]) >= 0:
			i++
		case i+5 < len(s.data) && s.data[i+1] == 'u' && isHex(s.data[i+2:i+6]):
			i += 5
		default:
			s.fail("an unknown escape in a string")
			return []byte(`""`), true
		}
	}
	s.fail("a string without an end")
	return []byte(`""`), true
}

func isHex(digits []byte) bool {
	for _, c := range digits {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

// unquote decodes a string that is not plain, as encoding/json does it: what is
// no UTF-8 becomes U+FFFD.
func unquote(raw []byte) string {
	var v string
	_ = json.Unmarshal(raw, &v) // quoted has checked it
	return v
}

// number consumes the number at the cursor.
func (s *scanner) number() []byte {
	rest, n := s.data[s.i:], 0
	if n < len(rest) && rest[n] == '-' {
		n++
	}
	whole := digits(rest[n:])
	ok := whole == 1 || whole > 1 && rest[n] != '0'
	n += whole
	if ok && n < len(rest) && rest[n] == '.' {
		fraction := digits(rest[n+1:])
		ok = fraction > 0
		n += 1 + fraction
	}
	if ok && n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		n++
		if n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
			n++
		}
		exponent := digits(rest[n:])
		ok = exponent > 0
		n += exponent
	}
	if !ok {
		s.fail("no JSON value")
		return []byte("0")
	}
	s.i += n
	return rest[:n]
}

func digits(data []byte) (n int) {
	for n < len(data) && '0' <= data[n] && data[n] <= '9' {
		n++
	}
	return n
}

func (s *scanner) literal(word string) {
	if !bytes.HasPrefix(s.data[s.i:], []byte(word)) {
		s.fail("no JSON value")
		return
	}
	s.i += len(word)
}

// skip consumes the value at the cursor, whatever it is.
func (s *scanner) skip() {
	switch c := s.peek(); c {
	case '{':
		for s.enter(false); ; s.skip() {
			if _, ok := s.next(); !ok {
				return
			}
		}
	case '[':
		for s.enter(true); s.elem(); {
			s.skip()
		}
	case '"':
		s.quoted()
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.number()
	}
}

// raw consumes the value at the cursor and returns its text, which belongs to
// the text being read: clone it to keep it.
func (s *scanner) raw() []byte {
	s.peek()
	start := s.i
	s.skip()
	if s.broken {
		return nil
	}
	return s.data[start:s.i]
}

// end reports whether nothing but white space is left of a sound text.
func (s *scanner) end() bool {
	if s.peek() != 0 || s.i < len(s.data) {
		s.fail("more behind the value")
	}
	return !s.broken
}
