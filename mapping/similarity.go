package mapping

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// wording is what two lines are compared by: the hashes of their words, and of
// the parts of which their words are built ("readFile" and "read_file" both of
// "read" and "file"). Both are sorted and keep repetitions.
type wording struct{ words, parts []uint32 }

// longLine is the length in bytes above which a line is not taken apart into
// words: data and minified code, where common ends say enough.
const longLine = 4 << 10

func wordingOf(s string) wording {
	if len(s) > longLine {
		return wording{}
	}
	var w wording
	for rest := s; rest != ""; {
		var word string
		if word, rest = cutWord(rest); word != "" {
			h := uint32(fnvOffset)
			for i := 0; i < len(word); i++ {
				h = (h ^ uint32(word[i])) * fnvPrime
			}
			w.words = append(w.words, h)
			w.parts = appendParts(w.parts, word)
		}
	}
	if len(w.words) == 0 {
		return muteWording(s)
	}
	slices.Sort(w.words)
	slices.Sort(w.parts)
	return w
}

// cutWord splits s behind its first character or word. In scripts without
// spaces every character is a word; what is neither gives an empty one.
func cutWord(s string) (word, rest string) {
	i := 0
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !isWord(c) {
				break
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r) {
			if i == 0 && unicode.IsLetter(r) {
				return s[:w], s[w:]
			}
			break
		}
		i += w
	}
	if i > 0 {
		return s[:i], s[i:]
	}
	_, w := utf8.DecodeRuneInString(s)
	return "", s[w:]
}

// muteWording takes a line without words, such as a bracket, for one word, so
// that it can be found again behind another indentation.
func muteWording(s string) wording {
	h, n := uint32(fnvOffset), 0
	for i := 0; i < len(s); i++ {
		if !isSpace(s[i]) {
			h = (h ^ uint32(s[i])) * fnvPrime
			n++
		}
	}
	if n == 0 {
		return wording{}
	}
	return wording{[]uint32{h}, []uint32{h}}
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// appendParts appends the hashes of the parts of one word, split at underscores
// and where lower case turns into upper case.
func appendParts(parts []uint32, word string) []uint32 {
	h, n := uint32(fnvOffset), 0
	flush := func() {
		if n > 0 {
			parts = append(parts, h)
		}
		h, n = fnvOffset, 0
	}
	var before byte
	for i := 0; i < len(word); i++ {
		c := word[i]
		upper := 'A' <= c && c <= 'Z'
		if upper && 'a' <= before && before <= 'z' {
			flush()
		}
		before = c
		if c == '_' {
			flush()
			continue
		}
		if upper {
			c += 'a' - 'A'
		}
		h = (h ^ uint32(c)) * fnvPrime
		n++
	}
	flush()
	return parts
}

// likeness is the share, from 0 to 1, of what two lines have in common.
func (w wording) likeness(v wording) float64 {
	return max(dice(w.words, v.words), 0.95*dice(w.parts, v.parts))
}

// dice is the Sørensen–Dice coefficient of two sorted multisets.
func dice(x, y []uint32) float64 {
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] < y[j]:
			i++
		case x[i] > y[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

// lineLikeness compares two lines: 1 if they differ in white space at most.
func lineLikeness(x, y string) float64 {
	if x == y || len(x)+len(y) <= 2*longLine && sameButSpace(x, y) {
		return 1
	}
	if len(x) > longLine || len(y) > longLine {
		p := commonPrefix(x, y)
		n := min(len(x), len(y)) - p
		q := commonSuffix(x[len(x)-n:], y[len(y)-n:])
		return float64(p+q) / float64(max(len(x), len(y)))
	}
	return min(wordingOf(x).likeness(wordingOf(y)), 0.99)
}

// sameButSpace reports whether x and y differ in white space at most.
func sameButSpace(x, y string) bool {
	i, j := 0, 0
	for {
		for i < len(x) && isSpace(x[i]) {
			i++
		}
		for j < len(y) && isSpace(y[j]) {
			j++
		}
		if i == len(x) || j == len(y) {
			return i == len(x) && j == len(y)
		}
		if x[i] != y[j] {
			return false
		}
		i++
		j++
	}
}
