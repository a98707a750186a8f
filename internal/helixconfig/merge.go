package helixconfig

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// serverName is what the language server is called in Helix's configuration.
const serverName = "ahp-lsp"

// What is added to a languages.toml stands in blocks of its own, between these
// two lines. The sum shows whether somebody has edited a block since.
const (
	blockStart = "# >>> ahp-lsp helix-config, sum "
	blockEnd   = "# <<< ahp-lsp helix-config"
)

// addedMark follows a line that was added to a language of the user's; the sum
// is of that line.
const addedMark = " # added by ahp-lsp helix-config, sum "

// setup is what is to be added to a languages.toml.
type setup struct {
	command   string
	languages []Language // all that Helix knows; with none, only lists that are there are added to
	origin    string     // where they are from: "Helix 25.07.1"
}

// An edit replaces a range of a text.
type edit struct {
	span
	text string
}

// applyEdits applies edits that do not overlap.
func applyEdits(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// merge returns a languages.toml with ahp-lsp among the servers of every
// language. What is the user's stays as it is, byte by byte.
//
// The block comes before the user's tables: where two languages claim a type
// of file, Helix takes the later one, which has to remain the user's.
func (s *setup) merge(text []byte) ([]byte, error) {
	text, err := withoutOurs(text)
	if err != nil {
		return nil, err
	}
	defined, err := check(text)
	if err != nil {
		return nil, err
	}
	entries, at, err := scan(text)
	if err != nil {
		return nil, err
	}
	eol := lineBreak(text)
	edits := s.editEntries(text, entries, eol)
	if block := s.block(entries, defined); block != "" {
		if at < 0 {
			at = len(text)
			block = strings.TrimSuffix(block, "\n")
			if at > 0 && text[at-1] != '\n' {
				block = "\n" + block
			}
		}
		edits = append(edits, edit{span{at, at}, strings.ReplaceAll(block, "\n", eol)})
	}
	merged := applyEdits(text, edits)
	if _, err := check(merged); err != nil {
		return nil, fmt.Errorf("ahp-lsp cannot be added to it (%w): write language servers as [language-server.NAME] tables", err)
	}
	return merged, nil
}

// editEntries adds to the languages that the user has written.
func (s *setup) editEntries(text []byte, entries []*languageEntry, eol string) (edits []edit) {
	listed := map[string]bool{} // languages with a list, or about to get one
	for _, e := range entries {
		if e.servers != nil {
			listed[e.name] = true
		}
	}
	for _, e := range entries {
		switch {
		case e.name == "":
		case e.servers == nil && !listed[e.name] && len(s.languages) > 0:
			listed[e.name] = true
			start := lineStart(text, e.nameValue.start)
			indent := string(text[start:e.nameValue.start])
			at := lineEnd(text, e.nameValue.end)
			edits = append(edits, edit{span{at, at}, eol + indent + s.line(e.name) + addedMark + sumOf(s.line(e.name))})
		case e.servers != nil && !slices.Contains(e.servers.names(text), serverName):
			edits = append(edits, e.servers.appended(text, eol))
		}
	}
	return edits
}

// appended adds ahp-lsp to a list; on a line of its own if the last element is.
func (l *serverList) appended(text []byte, eol string) edit {
	if len(l.elements) == 0 {
		return edit{span{l.array.start + 1, l.array.start + 1}, quoted(serverName)}
	}
	last := l.elements[len(l.elements)-1]
	start := lineStart(text, last.start)
	indent := string(text[start:last.start])
	separator := ", "
	if strings.TrimSpace(indent) == "" && !bytes.Contains(text[last.end:lineEnd(text, last.end)], []byte("#")) {
		separator = "," + eol + indent
	}
	return edit{span{last.end, last.end}, separator + quoted(serverName)}
}

// line is the language-servers of a language: Helix's own and ours, since a
// list in the user's file replaces Helix's.
func (s *setup) line(language string) string {
	var own []string
	for _, l := range s.languages {
		if l.name == language {
			own = l.servers
		}
	}
	return "language-servers = [" + strings.Join(append(slices.Clone(own), quoted(serverName)), ", ") + "]"
}

// block is what is added besides: the server, and each language that is not
// among the user's entries. The two are separate, since the server's settings
// are what a user changes most likely. It is "" if there is nothing to add.
func (s *setup) block(entries []*languageEntry, defined bool) string {
	if len(s.languages) == 0 {
		return ""
	}
	server, languages := "", ""
	if !defined {
		server = marked("# How Helix starts ahp-lsp. Change it as you like; it is kept then.\n\n" +
			"[language-server." + serverName + "]\ncommand = " + quoted(s.command) + "\nargs = [\"--stdio\"]\n\n")
	}
	for _, l := range s.languages {
		if !slices.ContainsFunc(entries, func(e *languageEntry) bool { return e.name == l.name }) {
			languages += fmt.Sprintf("[[language]]\nname = %s\n%s\n\n", quoted(l.name), s.line(l.name))
		}
	}
	if languages != "" {
		languages = marked("# Each language has the servers that " + s.origin + " gives it, and ahp-lsp.\n" +
			"# Run \"ahp-lsp helix-config --write\" again after updating Helix; \"--remove --write\" takes this out.\n\n" + languages)
	}
	return server + languages
}

// marked puts a block between its marks.
func marked(inside string) string {
	return blockStart + sumOf(inside) + "\n" + inside + blockEnd + "\n\n"
}

func sumOf(inside string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(inside, "\r\n", "\n")))
	return fmt.Sprintf("%x", sum[:6])
}

