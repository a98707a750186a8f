package mapping

import (
	"strings"

	"ahp-lsp/mapping/words"
)

// PlaceQuote finds an anchor without base in current, by its quote, the text
// around it if that is known, and the line it was last seen on.
//
// A quote that occurs once, or once with the right surroundings, is Live on the
// hinted line and Moved on any other. Between equal places the hinted line is
// taken; if none is there, the nearest is, as Outdated, for it may be a twin.
// A quote that is not there is looked for regardless of white space, then by
// likeness around the hinted line; otherwise the anchor is Detached there.
func PlaceQuote(an Anchor, current *Text) Placement {
	if an.WholeFile {
		return Placement{State: Live, Confidence: 1}
	}
	hint := min(max(an.Hint, 0), current.LineCount()-1)
	gone := current.lineStart(hint)
	if words.Blank(an.Quote) {
		return placePoint(an, current, gone)
	}
	for _, quote := range spellings(an.Quote, current) {
		if p, ok := placeExact(an, quote, current, hint); ok {
			return p
		}
	}
	if s, ok := looseQuote(an.Quote, current, hint); ok {
		return Placement{s, Outdated, 0.9}
	}
	if s, like := similarQuote(an.Quote, current, hint); like >= resembling {
		return Placement{s, Outdated, like}
	}
	return Placement{Span{gone, gone}, Detached, 0}
}

// spellings are the quote as it is and with the line ends of t.
func spellings(quote string, t *Text) []string {
	out := []string{quote}
	if !strings.ContainsAny(quote, "\r\n") {
		return out
	}
	unix := strings.ReplaceAll(strings.ReplaceAll(quote, "\r\n", "\n"), "\r", "\n")
	if unix != quote {
		out = append(out, unix)
	}
	if strings.IndexByte(t.String(), '\r') >= 0 {
		out = append(out, strings.ReplaceAll(unix, "\n", "\r\n"), strings.ReplaceAll(unix, "\n", "\r"))
	}
	return out
}

// placePoint places an anchor whose quote says nothing: between its
// surroundings if these are there once.
func placePoint(an Anchor, current *Text, gone int) Placement {
	text := current.String()
	around := an.Prefix + an.Quote + an.Suffix
	if words.Any(around) {
		if i := strings.Index(text, around); i >= 0 && !strings.Contains(text[i+1:], around) {
			at := i + len(an.Prefix)
			if s := (Span{at, at + len(an.Quote)}); current.round(s) == s {
				return Placement{s, Live, 0.8}
			}
		}
	}
	return Placement{Span{gone, gone}, Detached, 0}
}

// occurrence is a place where a quote is.
type occurrence struct {
	span    Span
	context int // bytes around it as they were around the quote
	whole   bool
	dist    int // lines from the hint
}

func (o occurrence) better(p occurrence) bool {
	switch {
	case o.context != p.context:
		return o.context > p.context
	case o.whole != p.whole:
		return o.whole
	case o.dist != p.dist:
		return o.dist < p.dist
	}
	return o.span.Start < p.span.Start
}

// placeExact decides between the places where quote is: of very many, between
// those around the hinted line. What then speaks for another line than that
// proves nothing.
func placeExact(an Anchor, quote string, current *Text, hint int) (Placement, bool) {
	const limit = 1000 // places looked at on either side of the hint
	text := current.String()
	var best, second occurrence
	n := 0
	look := func(i int) {
		s := Span{i, i + len(quote)}
		if current.round(s) != s {
			return
		}
		n++
		o := occurrenceAt(an, s, current, hint)
		switch {
		case n == 1 || o.better(best):
			best, second = o, best
		case n == 2 || o.better(second):
			second = o
		}
	}
	start := current.lineStart(hint)
	above, below := 0, 0
	for from := start; below <= limit; {
		i := strings.Index(text[from:], quote)
		if i < 0 {
			break
		}
		look(from + i)
		from += i + 1
		below++
	}
	for to := start; above <= limit; {
		i := strings.LastIndex(text[:min(to+len(quote)-1, len(text))], quote)
		if i < 0 {
			break
		}
		look(i)
		to = i
		above++
	}
	if n == 0 {
		return Placement{}, false
	}
	p := Placement{best.span, Live, 0.9}
	if best.dist > 0 {
		p.State = Moved
	}
	const clearly = 12 // bytes of common context that tell two places apart
	switch {
	case best.dist > 0 && max(above, below) > limit:
		p.State, p.Confidence = Outdated, 0.4
	case n == 1 && (words.Any(quote) || best.dist == 0 || best.context >= clearly):
	case n > 1 && best.context >= second.context+clearly:
		p.Confidence = 0.8
	case n > 1 && best.context == second.context && best.whole && !second.whole && words.Any(quote):
		p.Confidence = 0.7
	case best.dist == 0:
		p.Confidence = 0.6
	default:
		p.State, p.Confidence = Outdated, 0.4
	}
	return p, true
}

