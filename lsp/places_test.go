package lsp

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The editors' side of positions, written anew: what the server computes is
// compared with it, so it must not use the same code.

// unitsIn counts a text in an encoding.
func unitsIn(s, encoding string) int {
	switch encoding {
	case "utf-8":
		return len(s)
	case "utf-32":
		return utf8.RuneCountInString(s)
	}
	return len(utf16.Encode([]rune(s)))
}

// placeOf is the position of a byte offset.
func placeOf(text string, offset int, encoding string) [2]int {
	before := text[:offset]
	line := strings.Count(before, "\n")
	return [2]int{line, unitsIn(before[strings.LastIndexByte(before, '\n')+1:], encoding)}
}

// offsetOf is the byte offset of a position; ok is false for one that is not in
// the text.
func offsetOf(text string, place [2]int, encoding string) (offset int, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	if place[0] < 0 || place[0] >= len(lines) || place[1] < 0 {
		return len(text), false
	}
	for _, l := range lines[:place[0]] {
		offset += len(l)
	}
	line := strings.TrimRight(lines[place[0]], "\r\n")
	units := 0
	for i, r := range line {
		if units >= place[1] {
			return offset + i, units == place[1]
		}
		units += unitsIn(string(r), encoding)
	}
	return offset + len(line), units == place[1]
}

// sliceOf is the text of a range.
func sliceOf(text string, start, end [2]int, encoding string) (string, bool) {
	from, ok1 := offsetOf(text, start, encoding)
	to, ok2 := offsetOf(text, end, encoding)
	if !ok1 || !ok2 || from > to {
		return "", false
	}
	return text[from:to], true
}
