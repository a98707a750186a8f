package helixconfig

import (
	"bytes"
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

// languageEntry is one [[language]] of a languages.toml, with the places at which
// it is edited.
type languageEntry struct {
	name      string
	nameValue span        // the line's key and value, name = "…"
	servers   *serverList // nil without language-servers
	types     []string    // file-types; a glob has a "*" or a "/", or is a whole name
}

// scan finds the languages of a languages.toml. It reads as far as the
// text is TOML, and says where that ends.
//
// The parser of go-toml's package unstable is used, because it says where in
// the text a value is: decoding and encoding again would lose the comments,
// the order and the layout of a file that belongs to the user.
func scan(text []byte) (entries []*languageEntry, firstTable int, err error) {
	var parser unstable.Parser
	parser.Reset(text)
	var entry *languageEntry // nil: the keys belong to another table
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
				entry = &languageEntry{}
				entries = append(entries, entry)
			}
		case unstable.KeyValue:
			whole := trimmed(text, node.Raw)
			done = whole.end
			key, _ := keyOf(node.Key())
			if entry == nil {
				if firstTable < 0 && key[0] == "language" {
					return entries, firstTable, &lineError{line: lineAt(text, whole.start), what: "the languages are one inline array, to which nothing can be added: write them as [[language]] tables"}
				}
				continue
			}
			entry.add(text, key, whole, node.Value())
		}
	}
	return entries, firstTable, parser.Error()
}

func (e *languageEntry) add(text []byte, key []string, whole span, value *unstable.Node) {
	switch {
	case len(key) != 1:
	case key[0] == "name" && value.Kind == unstable.String:
		e.name, e.nameValue = string(value.Data), whole
	case key[0] == "language-servers" && value.Kind == unstable.Array:
		array := span{whole.start + bytes.IndexByte(text[whole.start:whole.end], '['), whole.end}
		e.servers = &serverList{whole, array, elementsOf(text, array)}
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

// globMark begins the globs of file-types; extensions have no mark.
const globMark = "glob:"

// lineError is why a languages.toml cannot be used.
type lineError struct {
	line int
	what string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// check decodes a languages.toml wholly, which finds every mistake. It
// reports whether the file defines our language server.
func check(text []byte) (defined bool, err error) {
	var all struct {
		Servers map[string]any `toml:"language-server"`
	}
	if err := toml.Unmarshal(text, &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return false, &lineError{line, strings.TrimPrefix(at.Error(), "toml: ")}
		}
		return false, err
	}
	_, defined = all.Servers[serverName]
	return defined, nil
}

// commandIn is the command of ahp-lsp in a valid languages.toml; "" if it
// has none.
func commandIn(text []byte) string {
	var all struct {
		Servers map[string]struct{ Command string } `toml:"language-server"`
	}
	_ = toml.Unmarshal(text, &all) // another server's table may have another form
	return all.Servers[serverName].Command
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
