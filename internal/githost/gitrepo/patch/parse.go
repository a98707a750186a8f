package patch

import (
	"bytes"
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitfile"
)

// Parse reads a unified diff or a git diff. Absolute paths, paths with ..,
// and paths into git's own files are refused (ErrUnsafePath); text that is no
// diff, hunks with wrong counts, and two parts for one file are
// ErrMalformed, with the line.
func Parse(data []byte) ([]File, error) {
	p := &parser{rest: data}
	var files []File
	for p.next() {
		start := p.at
		f := File{line: p.no}
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
		f.Raw = data[start : len(data)-len(p.rest)]
		if err := f.finish(); err != nil {
			return nil, fmt.Errorf("line %d of the patch: %w", f.line, err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: it has no file header, such as the lines --- and +++ of a unified diff", ErrMalformed)
	}
	return joinTypeChanges(files)
}

// joinTypeChanges makes one of git's two parts for a file that turns into a link
// or back, and refuses any other second part for a path.
func joinTypeChanges(files []File) ([]File, error) {
	var out []File
	seen := map[string]int{}
	for _, f := range files {
		if i, ok := seen[f.Path()]; ok {
			first := &out[i]
			if first.Kind == gitfile.Deleted && f.Kind == gitfile.Added && first.Recreated == nil {
				again := f
				first.Kind, first.NewPath, first.NewMode, first.NewBlob = gitfile.TypeChange, f.NewPath, f.NewMode, f.NewBlob
				first.Added, first.Recreated = f.Added, &again
				continue
			}
			return nil, fmt.Errorf("line %d of the patch: %w: %s is changed a second time; split it into one diff per step", f.line, ErrMalformed, f.Path())
		}
		seen[f.Path()] = len(out)
		out = append(out, f)
	}
	return out, nil
}

// parser reads a patch line by line.
type parser struct {
	rest []byte
	line string // the current line, without line end
	text string // with line end
	no   int    // its number, from one
	at   int    // its offset
	pos  int
}

func (p *parser) next() bool {
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
func (p *parser) peek() string { return strings.TrimRight(firstLine(p.rest), "\r\n") }

func (p *parser) bad(format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %w: %s", p.no, ErrMalformed, fmt.Sprintf(format, args...))
}

// gitFile reads the part of a git diff that begins at the current line.
func (p *parser) gitFile(f *File) error {
	oldName, newName := splitGitNames(strings.TrimPrefix(p.line, "diff --git "))
	f.OldPath, f.NewPath, f.Strip = stripPair(oldName, newName)
	f.Kind = gitfile.Modified
	if oldName == "" {
		f.Strip = 0
		if strings.HasPrefix(p.line, "diff --git a/") || strings.HasPrefix(p.line, `diff --git "a/`) {
			f.Strip = 1
		}
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
			f.Kind, f.OldMode = gitfile.Deleted, value
		case "new file mode":
			f.Kind, f.NewMode = gitfile.Added, value
		case "rename from":
			f.Kind = gitfile.Renamed
			f.OldPath, err = unquoteName(value)
		case "rename to":
			f.NewPath, err = unquoteName(value)
		case "copy from":
			f.Kind = gitfile.Copied
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
		if err := p.sameNames(f); err != nil {
			return err
		}
		return p.hunks(f)
	}
	if f.OldPath == "" && f.NewPath == "" {
		return p.bad("the two file names cannot be separated")
	}
	return nil
}

// sameNames reads --- (the current line) and +++ of a git diff, which must name
// the files that are known already; /dev/null says that there is none, also where
// no extended header does.
func (p *parser) sameNames(f *File) error {
	for _, side := range []struct {
		path string
		none gitfile.Kind // a change without a file on this side
	}{{f.OldPath, gitfile.Added}, {f.NewPath, gitfile.Deleted}} {
		name, err := headerName(p.line[4:])
		if err != nil {
			return p.bad("%v", err)
		}
		if name == "/dev/null" {
			if f.Kind != gitfile.Modified && f.Kind != side.none {
				return p.bad("%s names no file, but the lines above do not say so", p.line[:3])
			}
			f.Kind = side.none
		} else if path := strings.TrimRight(side.path, " "); name != path && (len(name) < 3 || name[1] != '/' || name[2:] != path) {
			return p.bad("%s names %s, and the lines above %s", p.line[:3], name, side.path)
		}
		if p.line[0] == '-' {
			p.next()
		}
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
func (p *parser) skipBinary() {
	for len(p.rest) > 0 && !strings.HasPrefix(p.peek(), "diff --git ") {
		p.next()
	}
}

// plainFile reads the part of a unified diff that begins at the current line.
func (p *parser) plainFile(f *File) error {
	f.Kind = gitfile.Modified
	return p.plainNames(f)
}

// plainNames reads --- (the current line) and +++, and the hunks.
func (p *parser) plainNames(f *File) error {
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
		f.Kind = gitfile.Added
		f.NewPath, f.Strip = stripOne(newName, "b")
	case newName == "/dev/null":
		f.Kind = gitfile.Deleted
		f.OldPath, f.Strip = stripOne(oldName, "a")
	default:
		f.OldPath, f.NewPath, f.Strip = stripPair(oldName, newName)
		// diff -u old/x new/x, or x.orig and x: the new name is meant.
		f.OldPath = f.NewPath
	}
	return p.hunks(f)
}

// finish checks the paths and settles the kind.
func (f *File) finish() error {
	switch f.Kind {
	case gitfile.Added:
		f.OldPath = ""
	case gitfile.Deleted:
		f.NewPath = ""
	case gitfile.Modified:
		if f.OldPath != f.NewPath {
			f.Kind = gitfile.Renamed // a plain diff that says so
		} else if len(f.Hunks) == 0 && !f.Binary {
			f.Kind = gitfile.ModeOnly
		}
	}
	if f.OldMode == gitfile.ModeSubmodule || f.NewMode == gitfile.ModeSubmodule {
		f.Kind = gitfile.Submodule
	}
	if f.OldMode != "" && f.OldMode == f.NewMode && f.Kind == gitfile.ModeOnly {
		return fmt.Errorf("%w: it changes nothing in %s", ErrMalformed, f.Path())
	}
	for _, mode := range []string{f.OldMode, f.NewMode} {
		switch mode {
		case "", gitfile.ModeFile, gitfile.ModeExecutable, gitfile.ModeSymlink, gitfile.ModeSubmodule:
		default:
			return fmt.Errorf("%w: %s has the unknown mode %q", ErrMalformed, f.Path(), mode)
		}
	}
	for _, p := range []string{f.OldPath, f.NewPath} {
		if p != "" {
			if err := gitfile.CheckPath(p); err != nil {
				return fmt.Errorf("the patch is refused: %w", err)
			}
		}
	}
	if f.Path() == "" {
		return fmt.Errorf("%w: a file without a name", ErrMalformed)
	}
	return nil
}
