package lines

import "strings"

// Revert is the after text with what is selected as it was before.
func (c *Comparison) Revert(sel Choice) []byte { return c.mix(sel, true) }

// Apply is the before text with what is selected as it is after.
func (c *Comparison) Apply(sel Choice) []byte { return c.mix(sel, false) }

// mix takes of every unit the before side where selected is toBefore, and the
// after side elsewhere. Reverting a selection is applying the rest.
func (c *Comparison) mix(sel Choice, toBefore bool) []byte {
	var m mixer
	m.usual = c.After.UsualEnd()
	if m.usual == "" {
		m.usual = c.Before.UsualEnd()
	}
	if m.usual == "" {
		m.usual = "\n"
	}
	b, a := 0, 0
	for i, k := range c.blocks {
		for ; b < k.b0; b, a = b+1, a+1 {
			m.add(c.Before[b], c.After[a])
		}
		for u := range max(k.removed(), k.added()) {
			hasB, hasA := u < k.removed(), u < k.added()
			switch old := sel[i][u] == toBefore; {
			case old && hasB && hasA:
				m.add(c.Before[b+u], c.After[a+u])
			case old && hasB:
				m.add(c.Before[b+u], "")
			case !old && hasA && hasB:
				m.add(c.After[a+u], c.Before[b+u])
			case !old && hasA:
				m.add(c.After[a+u], "")
			}
		}
		b, a = k.b1, k.a1
	}
	for ; b < len(c.Before); b, a = b+1, a+1 {
		m.add(c.Before[b], c.After[a])
	}
	return []byte(m.out.String())
}

// mixer joins lines and mends a line without line end that gets a follower.
type mixer struct {
	out   strings.Builder
	owed  string // the line end to add before the next line
	usual string
}

// Add appends a line; counterpart is the other side's line in its place, if any.
func (m *mixer) add(line, counterpart string) {
	m.out.WriteString(m.owed)
	m.owed = ""
	m.out.WriteString(line)
	if End(line) == "" {
		if m.owed = End(counterpart); m.owed == "" {
			m.owed = m.usual
		}
	}
}

// LikeEnds gives the lines of before the line ends that after uses in the same
// place, for files whose line ends git converts, so that they are no change.
// Missing line ends stay missing, and a lone "\r" is none to git.
func LikeEnds(before, after Lines) Lines {
	out := append(Lines(nil), before...)
	take := func(b int, end string) {
		if now := End(out[b]); end != "" && end != "\r" && now != "" && now != "\r" {
			out[b] = Text(out[b]) + end
		}
	}
	b, a := 0, 0
	for _, k := range contentBlocks(before, after, 0, 0) {
		for ; b < k.b0; b, a = b+1, a+1 {
			take(b, End(after[a]))
		}
		for ; b < k.b1; b++ {
			if a < k.a1 && End(after[a]) != "" {
				take(b, End(after[a]))
				a++
			} else {
				take(b, after.UsualEnd())
			}
		}
		a = k.a1
	}
	for ; b < len(before); b, a = b+1, a+1 {
		take(b, End(after[a]))
	}
	return out
}

// IsMix reports that a text is one of two with some lines as in the other: the
// change between them was made in part. To git that is a conflict where the part
// ends within a run of changed lines; to make the change means to make the rest.
func IsMix(base, theirs, mix []byte) bool {
	c := Compare(Split(base), Split(theirs))
	m := Split(mix)
	at := map[int]bool{0: true} // how many lines of m may be used up
	step := func(optional bool, accepted ...string) {
		next := map[int]bool{}
		for i := range at {
			if optional {
				next[i] = true
			}
			for _, s := range accepted {
				if i < len(m) && m[i] == s {
					next[i+1] = true
				}
			}
		}
		at = next
	}
	b := 0
	for _, k := range c.blocks {
		for ; b < k.b0; b++ {
			step(false, c.Before[b])
		}
		for u := range max(k.removed(), k.added()) {
			switch {
			case u >= k.added():
				step(true, c.Before[k.b0+u])
			case u >= k.removed():
				step(true, c.After[k.a0+u])
			default:
				step(false, c.Before[k.b0+u], c.After[k.a0+u])
			}
			if len(at) == 0 {
				return false
			}
		}
		b = k.b1
	}
	for ; b < len(c.Before); b++ {
		step(false, c.Before[b])
	}
	return at[len(m)]
}
