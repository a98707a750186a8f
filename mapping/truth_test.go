package mapping

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// kind is a kind of commented line for which it is certain, without any diff,
// what became of it.
type kind int

const (
	// unique: the text occurs once in both versions.
	unique kind = iota
	// twin: it occurs elsewhere too, but the lines next to it that are unique
	// agree where this one went.
	twin
	// blockOf3: three such lines in a row, in a row in both versions.
	blockOf3
	// edited: it is gone, and in the lines that replace it one alone shares at
	// least 60 % of its words.
	edited
	// gone: it is gone, and no line of the new version shares as much.
	gone
	kinds
)

func (k kind) String() string {
	return [...]string{"unique", "twin", "block", "edited", "gone"}[k]
}

// comment is a comment on n lines of the old version and the truth about it.
type comment struct {
	kind  kind
	line  int
	n     int
	truth int // line of the new version, or -1
}

// truthOf derives the comments of one pair of files. It uses nothing of the
// engine but the line index of Text.
func truthOf(p filePair) []comment {
	x, y := contents(p.before), contents(p.after)
	nx, ny, at := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range x {
		nx[s]++
	}
	for j, s := range y {
		ny[s]++
		at[s] = j
	}
	alone := func(i int) bool {
		return i >= 0 && i < len(x) && nx[x[i]] == 1 && ny[x[i]] == 1 && strings.ContainsFunc(x[i], unicode.IsLetter)
	}
	truth := make([]int, len(x))
	var out []comment
	claims := map[int]int{}
	for i, s := range x {
		truth[i] = -1
		if alone(i) {
			truth[i] = at[s]
			continue
		}
		up, down := -1, -1
		if alone(i-1) && at[x[i-1]]+1 < len(y) && y[at[x[i-1]]+1] == s {
			up = at[x[i-1]] + 1
		}
		if alone(i+1) && at[x[i+1]] > 0 && y[at[x[i+1]]-1] == s {
			down = at[x[i+1]] - 1
		}
		if up >= 0 && down >= 0 && up != down {
			continue // nobody can tell
		}
		if truth[i] = max(up, down); truth[i] >= 0 {
			claims[truth[i]]++
		}
	}
	for i := range x {
		switch {
		case truth[i] < 0:
		case alone(i):
			out = append(out, comment{unique, i, 1, truth[i]})
		case claims[truth[i]] > 1:
			truth[i] = -1 // one of two like lines was removed, nobody can tell which
		default:
			out = append(out, comment{twin, i, 1, truth[i]})
		}
	}
	for i := 0; i+2 < len(x); i++ {
		if t := truth[i]; t >= 0 && truth[i+1] == t+1 && truth[i+2] == t+2 {
			out = append(out, comment{blockOf3, i, 3, t})
		}
	}
	return append(out, changedTruth(p.git, x, y, nx, ny)...)
}

// changedTruth finds edited and gone lines.
func changedTruth(hunks []Hunk, x, y []string, nx, ny map[string]int) []comment {
	const enough = 0.6
	wy := make([]map[string]int, len(y))
	with := map[string][]int{} // word → lines of y
	for j, s := range y {
		wy[j] = wordCount(s)
		for w := range wy[j] {
			with[w] = append(with[w], j)
		}
	}
	var out []comment
	for _, h := range hunks {
		if h.Before.Len()*h.After.Len() > 100_000 {
			continue // comparing each with each takes minutes
		}
		was := make([]map[string]int, h.Before.Len())
		for k := range was {
			was[k] = wordCount(x[h.Before.Start+k])
		}
		for i := h.Before.Start; i < h.Before.End; i++ {
			wx := was[i-h.Before.Start]
			if ny[x[i]] > 0 || len(wx) == 0 {
				continue
			}
			best, n := -1, 0
			for j := h.After.Start; j < h.After.End; j++ {
				if share(wx, wy[j]) < enough || nx[y[j]] > 0 {
					continue
				}
				// It must not be the later version of a neighbour instead.
				other := false
				for k := h.Before.Start; k < h.Before.End; k++ {
					other = other || k != i && share(was[k-h.Before.Start], wy[j]) >= enough
				}
				if n++; !other {
					best = j
				}
			}
			if n == 1 && best >= 0 {
				out = append(out, comment{edited, i, 1, best})
			}
			if n == 0 && !anyShare(wx, wy, with, enough) {
				out = append(out, comment{gone, i, 1, -1})
			}
		}
	}
	return out
}

