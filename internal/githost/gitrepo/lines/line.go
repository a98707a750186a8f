package lines

import (
	"bytes"

	"ahp-lsp/mapping"
)

// Lines is a text split into lines with their line ends; see the package
// comment for what ends one. Joined they are the text.
type Lines []string

// Split splits a text.
func Split(data []byte) Lines {
	s := string(data)
	t := mapping.NewText(s)
	n := t.LineCount()
	if t.FullLine(n-1).Start == len(s) {
		n-- // the empty line behind the last line end
	}
	out := make(Lines, n)
	for i := range out {
		out[i] = t.Slice(t.FullLine(i))
	}
	return out
}

// End is the line end of a line, "" if it has none.
func End(line string) string {
	n := len(line)
	switch {
	case n > 1 && line[n-2:] == "\r\n":
		return "\r\n"
	case n > 0 && (line[n-1] == '\n' || line[n-1] == '\r'):
		return line[n-1:]
	}
	return ""
}

// Text is a line without its line end.
func Text(line string) string { return line[:len(line)-len(End(line))] }

// UsualEnd is the line end of the first line that has one, "" if none has.
func (l Lines) UsualEnd() string {
	if len(l) == 0 {
		return ""
	}
	return End(l[0])
}

// IsBinary judges as git does: a NUL byte among the first 8000.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

// EndKinds tells which of "\n" and "\r\n" a text uses.
func (l Lines) EndKinds() (lf, crlf bool) {
	for _, s := range l {
		switch End(s) {
		case "\n":
			lf = true
		case "\r\n":
			crlf = true
		}
	}
	return lf, crlf
}
