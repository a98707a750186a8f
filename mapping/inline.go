package mapping

import (
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"
)

// piece is a part two lines have in common: n bytes at x in the one and at y in
// the other.
type piece struct{ x, y, n int }

// inline relates the columns of a line to those of its later version.
type inline struct {
	pieces []piece // ascending on both sides
	nx, ny int     // lengths of the lines
}

// newInline compares two lines: common ends first, the rest word by word. What
// is longer than longLine is left as one change.
func newInline(x, y string) inline {
	m := inline{nx: len(x), ny: len(y)}
	p := commonPrefix(x, y)
	for p > 0 && (!border(x, p) || !border(y, p)) {
		p--
	}
	rest := min(len(x), len(y)) - p
	q := commonSuffix(x[len(x)-rest:], y[len(y)-rest:])
	for q > 0 && (!border(x, len(x)-q) || !border(y, len(y)-q)) {
		q--
	}
	m.add(0, 0, p)
	if mx, my := x[p:len(x)-q], y[p:len(y)-q]; mx != "" && my != "" && len(mx)+len(my) <= 2*longLine {
		ox, oy := p, p
		for _, e := range diff.Edits(tokens(mx), tokens(my)) {
			if e.Op == diff.Match {
				m.add(ox, oy, len(e.X))
			}
			if e.Op != diff.Insert {
				ox += len(e.X)
			}
			if e.Op != diff.Delete {
				oy += len(e.Y)
			}
		}
	}
	m.add(len(x)-q, len(y)-q, q)
	return m
}

// add appends a common part, joined with the one before if they touch.
func (m *inline) add(x, y, n int) {
	if n == 0 {
		return
	}
	if k := len(m.pieces) - 1; k >= 0 {
		if l := &m.pieces[k]; l.x+l.n == x && l.y+l.n == y {
			l.n += n
			return
		}
	}
	m.pieces = append(m.pieces, piece{x, y, n})
}

// start maps a column at which a span begins: behind what was inserted there,
// but at the beginning of what replaced it.
func (m inline) start(col int) int {
	x, y := 0, 0 // end of the piece before
	for _, p := range m.pieces {
		if p.x+p.n > col {
			if p.x <= col {
				return p.y + col - p.x
			}
			return y
		}
		x, y = p.x+p.n, p.y+p.n
	}
	if x == col {
		return m.ny
	}
	return y
}

// end maps a column at which a span ends: before what was inserted there, but
// at the end of what replaced it.
func (m inline) end(col int) int {
	if col <= 0 {
		return 0
	}
	for _, p := range m.pieces {
		if p.x+p.n >= col {
			if p.x < col {
				return p.y + col - p.x
			}
			return p.y
		}
	}
	return m.ny
}

// tokens splits a line into words, runs of white space and single characters.
func tokens(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		from := i
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			_, w := utf8.DecodeRuneInString(s[i:])
			i += w
		case isWord(c):
			for i < len(s) && s[i] < utf8.RuneSelf && isWord(s[i]) {
				i++
			}
		case isSpace(c):
			for i < len(s) && isSpace(s[i]) {
				i++
			}
		default:
			i++
		}
		out = append(out, s[from:i])
	}
	return out
}

// border reports whether no ASCII word and no character spans off.
func border(s string, off int) bool {
	if off <= 0 || off >= len(s) {
		return true
	}
	a, b := s[off-1], s[off]
	if !utf8.RuneStart(b) {
		return false
	}
	return a >= utf8.RuneSelf || b >= utf8.RuneSelf || !isWord(a) || !isWord(b)
}

// glued reports whether the characters on both sides of off belong to one word.
func glued(s string, off int) bool {
	if off <= 0 || off >= len(s) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:off])
	after, _ := utf8.DecodeRuneInString(s[off:])
	return wordRune(before) && wordRune(after)
}

// wordRune reports whether r builds words together with its neighbours, which
// characters of scripts without spaces do not.
func wordRune(r rune) bool {
	if r == '_' || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}
