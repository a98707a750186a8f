package ahp

import "encoding/json"

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
		return Marshal(map[string]string{"markdown": t.Value})
	}
	return Marshal(t.Value)
}

// UnmarshalJSON reads both shapes; anything else is the empty text.
func (t *Text) UnmarshalJSON(data []byte) error {
	d := newDecoder("text", data)
	*t, _ = d.text()
	return nil
}

// text reads both shapes. source is the text's own if that says more.
func (d *decoder) text() (t Text, source json.RawMessage) {
	switch d.peek() {
	case '"':
		return Text{Value: d.str()}, nil
	case '{':
	default:
		d.unfit("a string or {markdown}")
		return Text{}, nil
	}
	from := d.i
	d.enter(false)
	found, odd := false, false
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) == "markdown" {
			t.Value, found = d.optStr()
		} else {
			odd = true
			d.skip()
		}
	}
	if !found {
		d.missing("markdown")
	} else if odd && !d.broken {
		source = clone(d.data[from:d.i])
	}
	t.Markdown = true
	return t, source
}
