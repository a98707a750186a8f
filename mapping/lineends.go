package mapping

import "strings"

// withLineEnds adds to hunks, which were found by content, one for each run of
// equal lines of which only the line ends differ. The second result says for
// every hunk how the line ends changed, "" for a hunk that changed more. Hunks of
// line ends may touch their neighbours.
func withLineEnds(before, after *Text, hunks []Hunk) ([]Hunk, []string) {
	if !strings.Contains(before.String(), "\r") && !strings.Contains(after.String(), "\r") {
		return hunks, make([]string, len(hunks))
	}
	var out []Hunk
	var names []string
	i, j := 0, 0
	for k := 0; k <= len(hunks); k++ {
		end := before.contentLines()
		if k < len(hunks) {
			end = hunks[k].Before.Start
		}
		for i < end {
			n := 0
			for i+n < end && before.endOf(i+n) != after.endOf(j+n) {
				n++
			}
			if n > 0 {
				h := Hunk{LineRange{i, i + n}, LineRange{j, j + n}}
				out = append(out, h)
				names = append(names, before.endsIn(h.Before)+" → "+after.endsIn(h.After))
			}
			i, j = i+max(n, 1), j+max(n, 1)
		}
		if k < len(hunks) {
			out = append(out, hunks[k])
			names = append(names, "")
			i, j = hunks[k].Before.End, hunks[k].After.End
		}
	}
	return out, names
}

// endOf is the line end of line i.
func (t *Text) endOf(i int) string {
	c, k := t.chunkOfLine(i)
	if c == nil {
		return ""
	}
	s := c.fullLine(k)
	line := c.s[s.Start:s.End]
	return line[len(trimLineEnd(line)):]
}

// endsIn names the line ends of some lines: LF, CRLF, CR, or mixed.
func (t *Text) endsIn(r LineRange) string {
	name := ""
	for i := r.Start; i < r.End; i++ {
		is := map[string]string{"\n": "LF", "\r\n": "CRLF", "\r": "CR", "": "none"}[t.endOf(i)]
		if name != "" && name != is {
			return "mixed"
		}
		name = is
	}
	return name
}

// sameEnds reports whether lines of two texts end alike, one by one.
func sameEnds(x *Text, r LineRange, y *Text, s LineRange) bool {
	if r.Len() != s.Len() {
		return false
	}
	for k := range r.Len() {
		if x.endOf(r.Start+k) != y.endOf(s.Start+k) {
			return false
		}
	}
	return true
}

func endsLine(t *Text) bool {
	s := t.String()
	return s == "" || s[len(s)-1] == '\n' || s[len(s)-1] == '\r'
}

// LineEnd is the line end a text uses: that of its first line, "\n" without one.
// A lone "\r" counts only where there is nothing else: among other line ends it
// is a character of the text, whatever a protocol takes it for.
func LineEnd(t *Text) string {
	line, full := t.Line(0), t.FullLine(0)
	if full.End == line.End {
		return "\n"
	}
	end := t.Slice(Span{line.End, full.End})
	if end != "\r" {
		return end
	}
	s := t.String()
	switch i := strings.IndexByte(s, '\n'); {
	case i < 0:
		return "\r"
	case s[i-1] == '\r':
		return "\r\n"
	}
	return "\n"
}

// mixedLineEnds reports whether a text has lines that end in "\n" and others that
// end in "\r\n".
func mixedLineEnds(s string) bool {
	first := strings.IndexByte(s, '\n')
	if first < 0 || strings.IndexByte(s, '\r') < 0 {
		return false
	}
	if first == 0 || s[first-1] != '\r' {
		return strings.Contains(s, "\r\n")
	}
	return strings.Count(s, "\n") != strings.Count(s, "\r\n")
}

// WithLineEnds returns text with every line end replaced by end.
func WithLineEnds(text, end string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if end != "\n" {
		text = strings.ReplaceAll(text, "\n", end)
	}
	return text
}
