package patch

import (
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/lines"
)

// Fitted is the outcome of holding hunks against a text.
type Fitted struct {
	Text     []byte
	Fits     int  // hunks that were applied
	Present  int  // hunks whose change is there already
	Moved    bool // some hunk was found elsewhere than it says
	Problems []Problem
}

// Fit applies hunks to a text, each where its old lines are, nearest to where it
// says. Lines end with "\n". If they are found nowhere, a second look ignores the
// difference between "\n" and "\r\n"; added lines then get the text's own.
//
// A hunk that only adds lines and shows none around them says where by a number
// alone. It is believed if the text is known to be the one the patch was made for.
func Fit(data []byte, hunks []Hunk, known bool) Fitted {
	text := string(data)
	base := gitLines(text)
	end := lines.Lines(base).UsualEnd()
	var f Fitted
	var out []string
	done := 0   // lines of base that are in out
	offset := 0 // how far hunks have stood below where they say
	for i, h := range hunks {
		oldLines, newLines := h.old(), h.new()
		expected := h.OldStart + offset
		if len(oldLines) == 0 && expected > 0 && !known {
			f.Problems = append(f.Problems, Problem{Hunk: i, Line: min(expected, max(len(base)-1, 0)),
				Reason: "it adds lines without showing any around them, and the file is not the one it was made for; make the diff with context"})
			continue
		}
		if at, exact := find(base, oldLines, expected, done); at >= 0 {
			out = append(out, base[done:at]...)
			out = append(out, replaceLines(base[at:at+len(oldLines)], h, exact, end)...)
			done = at + len(oldLines)
			offset = at - h.OldStart
			f.Moved = f.Moved || offset != 0
			f.Fits++
			continue
		}
		// Lines added before it are in the text too.
		if at, _ := find(base, newLines, h.NewStart, done); at >= 0 && len(newLines) > 0 && (h.context() || at == h.NewStart) {
			out = append(out, base[done:at+len(newLines)]...)
			done = at + len(newLines)
			offset = at - h.OldStart + len(newLines) - len(oldLines)
			f.Present++
			continue
		}
		f.Problems = append(f.Problems, mismatch(base, oldLines, expected, done, i))
	}
	out = append(out, base[done:]...)
	f.Text = []byte(strings.Join(mendEnds(out, end), ""))
	return f
}

// Stands reports that a text has the new lines of every hunk at exactly the place
// where the hunk says: the change is there already. Among repeated lines the old
// ones may be found as well.
func Stands(data []byte, hunks []Hunk) bool {
	base := gitLines(string(data))
	for _, h := range hunks {
		want := h.new()
		if h.NewStart+len(want) > len(base) || !equalLines(base[h.NewStart:], want, false) {
			return false
		}
	}
	return len(hunks) > 0
}

// mendEnds gives a line without line end that is not the last one the text's.
func mendEnds(l []string, end string) []string {
	if end == "" {
		end = "\n"
	}
	for i := range len(l) - 1 {
		if !strings.HasSuffix(l[i], "\n") {
			l[i] += end
		}
	}
	return l
}

func gitLines(s string) []string {
	l := strings.SplitAfter(s, "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1] // behind the last line end
	}
	return l
}

// find looks for lines in base at or behind from, nearest to a place. exact is
// false if only line ends differ.
func find(base, want []string, near, from int) (at int, exact bool) {
	for _, exact := range []bool{true, false} {
		last := len(base) - len(want)
		if last < from {
			return -1, false
		}
		if len(want) == 0 { // nothing to recognise the place by
			if near < from || near > last {
				return -1, false
			}
			return near, true
		}
		near := min(max(near, from), last)
		for d := 0; near-d >= from || near+d <= last; d++ {
			for _, at := range []int{near - d, near + d} {
				if at >= from && at <= last && equalLines(base[at:at+len(want)], want, exact) {
					return at, exact
				}
			}
		}
	}
	return -1, false
}

func equalLines(a, b []string, exact bool) bool {
	for i := range b {
		if a[i] != b[i] && (exact || !equalButEnd(a[i], b[i])) {
			return false
		}
	}
	return true
}

func equalButEnd(a, b string) bool {
	return strings.TrimSuffix(strings.TrimSuffix(a, "\n"), "\r") == strings.TrimSuffix(strings.TrimSuffix(b, "\n"), "\r") &&
		strings.HasSuffix(a, "\n") == strings.HasSuffix(b, "\n")
}

// replaceLines is a hunk's new lines, those in common as the text has them.
func replaceLines(now []string, h Hunk, exact bool, end string) []string {
	var out []string
	i := 0
	for _, l := range h.Lines {
		switch l.Op {
		case ' ':
			out = append(out, now[i])
			i++
		case '-':
			i++
		case '+':
			if text := l.Text; exact || end == "" || end == "\r" || !strings.HasSuffix(text, "\n") {
				out = append(out, text)
			} else {
				out = append(out, strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")+end)
			}
		}
	}
	return out
}

// mismatch explains a hunk that fits nowhere by the place where most of it does.
func mismatch(base, want []string, near, from, hunk int) Problem {
	const window = 2000 // Lines to either side that are looked at
	best, most := min(max(near, 0), len(base)), -1
	for at := max(from, near-window); at <= min(len(base), near+window); at++ {
		same := 0
		for i, w := range want {
			if at+i < len(base) && equalButEnd(base[at+i], w) {
				same++
			}
		}
		if same > most || same == most && abs(at-near) < abs(best-near) {
			best, most = at, same
		}
	}
	p := Problem{Hunk: hunk, Line: best}
	for i, w := range want {
		if best+i >= len(base) {
			p.Line = max(len(base)-1, 0)
			p.Reason = fmt.Sprintf("the file ends before line %d, where the patch expects %s", best+i+1, quoteLine(w))
			return p
		}
		if !equalButEnd(base[best+i], w) {
			p.Line = best + i
			p.Reason = fmt.Sprintf("line %d is %s, where the patch expects %s", best+i+1, quoteLine(base[best+i]), quoteLine(w))
			return p
		}
	}
	p.Reason = "it overlaps another hunk, or is out of order"
	if len(want) == 0 {
		p.Reason = fmt.Sprintf("the file has %d lines, and the patch adds behind line %d", len(base), near)
	}
	return p
}

func abs(n int) int { return max(n, -n) }

func quoteLine(s string) string {
	text := strings.TrimRight(s, "\r\n")
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	if !strings.HasSuffix(s, "\n") {
		return fmt.Sprintf("%q without a line end", text)
	}
	return fmt.Sprintf("%q", text)
}
