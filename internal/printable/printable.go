// Package printable makes text of hosts, agents, repositories and file names fit for a
// terminal, a message or a label: what would act there, or would not be seen, is made
// visible.
//
// # Notation
//
// A character that is not to be printed becomes its number in angle brackets, as in
// less and Vim: <U+001B> for escape, <U+202E> for the right-to-left override. A byte
// that is no part of a UTF-8 character becomes <0xFF>. All else stays as it is; text
// that has such a notation already is not changed, so the notation cannot be read back.
//
// These are not printed:
//
//   - control characters, C0, delete and C1, and with them every escape sequence;
//   - the line and paragraph separators U+2028 and U+2029;
//   - bidirectional controls, which reorder the text around them;
//   - characters without width or ink: zero-width spaces and joiners, fillers, the
//     soft hyphen, tags, variation selectors.
//
// Of the last kind those are left that writing needs: one of the selectors U+FE00 to
// U+FE0F after a visible character, a joiner between two pictographs, a joiner or
// non-joiner between letters of Arabic, Indic and similar scripts.
//
// # Which function
//
// [Line] is for one line, such as a file name, [Text] for several lines, [Label] for
// titles and messages. All three are idempotent.
package printable

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxLabel is how many characters [Label] returns at most.
const MaxLabel = 300

// Line returns s on one line: line breaks and tabs are made visible too.
func Line(s string) string { return visible(s, "") }

// Text returns s with its lines and tabs. A line break CR LF becomes LF; a carriage
// return elsewhere, which would overwrite the line, is made visible.
func Text(s string) string { return visible(strings.ReplaceAll(s, "\r\n", "\n"), "\n\t") }

// Label returns s on one line of at most [MaxLabel] characters, the last of which is
// "…" if there was more. Each run of white space, line breaks included, is one space.
func Label(s string) string {
	if ordinary(s) {
		return s
	}
	s = Line(strings.Join(strings.Fields(s), " "))
	if utf8.RuneCountInString(s) <= MaxLabel {
		return s
	}
	end := 0
	for count := 0; count < MaxLabel-1; count++ {
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	if open := strings.LastIndexByte(s[:end], '<'); open >= 0 && cuts(s[open:], end-open) {
		end = open
	}
	return strings.TrimRight(s[:end], " \u200c\u200d") + "…"
}

// ordinary reports whether s is a label as it is, by a look at characters that need
// no second one: most labels are made of nothing else, and there are thousands.
func ordinary(s string) bool {
	if len(s) > MaxLabel {
		return false
	}
	space := true // before
	for _, r := range s {
		switch {
		case r == ' ':
			if space {
				return false
			}
			space = true
			continue
		case r > ' ' && r < 0x7f, r > 0xa0 && r < 0x300 && r != 0xad, r == '–', r == '…', r == '−':
			space = false
		default:
			return false
		}
	}
	return !space || s == ""
}

// cuts reports whether s begins with a notation that is longer than n bytes.
func cuts(s string, n int) bool {
	end := strings.IndexByte(s, '>')
	return end >= n && end <= len("<U+10FFFF") && (strings.HasPrefix(s, "<U+") || strings.HasPrefix(s, "<0x"))
}

// visible writes s with what is not printed in its notation, but for the characters
// in keep.
func visible(s, keep string) string {
	if !dirty(s, keep) {
		return s
	}
	var b strings.Builder
	before := rune(0) // the character before, 0 at the beginning
	for rest := s; len(rest) > 0; {
		r, n := utf8.DecodeRuneInString(rest)
		next, _ := utf8.DecodeRuneInString(rest[n:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<0x%02X>", rest[0])
		case strings.ContainsRune(keep, r) || printed(r, before, next):
			b.WriteString(rest[:n])
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
		before, rest = r, rest[n:]
	}
	return b.String()
}

// dirty reports whether there is anything to do: nearly always there is not.
func dirty(s, keep string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || (c < ' ' || c == 0x7f) && strings.IndexByte(keep, c) < 0 {
			return true
		}
	}
	return false
}

// printed reports whether r is printed between the two characters beside it.
func printed(r, before, after rune) bool {
	switch {
	case r < 0x300:
		return r >= ' ' && r != 0x7f && (r < 0x80 || r >= 0xa0) && r != 0xad
	case r == joiner || r == nonJoiner:
		return joins(r, before, after)
	case r >= firstSelector && r <= lastSelector:
		return selects(before)
	}
	return !hidden(r)
}
