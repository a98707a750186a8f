package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A transcript is read by people: JSON is written on one line where it fits,
// otherwise a member or an element per line, and places are written as
// line:character, ranges as "3:1-3:8", with the text they cover where it is known.

// member is one member of an object, in the order in which it was sent.
type member struct {
	key   string
	value any
	short bool // of a code action: its diagnostics are known
}

type object []member

// parseOrdered reads JSON and keeps the order of members.
func parseOrdered(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := parseValue(d)
	if err != nil {
		return fmt.Sprintf("NOT JSON: %s", raw)
	}
	return v
}

func parseValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{key: key.(string), value: v, short: len(o) > 0 && o[0].key == "title"})
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		a := []any{}
		for d.More() {
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		_, err := d.Token()
		return a, err
	}
	return t, nil
}

func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (o object) is(keys ...string) bool {
	if len(o) != len(keys) {
		return false
	}
	for i, m := range o {
		if m.key != keys[i] {
			return false
		}
	}
	return true
}

// random members say nothing: numbers that depend on what happened before.
var random = map[string]bool{"serverSeq": true, "fromSeq": true, "clientSeq": true, "lastSeenServerSeq": true}

// quoter gives the text of a range of the document with a URI.
type quoter func(uri string, start, end [2]int) (string, bool)

type renderer struct {
	quote quoter
	uri   string // of the document that ranges are in
}

const (
	lineWidth    = 140
	elementWidth = 360 // an element of a list is rather long than broken up
)

// write renders a value that starts at a column.
func (r *renderer) write(v any, indent, column int) string {
	if o, ok := v.(object); ok {
		if uri, ok := o.get("uri").(string); ok {
			defer func(old string) { r.uri = old }(r.uri)
			r.uri = uri
		}
		if doc, ok := o.get("textDocument").(object); ok {
			if uri, ok := doc.get("uri").(string); ok {
				defer func(old string) { r.uri = old }(r.uri)
				r.uri = uri
			}
		}
	}
	line := r.inline(v)
	if s, ok := v.(string); ok && strings.Contains(s, "\n") && len(s) > 60 {
		return block(s, strings.Repeat(" ", indent+2))
	}
	if column+len([]rune(line)) <= lineWidth && !strings.Contains(line, blockMark) {
		return line
	}
	pad := strings.Repeat(" ", indent+2)
	var b strings.Builder
	switch v := v.(type) {
	case object:
		if r.place(v) != "" {
			return line
		}
		b.WriteString("{\n")
		for _, m := range v {
			if random[m.key] {
				continue
			}
			key := quoteJSON(m.key) + ": "
			b.WriteString(pad + key + r.write(shorten(m), indent+2, indent+2+len(key)) + ",\n")
		}
		return strings.TrimSuffix(b.String(), ",\n") + "\n" + pad[2:] + "}"
	case []any:
		if len(v) == 0 {
			return line
		}
		b.WriteString("[\n")
		for _, e := range v {
			line := r.inline(e)
			if len([]rune(line)) > elementWidth || strings.Contains(line, blockMark) {
				line = r.write(e, indent+2, indent+2)
			}
			b.WriteString(pad + line + ",\n")
		}
		return strings.TrimSuffix(b.String(), ",\n") + "\n" + pad[2:] + "]"
	}
	return line
}

func (r *renderer) inline(v any) string {
	switch v := v.(type) {
	case object:
		if place := r.place(v); place != "" {
			return place
		}
		var parts []string
		for _, m := range v {
			if random[m.key] {
				continue
			}
			parts = append(parts, quoteJSON(m.key)+":"+r.inline(shorten(m)))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, r.inline(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return quoteJSON(v)
}

// blockMark is in what must not be on one line.
const blockMark = `\n\n`

// block writes a text of several lines as such.
func block(s, pad string) string {
	return "\"\"\"\n" + pad + strings.ReplaceAll(s, "\n", "\n"+pad) + "\"\"\""
}

// shorten leaves out what is long and known: whole files.
func shorten(m member) any {
	s, ok := m.value.(string)
	if (m.key == "text" || m.key == "data") && ok && len(s) > 160 {
		head, _, _ := strings.Cut(s, "\n")
		return fmt.Sprintf("%s… (%d bytes)", head, len(s))
	}
	if list, ok := m.value.([]any); ok && m.key == "diagnostics" && len(list) > 0 {
		if o, ok := list[0].(object); ok && o.get("title") == nil && m.short {
			return fmt.Sprintf("(%d)", len(list))
		}
	}
	return m.value
}

// place is a position or a range in short, "" for anything else.
func (r *renderer) place(o object) string {
	if p, ok := position(o); ok {
		return fmt.Sprintf(`"%d:%d"`, p[0], p[1])
	}
	if !o.is("start", "end") && !o.is("end", "start") {
		return ""
	}
	start, ok1 := o.get("start").(object)
	end, ok2 := o.get("end").(object)
	if !ok1 || !ok2 {
		return ""
	}
	from, ok1 := position(start)
	to, ok2 := position(end)
	if !ok1 || !ok2 {
		return ""
	}
	out := fmt.Sprintf("%d:%d-%d:%d", from[0], from[1], to[0], to[1])
	if r.quote != nil && r.uri != "" && from != to {
		if text, ok := r.quote(r.uri, from, to); ok {
			out += " «" + text + "»"
		}
	}
	return quoteJSON(out)
}

func position(o object) ([2]int, bool) {
	if !o.is("line", "character") && !o.is("character", "line") {
		return [2]int{}, false
	}
	line, ok1 := o.get("line").(json.Number)
	character, ok2 := o.get("character").(json.Number)
	if !ok1 || !ok2 {
		return [2]int{}, false
	}
	l, err1 := line.Int64()
	c, err2 := character.Int64()
	return [2]int{int(l), int(c)}, err1 == nil && err2 == nil
}

func quoteJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // a token of JSON
	return strings.TrimSuffix(b.String(), "\n")
}
