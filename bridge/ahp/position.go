package ahp

import "encoding/json"

// Position is a zero-based place in a text, AHP's TextPosition. Character
// counts UTF-16 code units. Values are as the host sent them (possibly
// negative or past the end), clamped to 32 bits: clamp them to the text before use.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is AHP's TextRange: half open, as the host sent it, so at times
// reversed. A missing or unreadable end reads as the start; without a start
// that names a line there is no range.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// position reads a place; one that names no line is none.
func (d *decoder) position(odd *bool) (p Position, ok bool) {
	if !d.object() {
		return Position{}, false
	}
	for key, more := d.next(); more; key, more = d.next() {
		switch string(key) {
		case "line":
			p.Line, ok = d.optInt()
		case "character":
			p.Character = d.int()
		default:
			*odd = true
			d.skip()
		}
	}
	if !ok {
		d.missing("line")
	}
	return p, ok
}

// textRange reads an optional range; nil means the whole file. source is its
// text if that says more than the range does.
func (d *decoder) textRange() (r *Range, source json.RawMessage) {
	d.peek()
	from, problems := d.i, len(d.problems)+d.more
	if !d.object() {
		return nil, nil
	}
	var start, end Position
	var hasStart, hasEnd, odd bool
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "start":
			start, hasStart = d.position(&odd)
		case "end":
			end, hasEnd = d.position(&odd)
		default:
			odd = true
			d.skip()
		}
	}
	switch {
	case d.broken:
		return nil, nil
	case !hasStart:
		d.note(".start", "missing, taken as the whole file")
		return nil, nil
	case !hasEnd:
		d.note(".end", "missing, taken as the start")
		end = start
	}
	if odd && problems == len(d.problems)+d.more {
		source = clone(d.data[from:d.i])
	}
	return &Range{Start: start, End: end}, source
}
