package rpc

import (
	"bytes"
	"encoding/json"
	"iter"
)

// members iterates over the members of an object: valid JSON, without space before it. The values
// are sub-slices of it.
//
// Unmarshalling into a struct of RawMessages validates, scans again just as slowly, and copies:
// with a document of 8 MiB that takes 98 ms, more than the 77 ms of decoding it. This takes 5 ms,
// after 41 ms of [json.Valid]. It also does not take "ID" for "id".
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		pos := 1
		// next returns the value after spaces and separators, empty at the end of the object.
		next := func() []byte {
			start := pos + len(object[pos:]) - len(bytes.TrimLeft(object[pos:], " \t\r\n,:"))
			pos = valueEnd(object, start)
			return object[start:pos:pos] // an append must not run into the rest
		}
		for key := next(); len(key) > 0; key = next() {
			if !yield(unquote(key), next()) {
				return
			}
		}
	}
}

// valueEnd returns where the value that starts at pos ends; pos itself at the end of the object.
func valueEnd(object []byte, pos int) int {
	for depth := 0; ; pos++ {
		switch object[pos] {
		case '"':
			for pos++; object[pos] != '"'; pos++ {
				if object[pos] == '\\' {
					pos++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return pos
			}
		default:
			if depth == 0 {
				return pos + bytes.IndexAny(object[pos:], " \t\r\n,}")
			}
		}
		if depth == 0 {
			return pos + 1
		}
	}
}

func unquote(raw []byte) (s string) {
	_ = json.Unmarshal(raw, &s) // known to be a string
	return s
}
