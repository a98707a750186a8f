package words

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Line is what lines are compared by: the hashes of the words, and of the parts
// of words ("readFile" and "read_file" both have "read" and "file"). Both are
// sorted and keep repetitions.
type Line struct{ Words, Parts []uint32 }

// MaxLine is the length in bytes above which a line is not taken apart into
// words: data and minified code, where common ends say enough.
const MaxLine = 4 << 10

// Of takes a line apart. Of one longer than MaxLine it gives nothing.
func Of(s string) Line {
	if len(s) > MaxLine {
		return Line{}
	}
	var w Line
	for rest := s; rest != ""; {
		var word string
		if word, rest = cutWord(rest); word != "" {
			h := uint32(fnvOffset)
			for i := 0; i < len(word); i++ {
				h = (h ^ uint32(word[i])) * fnvPrime
			}
			w.Words = append(w.Words, h)
			w.Parts = appendParts(w.Parts, word)
		}
	}
	if len(w.Words) == 0 {
		return wordless(s)
	}
	slices.Sort(w.Words)
	slices.Sort(w.Parts)
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

// wordless takes a line without words, such as a bracket, for one word, so
// that it can be found again behind another indentation.
func wordless(s string) Line {
	h, n := uint32(fnvOffset), 0
	for i := 0; i < len(s); i++ {
		if !IsSpace(s[i]) {
			h = (h ^ uint32(s[i])) * fnvPrime
			n++
		}
	}
	if n == 0 {
		return Line{}
	}
	return Line{[]uint32{h}, []uint32{h}}
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

// Likeness is the share, from 0 to 1, of what two lines have in common.
func (w Line) Likeness(v Line) float64 {
	return max(dice(w.Words, v.Words), 0.95*dice(w.Parts, v.Parts))
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

// Likeness compares two lines: 1 if they differ in white space at most.
func Likeness(x, y string) float64 {
	if x == y || len(x)+len(y) <= 2*MaxLine && SameButSpace(x, y) {
		return 1
	}
	if len(x) > MaxLine || len(y) > MaxLine {
		p := CommonPrefix(x, y)
		n := min(len(x), len(y)) - p
		q := CommonSuffix(x[len(x)-n:], y[len(y)-n:])
		return float64(p+q) / float64(max(len(x), len(y)))
	}
	return min(Of(x).Likeness(Of(y)), 0.99)
}

// SameButSpace reports whether x and y differ in white space at most.
func SameButSpace(x, y string) bool {
	i, j := 0, 0
	for {
		for i < len(x) && IsSpace(x[i]) {
			i++
		}
		for j < len(y) && IsSpace(y[j]) {
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
