package gitrepo

import (
	"bytes"

	"ahp-lsp/mapping"
)

// lines is a text split into lines with their line ends; see the package
// comment for what ends one. Joined they are the text.
type lines []string

func splitLines(data []byte) lines {
	s := string(data)
	t := mapping.NewText(s)
	n := t.LineCount()
	if t.FullLine(n-1).Start == len(s) {
		n-- // the empty line behind the last line end
	}
	out := make(lines, n)
	for i := range out {
		out[i] = t.Slice(t.FullLine(i))
	}
	return out
}

// lineEnd is the line end of a line, "" if it has none.
func lineEnd(line string) string {
	n := len(line)
	switch {
	case n > 1 && line[n-2:] == "\r\n":
		return "\r\n"
	case n > 0 && (line[n-1] == '\n' || line[n-1] == '\r'):
		return line[n-1:]
	}
	return ""
}

// lineText is a line without its line end.
func lineText(line string) string { return line[:len(line)-len(lineEnd(line))] }

// usualEnd is the line end of the first line that has one, "" if none has.
func (l lines) usualEnd() string {
	if len(l) == 0 {
		return ""
	}
	return lineEnd(l[0])
}

// isBinary judges as git does: a NUL byte among the first 8000.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}
