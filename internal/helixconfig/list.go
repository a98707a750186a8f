package helixconfig

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// serverList is a language-servers array.
type serverList struct {
	whole    span // with the key
	array    span
	elements []span
}

// names are the servers of a list; "" for an element that has none.
func (l *serverList) names(text []byte) []string {
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