// anyShare reports whether any line shares enough words.
func anyShare(wx map[string]int, wy []map[string]int, with map[string][]int, enough float64) bool {
	seen := map[int]bool{}
	for w := range wx {
		for _, j := range with[w] {
			if !seen[j] && share(wx, wy[j]) >= enough {
				return true
			}
			seen[j] = true
		}
	}
	return false
}

func wordCount(s string) map[string]int {
	m := map[string]int{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		m[w]++
	}
	return m
}

// share is how much of the longer line's words both lines have.
func share(x, y map[string]int) float64 {
	nx, ny, common := 0, 0, 0
	for w, n := range x {
		nx += n
		common += min(n, y[w])
	}
	for _, n := range y {
		ny += n
	}
	return float64(common) / float64(max(nx, ny, 1))
}

func contents(t *Text) []string {
	out := make([]string, t.contentLines())
	for i := range out {
		out[i] = t.Slice(t.Line(i))
	}
	return out
}

// anchorShape is how a comment marks its lines.
type anchorShape int

const (
	fullLine    anchorShape = iota // from the first column to the line end
	trimmedLine                    // from the first character to the last
	nextLine                       // from the first column to that of the next line
)

func (s anchorShape) String() string {
	return [...]string{"first column to line end", "first to last character", "first column to next line"}[s]
}

func (s anchorShape) span(t *Text, line, n int) Span {
	switch s {
	case nextLine:
		return t.Lines(LineRange{line, line + n})
	case trimmedLine:
		span := Span{t.Line(line).Start, t.Line(line + n - 1).End}
		text := t.Slice(span)
		span.Start += len(text) - len(strings.TrimLeft(text, " \t"))
		span.End -= len(text) - len(strings.TrimRight(text, " \t"))
		return span.clamp(t.Len())
	}
	return Span{t.Line(line).Start, t.Line(line + n - 1).End}
}

// measure places every comment of p with all methods.
func measure(r *corpusReport, p filePair, shape anchorShape) {
	show, _ := strconv.Atoi(os.Getenv("AHP_CORPUS_SHOW"))
	a := Align(p.before, p.after)
	for _, c := range truthOf(p) {
		span := shape.span(p.before, c.line, c.n)
		if shape == trimmedLine && c.kind >= edited &&
			strings.Contains(p.after.String(), p.before.Slice(span)) {
			continue // without the indentation it is neither
		}
		got := a.Place(NewAnchor(p.before, span))
		o := judgePlacement(p, c, shape, got)
		r.count["ahp-lsp"][c.kind][o]++
		if o != right && r.shown[c.kind] < show {
			r.shown[c.kind]++
			fmt.Printf("%s: %s:%d %q: %v at %d (%.2f), want %d\n", c.kind, p.name, c.line+1, p.before.Slice(span), got.State, p.after.LineAt(got.Span.Start)+1, got.Confidence, c.truth+1)
		}
		r.count["stay"][c.kind][judgeLine(c, p.after, c.line)]++
		to := matched(p.git, c.line)
		if to >= 0 && matched(p.git, c.line+c.n-1) != to+c.n-1 {
			to = -1
		}
		r.count["git hunks"][c.kind][judgeLine(c, p.after, to)]++
	}
}

// judgePlacement compares a placement with the truth.
func judgePlacement(p filePair, c comment, shape anchorShape, got Placement) outcome {
	if got.Span.Start < 0 || got.Span.Start > got.Span.End || got.Span.End > p.after.Len() {
		return dropped
	}
	kept := got.State == Live || got.State == Moved
	switch {
	case c.kind == gone && !kept:
		return right
	case c.kind == edited && !kept:
		if got.State == Outdated && p.after.LineAt(got.Span.Start) == c.truth {
			return right
		}
		return flagged
	case c.kind == gone || c.kind == edited:
		return wrong
	case !kept:
		return flagged
	case got.Span == shape.span(p.after, c.truth, c.n):
		return right
	}
	return wrong
}

// judgeLine judges a method that knows nothing but a line, or that the line is
// gone, and says nothing to the user.
func judgeLine(c comment, after *Text, line int) outcome {
	switch {
	case line < 0 || line >= after.contentLines():
		return dropped
	case c.kind < edited && line == c.truth:
		return right
	}
	return wrong
}
