package ahp

import "encoding/json"

// Position is a zero-based place in a text, AHP's TextPosition. Character
// counts UTF-16 code units. Values are as the host sent them (possibly
// negative or past the end): whoever uses them clamps.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is AHP's TextRange: half open, as the host sent it. A missing end
// reads as an empty range at the start.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

func (d *decoder) position(o object, path, key string) (Position, bool) {
	m, ok := d.object(path+"."+key, o.take(key))
	if !ok {
		return Position{}, false
	}
	line, ok := d.int(m, path+"."+key, "line")
	if !ok {
		d.problem("%s.%s.line: missing", path, key)
	}
	character, _ := d.int(m, path+"."+key, "character")
	return Position{Line: line, Character: character}, true
}

// textRange reads an optional range; nil means the whole file.
func (d *decoder) textRange(path string, data []byte) *Range {
	if isNull(data) {
		return nil
	}
	// The common shape in one pass; anything odd goes the slow, telling way.
	var fast struct {
		Start, End *struct{ Line, Character *int32 }
	}
	if json.Unmarshal(data, &fast) == nil && fast.Start != nil && fast.End != nil &&
		fast.Start.Line != nil && fast.Start.Character != nil && fast.End.Line != nil && fast.End.Character != nil {
		return &Range{
			Start: Position{int(*fast.Start.Line), int(*fast.Start.Character)},
			End:   Position{int(*fast.End.Line), int(*fast.End.Character)},
		}
	}
	o, ok := d.object(path, data)
	if !ok {
		return nil
	}
	r := &Range{}
	if r.Start, ok = d.position(o, path, "start"); !ok {
		d.problem("%s.start: missing", path)
		return nil
	}
	if r.End, ok = d.position(o, path, "end"); !ok {
		d.problem("%s.end: missing, taken as the start", path)
		r.End = r.Start
	}
	return r
}

// Text is a string or { markdown: string } (StringOrMarkdown).
type Text struct {
	Value    string
	Markdown bool
}

// Plain returns a Text that is shown as it is.
func Plain(s string) Text { return Text{Value: s} }

// MarshalJSON writes the shape the text was read with.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.Markdown {
		return marshal(map[string]string{"markdown": t.Value})
	}
	return marshal(t.Value)
}

// UnmarshalJSON reads both shapes; anything else is the empty text.
func (t *Text) UnmarshalJSON(data []byte) error {
	var d decoder
	*t = d.text("text", data)
	return nil
}

func (d *decoder) text(path string, data []byte) Text {
	if isNull(data) {
		return Text{}
	}
	var s string
	if json.Unmarshal(data, &s) == nil {
		return Text{Value: s}
	}
	o, ok := d.object(path, data)
	if !ok {
		return Text{}
	}
	return Text{Value: d.str(o, path, "markdown"), Markdown: true}
}
