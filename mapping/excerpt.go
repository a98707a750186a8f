package mapping

import (
	"strings"
	"unicode/utf8"
)

// Shorten cuts s to at most n characters, the last of which is then "…".
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return strings.TrimRight(string(runes[:max(n-1, 0)]), " ") + "…"
}

// Fence puts text into a fenced code block that nothing in it can close.
func Fence(language, text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + marks
}
