package mapping

import "ahp-lsp/mapping/words"

// Place finds an in the current text. The anchor's base must be that of the
// alignment, the same Text or an equal one; an anchor with another base or none
// is placed by its quote, see [PlaceQuote].
//
// Text that is where the line diff puts it is Live, provided something proves
// that it is the same and not a twin: lines around it that occur once, or many
// equal lines in a row. Text the diff lost is looked for elsewhere in this
// order: where the lines that occur once say it went; the lines that were
// inserted, exactly; the lines that replaced it, by likeness; the inserted
// lines, regardless of white space. If nothing is left of it the anchor is
// Detached, at the place where it was.
func (a *Alignment) Place(an Anchor) Placement {
	switch {
	case an.WholeFile:
		return Placement{State: Live, Confidence: 1}
	case an.Base == nil || !equalTexts(an.Base, a.base):
		return PlaceQuote(an, a.current)
	}
	return a.placeAnchor(&an)
}

// placeAnchor is Place for an anchor of which the base is that of a.
func (a *Alignment) placeAnchor(an *Anchor) Placement {
	if b := &an.block; a.run.n >= strongRun && b.first > a.run.base && b.end < a.run.base+a.run.n && b.end > b.first {
		// Inside the run of the anchor before, not at its edges: see place.
		j := a.run.cur + b.first - a.run.base
		if head, ok := a.lineStart(j); ok && b.end-b.first == 1 && !b.tail {
			return Placement{Span{head + b.startCol, head + b.endCol}, Live, 1}
		}
		return Placement{b.at(a.current, j), Live, 1}
	}
	return a.place(an.blockIn(a.base))
}

// lineStart is where line j of the current text begins, if it is in the chunk
// looked into last or a line behind it; lines behind the first only.
func (a *Alignment) lineStart(j int) (int, bool) {
	t := a.current
	if j == 0 || a.chunk >= len(t.chunks) {
		return 0, false
	}
	c := &t.chunks[a.chunk]
	if k := j - c.line; k < 0 || k >= c.lineCount() {
		a.chunk = t.chunkIndexOfLine(j)
		if c = &t.chunks[a.chunk]; j-c.line >= c.lineCount() {
			return 0, false
		}
	}
	return c.off + int(c.starts[j-c.line]), true
}

// place finds span, which b describes, in the current text.
func (a *Alignment) place(span Span, b block) Placement {
	if a.same {
		return Placement{span, Live, 1}
	}
	if b.first >= a.base.contentLines() {
		// The empty last line: the end of the text stays its end.
		return Placement{Span{a.current.Len(), a.current.Len()}, Live, 1}
	}
	if at, r, ok := a.diffed(b); ok && r.n >= strongRun && !a.contested(b, r) && !a.twinsDisputed(b, r) {
		a.run = a.undisputed(r, b)
		return Placement{b.at(a.current, at), Live, 1}
	}
	if f := a.findEqual(b); f.at >= 0 {
		return Placement{b.at(a.current, f.at), f.state, f.confidence}
	}
	return a.placeChanged(span, b)
}

// undisputed is r without its disputed lines.
func (a *Alignment) undisputed(r run, b block) run {
	d := a.disputes[a.hunkAfter(b.first)]
	return run{r.base + int(d.head), r.cur + int(d.head), r.n - int(d.head+d.tail)}
}

// found is a place where the lines of a block are, unchanged. A state of
// Outdated says that they may be twins.
type found struct {
	at         int // first line in the current text, or -1
	state      State
	confidence float64
}

var notFound = found{at: -1}

// findEqual looks for the lines of b, all of them and unchanged.
func (a *Alignment) findEqual(b block) found {
	at, r, diffed := a.diffed(b)
	if in, fits := a.inside(b); fits {
		if in == at {
			return found{in, Live, 1}
		}
		return found{in, Moved, 1}
	} else if in >= 0 {
		return notFound // its own lines tell that it changed
	}
	up, down := a.above(b), a.below(b)
	if diffed {
		f := a.judge(b, at, r, up, down)
		if f.at == at && f.state == Live && a.twinsDisputed(b, r) {
			return found{at, Outdated, 0.5}
		}
		return f
	}
	w := nearer(up, down)
	switch {
	case !w.ok():
		return a.findMoved(b)
	case a.claimed(b, w):
		return found{w.at, Outdated, 0.5} // by its twin, which stood as near
	case up.ok() && down.ok() && up.at != down.at && up.dist == down.dist:
		return found{w.at, Outdated, 0.5} // one on either side, and one is new
	}
	return found{w.at, Moved, 0.9}
}

