package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// span is a range of bytes of a text.
type span struct{ start, end int }

func (s span) of(text []byte) string { return string(text[s.start:s.end]) }

// helixEntry is one [[language]] of a languages.toml, with the places at which
// it is edited.
type helixEntry struct {
	name      string
	nameValue span       // the line's key and value, name = "…"
	servers   *helixList // nil without language-servers
	types     []string   // file-types; a glob has a "*" or a "/", or is a whole name
}

// helixList is a language-servers array.
type helixList struct {
	array    span
	elements []span
}

// scanHelix finds the languages of a languages.toml. It reads as far as the
// text is TOML, and says where that ends.
//
// The parser of go-toml's package unstable is used, because it tells where in
// the text a value is: decoding and encoding again would lose the comments,
// the order and the layout of a file that belongs to the user.
func scanHelix(text []byte) (entries []*helixEntry, firstTable int, err error) {
	var parser unstable.Parser
	parser.Reset(text)
	var entry *helixEntry // nil: the keys belong to another table
	firstTable = -1
	done := 0 // up to here the text has been read
	for parser.NextExpression() {
		node := parser.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			key, at := keyOf(node.Key())
			if firstTable < 0 {
				firstTable = tableStart(text, at, done)
			}
			entry = nil
			if node.Kind == unstable.ArrayTable && slices.Equal(key, []string{"language"}) {
				entry = &helixEntry{}
				entries = append(entries, entry)
			}
		case unstable.KeyValue:
			whole := trimmed(text, node.Raw)
			done = whole.end
			key, _ := keyOf(node.Key())
			if entry == nil {
				if firstTable < 0 && key[0] == "language" {
					return entries, firstTable, &helixError{line: lineAt(text, whole.start), what: "the languages are one inline array, to which nothing can be added: write them as [[language]] tables"}
				}
				continue
			}
			entry.add(text, key, whole, node.Value())
		}
	}
	return entries, firstTable, parser.Error()
}

func (e *helixEntry) add(text []byte, key []string, whole span, value *unstable.Node) {
	switch {
	case len(key) != 1:
	case key[0] == "name" && value.Kind == unstable.String:
		e.name, e.nameValue = string(value.Data), whole
	case key[0] == "language-servers" && value.Kind == unstable.Array:
		array := span{whole.start + bytes.IndexByte(text[whole.start:whole.end], '['), whole.end}
		e.servers = &helixList{array, elementsOf(text, array)}
	case key[0] == "file-types" && value.Kind == unstable.Array:
		for children := value.Children(); children.Next(); {
			child := children.Node()
			if child.Kind == unstable.InlineTable { // { glob = "…" }
				for pairs := child.Children(); pairs.Next(); {
					if pair := pairs.Node(); pair.Kind == unstable.KeyValue && pair.Value().Kind == unstable.String {
						e.types = append(e.types, globMark+string(pair.Value().Data))
					}
				}
			} else if child.Kind == unstable.String {
				e.types = append(e.types, string(child.Data))
			}
		}
	}
}

// globMark tells a glob of file-types from an extension.
const globMark = "glob:"

// helixError is why a languages.toml cannot be used.
type helixError struct {
	line int
	what string
}

func (e *helixError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// checkHelix decodes a languages.toml wholly, which finds every mistake. It
// tells whether the file defines our language server.
func checkHelix(text []byte) (defined bool, err error) {
	var all struct {
		Servers map[string]any `toml:"language-server"`
	}
	if err := toml.Unmarshal(text, &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return false, &helixError{line, strings.TrimPrefix(at.Error(), "toml: ")}
		}
		return false, err
	}
	_, defined = all.Servers[helixServer]
	return defined, nil
}

// helixStarts is the command of ahp-lsp in a valid languages.toml; "" if it
// has none.
func helixStarts(text []byte) string {
	var all struct {
		Servers map[string]struct{ Command string } `toml:"language-server"`
	}
	_ = toml.Unmarshal(text, &all) // another server's table may have another form
	return all.Servers[helixServer].Command
}

