package mapping

import (
	"strings"
	"unicode/utf8"
)

const (
	maxQuote   = 2 << 10 // bytes of the anchored text an anchor carries
	maxContext = 64      // bytes of text an anchor carries on either side
)

// Anchor says what a comment is about: a span of one text, its base. It never
// changes; where it is in another text is a [Placement], which can be computed
// at any time. All texts in it are those of the base.
type Anchor struct {
	// Base is the text the span is in. It is nil when only the quote is known.
	Base *Text
	// Span is the anchored text in Base, in bytes. Without a base it is empty.
	Span Span
	// Quote is the anchored text, cut to 2 KiB at a character border.
	Quote string
	// Prefix and Suffix are up to 64 bytes of the text around the span.
	Prefix, Suffix string
	// Hint is the zero-based line on which the anchored text began when it was
	// last seen. It decides between several occurrences when there is no base.
	Hint int
	// WholeFile is set if the comment is about the file rather than a place.
	WholeFile bool

	block block // of Span in Base, zero if it was not computed; see blockIn
}

// NewAnchor anchors the bytes s of base, clamped and rounded down to the borders
// of characters and line ends.
func NewAnchor(base *Text, s Span) Anchor {
	s = base.round(s)
	text := base.String()
	return Anchor{
		Base:   base,
		Span:   s,
		Quote:  headOf(text[s.Start:s.End], maxQuote),
		Prefix: tailOf(text[:s.Start], maxContext),
		Suffix: headOf(text[s.End:], maxContext),
		Hint:   base.LineAt(s.Start),
		block:  blockOf(base, s),
	}
}

// blockIn gives the anchor's span in base, which is equal to its own, and the
// lines it covers.
func (an *Anchor) blockIn(base *Text) (Span, block) {
	if an.block.lines() > 0 {
		return an.Span, an.block
	}
	s := base.round(an.Span)
	return s, blockOf(base, s)
}

// QuoteAnchor anchors a text of which nothing is known but the text itself and
// the zero-based line it was last seen on.
func QuoteAnchor(quote string, hintLine int) Anchor {
	return Anchor{Quote: headOf(quote, maxQuote), Hint: max(hintLine, 0)}
}

// FileAnchor anchors a whole file.
func FileAnchor(base *Text) Anchor { return Anchor{Base: base, WholeFile: true} }

// headOf is the beginning of s, at most n bytes, never cutting a character.
// Copying frees the document the text came from.
func headOf(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.Clone(s)
}

// tailOf is the end of s, at most n bytes, never cutting a character.
func tailOf(s string, n int) string {
	if len(s) > n {
		i := len(s) - n
		for i < len(s) && !utf8.RuneStart(s[i]) {
			i++
		}
		s = s[i:]
	}
	return strings.Clone(s)
}

// Shorten cuts s to at most n characters, the last of which is then "…".
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return strings.TrimRight(string(runes[:max(n-1, 0)]), " ") + "…"
}
