// Package patch reads diffs and fits them to texts. It is pure: no files, no git, no
// protocol, no goroutines. Values are not changed once they are made.
//
// [Parse] is lenient where the meaning is clear: mails around the diff, diffs of
// other tools, lost spaces and line ends. It refuses what could be taken for
// something else. [Fit] puts hunks where their old lines are.
package patch

import (
	"errors"
	"slices"

	"ahp-lsp/internal/githost/gitrepo/gitfile"
)

// ErrMalformed: the text is not a diff, or is damaged.
var ErrMalformed = errors.New("malformed patch")

// File is what a diff does to one file.
type File struct {
	Kind             gitfile.Kind // Added, Modified, Deleted, Renamed, Copied, ModeOnly, TypeChange, Submodule
	OldPath, NewPath string       // OldPath is "" for Added, NewPath for Deleted
	OldMode, NewMode string       // "" if the diff does not say
	OldBlob, NewBlob string       // object ids, often abbreviated; "" if the diff does not say
	Hunks            []Hunk
	Binary           bool
	Added, Removed   int // lines

	line int // of the diff, from one, where its part begins
	// Raw is its part of the diff, for git apply, which has to take Strip elements
	// off the paths.
	Raw   []byte
	Strip int
	// Recreated is the second half of a TypeChange, which adds the file again.
	Recreated *File
}

// Path is the path after the change, or before it if the file is deleted.
func (f File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Hunk is one hunk. Starts are zero-based lines; lines end with "\n" only,
// as in git.
type Hunk struct {
	OldStart, NewStart int
	Lines              []Line
	Header             string // the line beginning with @@
}

// Line is a line of a hunk with its line end, if it has one.
type Line struct {
	Op   byte // ' ' in both versions, '-' in the old, '+' in the new
	Text string
}

// side is the hunk's lines in the old or the new version.
func (h Hunk) side(skip byte) []string {
	out := make([]string, 0, len(h.Lines))
	for _, l := range h.Lines {
		if l.Op != skip {
			out = append(out, l.Text)
		}
	}
	return out
}

// context reports whether the hunk shows lines around what it changes.
func (h Hunk) context() bool {
	return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Op == ' ' })
}

func (h Hunk) old() []string { return h.side('+') }
func (h Hunk) new() []string { return h.side('-') }

// Problem is a hunk, or a whole file, that does not fit.
type Problem struct {
	Hunk   int // index in PatchFile.Hunks; -1 is the file
	Line   int // zero-based line of the work tree file where it should go; -1 unknown
	Reason string
}
