package gitrepo

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// ParsePatch reads a unified diff or a git diff. Absolute paths, paths with ..,
// and paths into git's own files are refused (ErrUnsafePath); text that is no
// diff, hunks with wrong counts, and two parts for one file are
// ErrMalformedPatch, with the line.
func ParsePatch(data []byte) ([]PatchFile, error) {
	p := &patchParser{rest: data}
	var files []PatchFile
	for p.next() {
		start := p.at
		f := PatchFile{line: p.no}
		switch {
		case strings.HasPrefix(p.line, "diff --git "):
			if err := p.gitFile(&f); err != nil {
				return nil, err
			}
		case strings.HasPrefix(p.line, "--- ") && strings.HasPrefix(p.peek(), "+++ "):
			if err := p.plainFile(&f); err != nil {
				return nil, err
			}
		case strings.HasPrefix(p.line, "@@ -"):
			return nil, p.bad("a hunk without a file header (--- and +++) before it")
		default:
			continue // a commit message, a mail, diff's own remarks
		}
		f.raw = data[start : len(data)-len(p.rest)]
		if err := f.finish(); err != nil {
			return nil, fmt.Errorf("line %d of the patch: %w", f.line, err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: it has no file header, such as the lines --- and +++ of a unified diff", ErrMalformedPatch)
	}
	return joinTypeChanges(files)
}

// joinTypeChanges makes one of git's two parts for a file that turns into a link
// or back, and refuses any other second part for a path.
func joinTypeChanges(files []PatchFile) ([]PatchFile, error) {
	var out []PatchFile
	seen := map[string]int{}
	for _, f := range files {
		if i, ok := seen[f.Path()]; ok {
			first := &out[i]
			if first.Kind == Deleted && f.Kind == Added && first.recreated == nil {
				again := f
				first.Kind, first.NewPath, first.NewMode, first.NewBlob = TypeChange, f.NewPath, f.NewMode, f.NewBlob
				first.Added, first.recreated = f.Added, &again
				continue
			}
			return nil, fmt.Errorf("line %d of the patch: %w: %s is changed a second time; split it into one diff per step", f.line, ErrMalformedPatch, f.Path())
		}
		seen[f.Path()] = len(out)
		out = append(out, f)
	}
	return out, nil
}

// patchParser reads a patch line by line.
type patchParser struct {
	rest []byte
	line string // the current line, without line end
	text string // with line end
	no   int    // its number, from one
	at   int    // its offset
	pos  int
}

func (p *patchParser) next() bool {
	if len(p.rest) == 0 {
		return false
	}
	p.text = firstLine(p.rest)
	p.at = p.pos
	p.pos += len(p.text)
	p.rest = p.rest[len(p.text):]
	p.line = strings.TrimRight(p.text, "\r\n")
	p.no++
	return true
}

func firstLine(b []byte) string {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return string(b[:i+1])
	}
	return string(b)
}

// peek is the line after the current one.
func (p *patchParser) peek() string { return strings.TrimRight(firstLine(p.rest), "\r\n") }

func (p *patchParser) bad(format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %w: %s", p.no, ErrMalformedPatch, fmt.Sprintf(format, args...))
}

// gitFile reads the part of a git diff that begins at the current line.
func (p *patchParser) gitFile(f *PatchFile) error {
	oldName, newName := splitGitNames(strings.TrimPrefix(p.line, "diff --git "))
	f.OldPath, f.NewPath, f.strip = stripPair(oldName, newName)
	f.Kind = Modified
	if oldName == "" {
		f.strip = b2i(strings.HasPrefix(p.line, "diff --git a/") || strings.HasPrefix(p.line, `diff --git "a/`))
	}
	for len(p.rest) > 0 {
		key, value := extendedHeader(p.peek())
		if key == "" {
			break
		}
		p.next()
		var err error
		switch key {
		case "old mode":
			f.OldMode = value
		case "new mode":
			f.NewMode = value
		case "deleted file mode":
			f.Kind, f.OldMode = Deleted, value
		case "new file mode":
			f.Kind, f.NewMode = Added, value
		case "rename from":
			f.Kind = Renamed
			f.OldPath, err = unquoteName(value)
		case "rename to":
			f.NewPath, err = unquoteName(value)
		case "copy from":
			f.Kind = Copied
			f.OldPath, err = unquoteName(value)
		case "copy to":
			f.NewPath, err = unquoteName(value)
		case "index":
			ids, mode, _ := strings.Cut(value, " ")
			f.OldBlob, f.NewBlob, _ = strings.Cut(ids, "..")
			if mode != "" && f.OldMode == "" {
				f.OldMode, f.NewMode = mode, mode
			}
		}
		if err != nil {
			return p.bad("%v", err)
		}
	}
	next := p.peek()
	switch {
	case strings.HasPrefix(next, "GIT binary patch"):
		f.Binary = true
		p.skipBinary()
	case strings.HasPrefix(next, "Binary files ") && strings.HasSuffix(next, " differ"):
		f.Binary = true
		p.next()
	case strings.HasPrefix(next, "--- "):
		p.next()
		if !strings.HasPrefix(p.peek(), "+++ ") {
			return p.bad("--- without +++ behind it")
		}
		if f.OldPath == "" && f.NewPath == "" {
			return p.plainNames(f)
		}
		p.next()
		return p.hunks(f)
	}
	if f.OldPath == "" && f.NewPath == "" {
		return p.bad("the file names cannot be told apart")
	}
	return nil
}

var extendedHeaders = []string{"old mode", "new mode", "deleted file mode", "new file mode", "copy from", "copy to",
	"rename from", "rename to", "similarity index", "dissimilarity index", "index"}

func extendedHeader(line string) (key, value string) {
	for _, k := range extendedHeaders {
		if v, ok := strings.CutPrefix(line, k+" "); ok {
			return k, v
		}
	}
	return "", ""
}

// skipBinary passes over the data: up to the next header. Only git apply reads
// it.
func (p *patchParser) skipBinary() {
	for len(p.rest) > 0 && !strings.HasPrefix(p.peek(), "diff --git ") {
		p.next()
	}
}

// plainFile reads the part of a unified diff that begins at the current line.
func (p *patchParser) plainFile(f *PatchFile) error {
	f.Kind = Modified
	return p.plainNames(f)
}

// plainNames reads --- (the current line) and +++, and the hunks.
func (p *patchParser) plainNames(f *PatchFile) error {
	oldName, err := headerName(p.line[4:])
	if err != nil {
		return p.bad("%v", err)
	}
	p.next()
	newName, err := headerName(p.line[4:])
	if err != nil {
		return p.bad("%v", err)
	}
	switch {
	case oldName == "/dev/null" && newName == "/dev/null":
		return p.bad("both files are /dev/null")
	case oldName == "/dev/null":
		f.Kind = Added
		f.NewPath, f.strip = stripOne(newName, "b")
	case newName == "/dev/null":
		f.Kind = Deleted
		f.OldPath, f.strip = stripOne(oldName, "a")
	default:
		f.OldPath, f.NewPath, f.strip = stripPair(oldName, newName)
		// diff -u old/x new/x, or x.orig and x: the new name is meant.
		f.OldPath = f.NewPath
	}
	return p.hunks(f)
}

// hunks reads all hunks that follow.
func (p *patchParser) hunks(f *PatchFile) error {
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
			h.Lines = append(h.Lines, PatchLine{op, text})
		}
		if strings.HasPrefix(p.peek(), `\`) {
			p.next()
			h.open()
		}
		f.Hunks = append(f.Hunks, h)
	}
	if len(f.Hunks) == 0 && f.Kind == Modified && f.OldMode == f.NewMode && !f.Binary {
		return p.bad("no hunk follows")
	}
	return nil
}

// open takes the line end off the last line: "\ No newline at end of file".
func (h *PatchHunk) open() {
	if n := len(h.Lines); n > 0 {
		l := &h.Lines[n-1]
		l.Text = strings.TrimSuffix(l.Text, "\n")
	}
}

// hunkHeader reads @@ -start,count +start,count @@. Starts become zero based; of
// an empty side the header has the line before the place.
func hunkHeader(line string) (h PatchHunk, oldLen, newLen int, ok bool) {
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

// finish checks the paths and settles the kind.
func (f *PatchFile) finish() error {
	switch f.Kind {
	case Added:
		f.OldPath = ""
	case Deleted:
		f.NewPath = ""
	case Modified:
		if f.OldPath != f.NewPath {
			f.Kind = Renamed // a plain diff that says so
		} else if len(f.Hunks) == 0 && !f.Binary {
			f.Kind = ModeOnly
		}
	}
	if f.OldMode == ModeSubmodule || f.NewMode == ModeSubmodule {
		f.Kind = Submodule
	}
	if f.OldMode != "" && f.OldMode == f.NewMode && f.Kind == ModeOnly {
		return fmt.Errorf("%w: it changes nothing in %s", ErrMalformedPatch, f.Path())
	}
	for _, mode := range []string{f.OldMode, f.NewMode} {
		switch mode {
		case "", ModeFile, ModeExecutable, ModeSymlink, ModeSubmodule:
		default:
			return fmt.Errorf("%w: %s has the unknown mode %q", ErrMalformedPatch, f.Path(), mode)
		}
	}
	for _, p := range []string{f.OldPath, f.NewPath} {
		if p != "" {
			if err := checkPath(p); err != nil {
				return fmt.Errorf("the patch is refused: %w", err)
			}
		}
	}
	if f.Path() == "" {
		return fmt.Errorf("%w: a file without a name", ErrMalformedPatch)
	}
	return nil
}
