package patch

import (
	"strconv"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitfile"
)

// hunks reads all hunks that follow.
func (p *parser) hunks(f *File) error {
	for strings.HasPrefix(p.peek(), "@@ -") {
		p.next()
		h, oldLen, newLen, ok := hunkHeader(p.line)
		// A header with "\r\n" tells that the patch was converted as a whole.
		crlf := strings.HasSuffix(p.text, "\r\n")
		if !ok {
			return p.bad("the hunk header %q cannot be read", p.line)
		}
		for oldLen > 0 || newLen > 0 {
			if !p.next() {
				return p.bad("the patch ends within a hunk (%s)", h.Header)
			}
			op, text := byte(' '), p.text
			if !strings.HasSuffix(text, "\n") {
				text += "\n" // the patch itself lost it; a file's is marked with "\"
			}
			switch {
			case p.line == "": // a context line whose space was lost on the way
			default:
				op, text = text[0], text[1:]
			}
			switch op {
			case ' ':
				oldLen, newLen = oldLen-1, newLen-1
			case '-':
				oldLen--
				f.Removed++
			case '+':
				newLen--
				f.Added++
			case '\\':
				h.open()
				continue
			default:
				return p.bad("a hunk's line begins with %q (%s)", p.text[:1], h.Header)
			}
			if oldLen < 0 || newLen < 0 {
				return p.bad("the hunk has more lines than its header says (%s)", h.Header)
			}
			if crlf {
				text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r") + "\n"
			}
			h.Lines = append(h.Lines, Line{op, text})
		}
		if strings.HasPrefix(p.peek(), `\`) {
			p.next()
			h.open()
		}
		f.Hunks = append(f.Hunks, h)
	}
	if len(f.Hunks) == 0 && f.Kind == gitfile.Modified && f.OldMode == f.NewMode && !f.Binary {
		return p.bad("no hunk follows")
	}
	return nil
}

// open takes the line end off the last line: "\ No newline at end of file".
func (h *Hunk) open() {
	if n := len(h.Lines); n > 0 {
		l := &h.Lines[n-1]
		l.Text = strings.TrimSuffix(l.Text, "\n")
	}
}

// hunkHeader reads @@ -start,count +start,count @@. Starts become zero based; of
// an empty side the header has the line before the place.
func hunkHeader(line string) (h Hunk, oldLen, newLen int, ok bool) {
	rest := strings.TrimPrefix(line, "@@ -")
	ranges, _, ok := strings.Cut(rest, " @@")
	oldPart, newPart, ok2 := strings.Cut(ranges, " +")
	if !ok || !ok2 {
		return h, 0, 0, false
	}
	read := func(s string) (start, n int, ok bool) {
		first, count, has := strings.Cut(s, ",")
		n = 1
		start, err := strconv.Atoi(first)
		if err == nil && has {
			n, err = strconv.Atoi(count)
		}
		if err != nil || start < 0 || n < 0 || start > 1<<30 || n > 1<<30 {
			return 0, 0, false
		}
		if n > 0 {
			start--
		}
		return max(start, 0), n, true
	}
	h.Header = line
	if h.OldStart, oldLen, ok = read(oldPart); !ok {
		return h, 0, 0, false
	}
	h.NewStart, newLen, ok = read(newPart)
	return h, oldLen, newLen, ok
}
