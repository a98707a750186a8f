package words

import (
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"
)

// Range is the bytes [Start, End) of a line.
type Range struct{ Start, End int }

// minCommon is the share of two lines, but for white space, that must be equal
// for their differences to say more than that the lines differ.
const minCommon = 0.4

// Changes gives the words of x that became others in y, and those of y that took
// their place: what is outside the ranges is the same in both. It reports false
// if so little is the same that the ranges would be noise, or if a line is longer
// than MaxLine.
//
// A word is a run of letters, digits, marks and underscores of any script; where
// a script has no spaces, a letter.
func Changes(x, y string) (was, is []Range, ok bool) {
	if x == y {
		return nil, nil, true
	}
	if len(x) > MaxLine || len(y) > MaxLine {
		return nil, nil, false
	}
	changes := joinChanges(x, wordChanges(x, y))
	left := func(s string, n int, part func(change) Range) int {
		for i := 0; i < len(s); i++ {
			if !IsSpace(s[i]) {
				n++
			}
		}
		for _, c := range changes {
			for _, b := range []byte(s[part(c).Start:part(c).End]) {
				if !IsSpace(b) {
					n--
				}
			}
		}
		return n
	}
	same := left(x, 0, func(c change) Range { return c.x })
	total := len(Squeeze(x)) + len(Squeeze(y))
	if total == 0 || 2*float64(same) < minCommon*float64(total) {
		return nil, nil, false
	}
	for _, c := range changes {
		if c.x.Start < c.x.End {
			was = append(was, c.x)
		}
		if c.y.Start < c.y.End {
			is = append(is, c.y)
		}
	}
	return was, is, true
}

// change is one difference; one of its sides may be empty.
type change struct{ x, y Range }

func (c change) replaces() bool { return c.x.Start < c.x.End && c.y.Start < c.y.End }

// wordChanges compares two lines word by word.
func wordChanges(x, y string) (out []change) {
	i, j := 0, 0
	apart := true // from the change before
	for _, e := range diff.Edits(cutWords(x), cutWords(y)) {
		if e.Op == diff.Match {
			i, j, apart = i+len(e.X), j+len(e.Y), true
			continue
		}
		if apart {
			out = append(out, change{Range{i, i}, Range{j, j}})
			apart = false
		}
		if e.Op == diff.Delete {
			i += len(e.X)
		} else {
			j += len(e.Y)
		}
		c := &out[len(out)-1]
		c.x.End, c.y.End = i, j
	}
	return out
}

// joinChanges makes one of changes between which there is nothing worth keeping
// apart: white space, or, between words that were replaced, a little punctuation.
func joinChanges(x string, changes []change) (out []change) {
	const little = 3 // bytes
	for _, c := range changes {
		if n := len(out) - 1; n >= 0 {
			p := &out[n]
			between := x[p.x.End:c.x.Start]
			sameSide := p.x.Start < p.x.End && c.x.Start < c.x.End || p.y.Start < p.y.End && c.y.Start < c.y.End
			if Blank(between) && sameSide || !Any(between) && len(between) <= little && p.replaces() && c.replaces() {
				p.x.End, p.y.End = c.x.End, c.y.End
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// cutWords splits a line into words, runs of white space, and characters, which
// keep what joins them to the one before: accents, variation selectors, the parts
// of one emoji.
func cutWords(s string) (out []string) {
	for s != "" {
		n := 0
		for n < len(s) && IsSpace(s[n]) {
			n++
		}
		if n == 0 {
			word, rest := cutWord(s)
			if n = len(word); n == 0 {
				n = len(s) - len(rest)
			}
			n += joined(s[n:])
			for Glued(s, n) {
				word, _ := cutWord(s[n:])
				n += len(word)
				n += joined(s[n:])
			}
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// joined is the number of bytes at the beginning of s that belong to the
// character before.
func joined(s string) (n int) {
	const joiner = '\u200d'
	for n < len(s) {
		r, w := utf8.DecodeRuneInString(s[n:])
		switch {
		case r == joiner:
			_, next := utf8.DecodeRuneInString(s[n+w:])
			n += w + next
		case unicode.IsMark(r), 0x1f3fb <= r && r <= 0x1f3ff:
			n += w
		default:
			return n
		}
	}
	return n
}
