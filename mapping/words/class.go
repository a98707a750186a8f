// Package words looks into single lines: the words they are made of, how alike
// two lines are, and which columns of one became which of the other. It is pure
// and knows neither texts nor places.
package words

import (
	"unicode"
	"unicode/utf8"
)

// Any reports whether s holds a letter or a digit. Blank lines and lone
// brackets say nothing about where they belong.
func Any(s string) bool {
	for i := 0; i < len(s); i++ {
		if isWord(s[i]) {
			return true
		}
	}
	return false
}

// isWord reports whether c is part of a word. Every byte of a character beyond
// ASCII counts as one: letters of other scripts are far more frequent in source
// text than symbols.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// IsSpace reports whether c is white space that reformatting may change.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'
}

// Blank reports whether s is white space only.
func Blank(s string) bool {
	for i := 0; i < len(s); i++ {
		if !IsSpace(s[i]) {
			return false
		}
	}
	return true
}

// Squeeze is s without white space.
func Squeeze(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !IsSpace(s[i]) {
			out = append(out, s[i])
		}
	}
	return string(out)
}

// Glued reports whether the characters on both sides of off belong to one word.
func Glued(s string, off int) bool {
	if off <= 0 || off >= len(s) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:off])
	after, _ := utf8.DecodeRuneInString(s[off:])
	return wordRune(before) && wordRune(after)
}

// wordRune reports whether r forms words together with its neighbours, which
// characters of scripts without spaces do not.
func wordRune(r rune) bool {
	if r == '_' || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}