// names are the servers of a list; "" for an element that has none.
func (l *helixList) names(text []byte) []string {
	names := make([]string, len(l.elements))
	for i, e := range l.elements {
		switch v := decodeElement(e.of(text)).(type) {
		case string:
			names[i] = v
		case map[string]any:
			names[i], _ = v["name"].(string)
		}
	}
	return names
}

// decodeElement decodes one value of TOML.
func decodeElement(text string) any {
	var v struct{ V any }
	if toml.Unmarshal([]byte("V = "+text), &v) != nil {
		return nil
	}
	return v.V
}

// canonical writes an element of language-servers on one line.
func canonical(element string) string {
	switch v := decodeElement(element).(type) {
	case string:
		return quoted(v)
	case map[string]any:
		name, _ := v["name"].(string)
		out := "{ name = " + quoted(name)
		for _, key := range []string{"only-features", "except-features"} {
			features, ok := v[key].([]any)
			if !ok {
				continue
			}
			var list []string
			for _, f := range features {
				s, _ := f.(string)
				list = append(list, quoted(s))
			}
			out += ", " + key + " = [" + strings.Join(list, ", ") + "]"
		}
		return out + " }"
	}
	return element
}

// quoted is a string of TOML. JSON's are, except for what JSON leaves as it is
// and TOML does not: the delete character.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// elementsOf finds the elements of an array, which is valid TOML.
func elementsOf(text []byte, array span) (elements []span) {
	element := span{-1, -1}
	end := func() {
		if element.start >= 0 {
			elements = append(elements, element)
		}
		element = span{-1, -1}
	}
	depth := 0
	for i := array.start + 1; i < array.end-1; {
		next := i + 1
		switch text[i] {
		case ' ', '\t', '\r', '\n':
			i++
			continue
		case '#':
			i = lineEnd(text, i)
			continue
		case ',':
			if depth == 0 {
				end()
				i++
				continue
			}
		case '"', '\'':
			next = stringEnd(text, i)
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if element.start < 0 {
			element.start = i
		}
		element.end, i = next, next
	}
	end()
	return elements
}

// stringEnd is where the string that starts at i ends.
func stringEnd(text []byte, i int) int {
	quote := text[i : i+1]
	if triple := bytes.Repeat(quote, 3); bytes.HasPrefix(text[i:], triple) {
		quote = triple
	}
	for j := i + len(quote); j < len(text); j++ {
		switch {
		case text[j] == '\\' && quote[0] == '"':
			j++
		case bytes.HasPrefix(text[j:], quote):
			j += len(quote)
			for len(quote) == 3 && j < len(text) && text[j] == quote[0] { // """a"" ends in a quote of its own
				j++
			}
			return j
		}
	}
	return len(text)
}

func keyOf(parts unstable.Iterator) (key []string, at int) {
	for parts.Next() {
		if len(key) == 0 {
			at = int(parts.Node().Raw.Offset)
		}
		key = append(key, string(parts.Node().Data))
	}
	return key, at
}

// trimmed is a range without the blanks that follow it.
func trimmed(text []byte, r unstable.Range) span {
	s := span{int(r.Offset), int(r.Offset + r.Length)}
	for s.end > s.start && strings.IndexByte(" \t\r\n", text[s.end-1]) >= 0 {
		s.end--
	}
	return s
}

// tableStart is where the header at this place begins, with the comment above
// it that belongs to it. Nothing before done is looked at.
func tableStart(text []byte, at, done int) int {
	start := lineStart(text, at)
	for start > 0 {
		above := lineStart(text, start-1)
		if above < done || !bytes.HasPrefix(bytes.TrimLeft(text[above:start], " \t"), []byte("#")) {
			break
		}
		start = above
	}
	return start
}

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd is where the line ends, before its line break.
func lineEnd(text []byte, at int) int {
	end := len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > at && text[end-1] == '\r' {
		end--
	}
	return end
}

func lineAt(text []byte, at int) int { return bytes.Count(text[:at], []byte("\n")) + 1 }
