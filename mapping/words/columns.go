package words

import (
	"unicode/utf8"

	"znkr.io/diff"
)

// piece is a part two lines have in common: n bytes at x in the one and at y in
// the other.
type piece struct{ x, y, n int }

// Columns relates the columns of a line to those of its later version.
type Columns struct {
	pieces []piece // ascending on both sides
	nx, ny int     // lengths of the lines
}

// Match compares two lines: common ends first, the rest word by word. What
// is longer than MaxLine is left as one change.
func Match(x, y string) Columns {
	m := Columns{nx: len(x), ny: len(y)}
	p := CommonPrefix(x, y)
	for p > 0 && (!border(x, p) || !border(y, p)) {
		p--
	}
	rest := min(len(x), len(y)) - p
	q := CommonSuffix(x[len(x)-rest:], y[len(y)-rest:])
	for q > 0 && (!border(x, len(x)-q) || !border(y, len(y)-q)) {
		q--
	}
	m.add(0, 0, p)
	if mx, my := x[p:len(x)-q], y[p:len(y)-q]; mx != "" && my != "" && len(mx)+len(my) <= 2*MaxLine {
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
func (m *Columns) add(x, y, n int) {
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

// Start maps a column at which a span begins: behind what was inserted there,
// but at the beginning of what replaced it.
func (m Columns) Start(col int) int {
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

// End maps a column at which a span ends: before what was inserted there, but
// at the end of what replaced it.
func (m Columns) End(col int) int {
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
		case IsSpace(c):
			for i < len(s) && IsSpace(s[i]) {
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
