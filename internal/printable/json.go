package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON is v as indented JSON with a final line break. Characters that are not to be
// printed are written as \uXXXX: the value is the same.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escape(b.Bytes()), nil
}

// escape escapes characters in the strings of a JSON text; elsewhere there are none.
func escape(text []byte) []byte {
	if !dirty(string(text), "\n\t\r") {
		return text
	}
	var out []byte
	before := rune(0)
	rest := string(text)
	for len(rest) > 0 {
		r, n := utf8.DecodeRuneInString(rest)
		next, _ := utf8.DecodeRuneInString(rest[n:])
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == utf8.RuneError && n == 1 || printed(r, before, next):
			out = append(out, rest[:n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		before, rest = r, rest[n:]
	}
	return out
}
