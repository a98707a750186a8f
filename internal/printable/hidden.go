package printable

import "unicode"

// hidden reports whether r has no ink of its own: controls, format characters but for
// the few that are drawn (Arabic signs that stand before a number), and all else that
// Unicode says may be ignored in display.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

const (
	nonJoiner = 0x200c
	joiner    = 0x200d
)

// joins reports whether a joiner or non-joiner is part of the writing between two
// characters: in emoji, and in scripts whose letters take other forms beside it.
func joins(r, before, after rune) bool {
	if r == joiner && pictograph(after) && (pictograph(before) || before == lastSelector) {
		return true
	}
	return unicode.In(before, joining...) && unicode.In(after, joining...) && unicode.In(after, unicode.L, unicode.M)
}

// joining are the scripts in which joiners are ordinary spelling.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Myanmar, unicode.Khmer,
}

// The selectors that choose between the text and the emoji form of a character, among
// others.
const (
	firstSelector = 0xfe00
	lastSelector  = 0xfe0f
)

// selects reports whether a selector follows a character that it can be about.
func selects(before rune) bool {
	return before != 0 && !unicode.IsSpace(before) && !hidden(before)
}

// pictograph reports whether r is an emoji, or a skin tone of one.
func pictograph(r rune) bool {
	return r >= 0x2190 && r != unicode.ReplacementChar && unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff
}