// nearer is the witness that stands nearer to its block, or the only one.
func nearer(up, down witness) witness {
	if !up.ok() || down.ok() && down.dist < up.dist {
		return down
	}
	return up
}

// judge weighs the place the diff found for b, line at in r, against what the
// witnesses on both sides say.
func (a *Alignment) judge(b block, at int, r run, up, down witness) found {
	agree, differ := up, down
	if !up.ok() || up.at != at {
		agree, differ = down, up
	}
	if agree.ok() && agree.at == at {
		switch {
		case !differ.ok() || differ.at == at:
			return found{at, Live, 1}
		case differ.dist < agree.dist && !a.claimed(b, differ):
			return found{differ.at, Moved, 0.7}
		}
		return found{at, Live, 0.7}
	}
	w := nearer(up, down)
	switch {
	case w.ok() && a.claimed(b, w):
		return found{w.at, Outdated, 0.5}
	case w.ok():
		return found{w.at, Moved, 0.8}
	case !a.weak(r):
		return found{at, Live, 0.9}
	case a.paired(b, at):
		return found{at, Live, 0.8}
	}
	if j, _ := a.image(b.first); j >= 0 && j != at {
		return notFound // changed, but elsewhere
	}
	return found{at, Outdated, 0.4}
}

// weak reports whether the equal lines of r prove nothing: they are few, all of
// them frequent or without a word, and at neither end of the texts.
func (a *Alignment) weak(r run) bool {
	if r.n >= strongRun || r.base == 0 && r.cur == 0 {
		return false
	}
	if r.base+r.n == a.base.contentLines() && r.cur+r.n == a.current.contentLines() {
		return false
	}
	x := a.index()
	for i := r.base; i < r.base+r.n; i++ {
		if x.pin(i) >= 0 {
			return false
		}
	}
	return true
}

// paired reports whether a line next to b, in the base and at line at, is the
// same though changed: a witness for lines between edits.
func (a *Alignment) paired(b block, at int) bool {
	const enough = 0.5
	reg := a.regionAt(b.first)
	for k := range b.lines() {
		if j, _ := reg.image(b.first + k); j != at+k {
			return false
		}
	}
	for i := b.first - 1; i >= b.first-3; i-- {
		j, like := reg.image(i)
		if j < 0 || j != at-(b.first-i) {
			break
		}
		if like >= enough && words.Any(a.base.content(i)) {
			return true
		}
	}
	for i := b.end; i < b.end+3; i++ {
		j, like := reg.image(i)
		if j < 0 || j != at+(i-b.first) {
			break
		}
		if like >= enough && words.Any(a.base.content(i)) {
			return true
		}
	}
	return false
}

// claimed reports whether one of the lines b would take where w says is, with
// as good a reason, another line of the base.
func (a *Alignment) claimed(b block, w witness) bool {
	for j := w.at; j < w.at+b.lines(); j++ {
		i := matchedBack(a.hunks, j)
		if i < 0 || i >= b.first && i < b.end {
			continue
		}
		own := block{first: i, end: i + 1}
		for _, v := range []witness{a.above(own), a.below(own)} {
			if v.ok() && v.at == j && v.dist <= w.dist {
				return true
			}
		}
	}
	return false
}

// taken reports whether the diff has good reason to give one of the lines b
// would take at line at to another line of the base.
func (a *Alignment) taken(b block, at int) bool {
	for j := at; j < at+b.lines(); j++ {
		i := matchedBack(a.hunks, j)
		if i < 0 || i >= b.first && i < b.end {
			continue
		}
		if r, ok := a.runOf(i); ok && !a.weak(r) {
			return true
		}
	}
	return false
}
