package gitrepo

import "strings"

// revert is the after text with what is selected as it was before.
func (c *comparison) revert(sel choice) []byte { return c.mix(sel, true) }

// apply is the before text with what is selected as it is after.
func (c *comparison) apply(sel choice) []byte { return c.mix(sel, false) }

// mix takes of every unit the before side where selected is toBefore, and the
// after side elsewhere. Reverting a selection is applying the rest.
func (c *comparison) mix(sel choice, toBefore bool) []byte {
	var m mixer
	m.usual = c.after.usualEnd()
	if m.usual == "" {
		m.usual = c.before.usualEnd()
	}
	if m.usual == "" {
		m.usual = "\n"
	}
	b, a := 0, 0
	for i, k := range c.blocks {
		for ; b < k.b0; b, a = b+1, a+1 {
			m.add(c.before[b], c.after[a])
		}
		for u := range max(k.before(), k.after()) {
			hasB, hasA := u < k.before(), u < k.after()
			switch old := sel[i][u] == toBefore; {
			case old && hasB && hasA:
				m.add(c.before[b+u], c.after[a+u])
			case old && hasB:
				m.add(c.before[b+u], "")
			case !old && hasA && hasB:
				m.add(c.after[a+u], c.before[b+u])
			case !old && hasA:
				m.add(c.after[a+u], "")
			}
		}
		b, a = k.b1, k.a1
	}
	for ; b < len(c.before); b, a = b+1, a+1 {
		m.add(c.before[b], c.after[a])
	}
	return []byte(m.out.String())
}

// mixer joins lines and mends a line without line end that gets a follower.
type mixer struct {
	out   strings.Builder
	owed  string // the line end to add before the next line
	usual string
}

// add appends a line; counterpart is the other side's line in its place, if any.
func (m *mixer) add(line, counterpart string) {
	m.out.WriteString(m.owed)
	m.owed = ""
	m.out.WriteString(line)
	if lineEnd(line) == "" {
		if m.owed = lineEnd(counterpart); m.owed == "" {
			m.owed = m.usual
		}
	}
}

// likeEnds gives the lines of before the line ends that after uses in the same
// place, for files whose line ends git converts, so that they are no change.
// Missing line ends stay missing, and a lone "\r" is none to git.
func likeEnds(before, after lines) lines {
	out := append(lines(nil), before...)
	take := func(b int, end string) {
		if now := lineEnd(out[b]); end != "" && end != "\r" && now != "" && now != "\r" {
			out[b] = lineText(out[b]) + end
		}
	}
	b, a := 0, 0
	for _, k := range contentBlocks(before, after, 0, 0) {
		for ; b < k.b0; b, a = b+1, a+1 {
			take(b, lineEnd(after[a]))
		}
		for ; b < k.b1; b++ {
			if a < k.a1 && lineEnd(after[a]) != "" {
				take(b, lineEnd(after[a]))
				a++
			} else {
				take(b, after.usualEnd())
			}
		}
		a = k.a1
	}
	for ; b < len(before); b, a = b+1, a+1 {
		take(b, lineEnd(after[a]))
	}
	return out
}