// withoutBlock takes the blocks out. One that somebody has edited is the user's
// from then on: only its two marks go.
func withoutBlock(text []byte) []byte {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(blockStart))
		if i < 0 {
			return text
		}
		start := from + i
		from = start + 1
		inside := min(lineEnd(text, start)+len(lineBreak(text)), len(text))
		length := bytes.Index(text[inside:], []byte(blockEnd))
		if start != lineStart(text, start) || length < 0 {
			continue
		}
		end := inside + length
		sum := strings.TrimSpace(string(text[start+len(blockStart) : inside]))
		after := min(lineEnd(text, end)+len(lineBreak(text)), len(text))
		if sum == sumOf(string(text[inside:end])) {
			if rest := text[after:]; len(rest) >= len(lineBreak(text)) && string(rest[:len(lineBreak(text))]) == lineBreak(text) {
				after += len(lineBreak(text)) // the blank line after it is ours, too
			}
			text = slices.Concat(text[:start], text[after:])
		} else {
			text = slices.Concat(text[:start], text[inside:end], text[after:])
		}
		from = start
	}
}

// withoutOurs takes out what we have added and nobody has edited since, but for
// ahp-lsp in lists of the user's.
func withoutOurs(text []byte) ([]byte, error) {
	// Of the whole text, so that the lines in messages are those of the file.
	if _, err := check(text); err != nil {
		return nil, err
	}
	if _, _, err := scan(text); err != nil {
		return nil, err
	}
	text = withoutBlock(text)
	entries, _, err := scan(text)
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, e := range entries {
		if e.servers == nil {
			continue
		}
		end := lineEnd(text, e.servers.whole.end)
		if string(text[e.servers.whole.end:end]) != addedMark+sumOf(e.servers.whole.of(text)) {
			continue
		}
		start := lineStart(text, e.servers.whole.start)
		if start > 0 { // with the line break before it
			start = lineEnd(text, lineStart(text, start-1))
		}
		edits = append(edits, edit{span: span{start, end}})
	}
	return applyEdits(text, edits), nil
}

// remove takes ahp-lsp out of a languages.toml.
func remove(text []byte) ([]byte, error) {
	text, err := withoutOurs(text)
	if err != nil {
		return nil, err
	}
	entries, _, err := scan(text)
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, e := range entries {
		if e.servers != nil {
			edits = append(edits, e.servers.removed(text)...)
		}
	}
	return applyEdits(text, edits), nil
}

// removed takes ahp-lsp out of a list.
func (l *serverList) removed(text []byte) (edits []edit) {
	for i, name := range l.names(text) {
		if name != serverName {
			continue
		}
		cut := l.elements[i]
		comma := cut.end // where the next element begins, or the list ends
		if rest := bytes.TrimLeft(text[cut.end:l.array.end-1], " \t\r\n"); len(rest) > 0 && rest[0] == ',' {
			comma = l.array.end - 1 - len(rest) + 1
		}
		if i > 0 && !bytes.Contains(text[l.elements[i-1].end:cut.start], []byte("#")) {
			cut.start = l.elements[i-1].end
		} else {
			cut.end = comma
		}
		edits = append(edits, edit{span: cut})
	}
	return edits
}

// lineBreak is how the lines of a text end.
func lineBreak(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