func occurrenceAt(an Anchor, s Span, t *Text, hint int) occurrence {
	text := t.String()
	o := occurrence{
		span:    s,
		context: words.CommonSuffix(text[:s.Start], an.Prefix) + words.CommonPrefix(text[s.End:], an.Suffix),
	}
	line := t.LineAt(s.Start)
	o.dist = max(line-hint, hint-line)
	foot := t.Line(t.LineAt(max(s.End-1, s.Start)))
	o.whole = s.Start-t.lineStart(line) <= words.MaxLine && words.Blank(text[t.lineStart(line):s.Start]) && words.Blank(text[s.End:max(s.End, foot.End)])
	return o
}

// maxLooseText is the size in bytes of the texts above which a quote is not
// looked for regardless of white space.
const maxLooseText = 1 << 20

// looseQuote finds the quote regardless of white space, at the place nearest to
// the hinted line.
func looseQuote(quote string, t *Text, hint int) (Span, bool) {
	q := words.Squeeze(quote)
	if len(q) < minLoose || !words.Any(q) || t.Len() > maxLooseText {
		return Span{}, false
	}
	loose := looseOf(t, LineRange{0, t.LineCount()})
	var best Span
	dist := -1
	for from := 0; ; {
		k := strings.Index(loose.s[from:], q)
		if k < 0 {
			return best, dist >= 0
		}
		k += from
		from = k + 1
		s := Span{int(loose.pos[k]), int(loose.pos[k+len(q)-1]) + 1}
		if t.round(s) != s {
			continue // bytes of other characters
		}
		line := t.LineAt(s.Start)
		if d := max(line-hint, hint-line); dist < 0 || d < dist {
			best, dist = s, d
		}
		if line >= hint {
			return best, true // the next ones are no nearer
		}
	}
}

// similarQuote finds the lines around the hinted one that are most like those
// of the quote, line by line.
func similarQuote(quote string, t *Text, hint int) (Span, float64) {
	const reach = 100 // lines looked at on either side
	const sample = 20 // lines of the quote compared
	var want []words.Line
	lines := 0
	for rest := quote; rest != ""; lines++ {
		var line string
		if line, rest = cutLine(rest); lines < sample {
			want = append(want, words.Of(line))
		}
	}
	from := max(hint-reach, 0)
	to := min(hint+reach+lines, t.contentLines())
	have := make([]words.Line, 0, max(to-from, 0))
	for j := from; j < to; j++ {
		have = append(have, words.Of(t.content(j)))
	}
	best, at := 0.0, -1
	for j := range have {
		sum, n := 0.0, 0
		for k, w := range want {
			if len(w.Words) == 0 {
				continue
			}
			n++
			if j+k < len(have) {
				sum += w.Likeness(have[j+k])
			}
		}
		if n == 0 {
			break
		}
		if like := sum / float64(n); like > best ||
			like == best && at >= 0 && max(from+j-hint, hint-from-j) < max(at-hint, hint-at) {
			best, at = like, from+j
		}
	}
	if at < 0 {
		return Span{}, 0
	}
	last := min(at+max(lines, 1), t.contentLines()) - 1
	head := t.contentSpan(at)
	return Span{head.Start + len(indentation(t.Slice(head))), t.Line(last).End}, min(best, 0.95)
}
