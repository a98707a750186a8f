package gitrepo

import "slices"

// PatchFile is what a diff does to one file.
type PatchFile struct {
	Kind             Kind   // Added, Modified, Deleted, Renamed, Copied, ModeOnly, TypeChange, Submodule
	OldPath, NewPath string // OldPath is "" for Added, NewPath for Deleted
	OldMode, NewMode string // "" if the diff does not say
	OldBlob, NewBlob string // object ids, often abbreviated; "" if the diff does not say
	Hunks            []PatchHunk
	Binary           bool
	Added, Removed   int // lines

	line      int        // of the diff, from one, where its part begins
	raw       []byte     // its part of the diff, for git apply
	strip     int        // elements that git apply has to take off the paths
	recreated *PatchFile // of a TypeChange: the second half, which adds the file again
}

// Path is the path after the change, or before it if the file is deleted.
func (f PatchFile) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// PatchHunk is one hunk. Starts are zero-based lines; lines end with "\n" only,
// as in git.
type PatchHunk struct {
	OldStart, NewStart int
	Lines              []PatchLine
	Header             string // the line beginning with @@
}

// PatchLine is a line of a hunk with its line end, if it has one.
type PatchLine struct {
	Op   byte // ' ' in both versions, '-' in the old, '+' in the new
	Text string
}

// side is the hunk's lines in the old or the new version.
func (h PatchHunk) side(skip byte) []string {
	out := make([]string, 0, len(h.Lines))
	for _, l := range h.Lines {
		if l.Op != skip {
			out = append(out, l.Text)
		}
	}
	return out
}

// context reports whether the hunk shows lines around what it changes.
func (h PatchHunk) context() bool {
	return slices.ContainsFunc(h.Lines, func(l PatchLine) bool { return l.Op == ' ' })
}

func (h PatchHunk) old() []string { return h.side('+') }
func (h PatchHunk) new() []string { return h.side('-') }

// PatchState says how well a file of a patch fits the work tree.
type PatchState string

const (
	// PatchExact: every hunk fits, if need be at another line.
	PatchExact PatchState = "exact"
	// PatchMerged: it was made against another version, which is known, and
	// merges without conflict.
	PatchMerged PatchState = "merged"
	// PatchPartial: some hunks do not fit; AfterData has the others.
	PatchPartial PatchState = "partial"
	// PatchApplied: the work tree has the change already.
	PatchApplied PatchState = "applied"
	// PatchFailed: nothing of it fits.
	PatchFailed PatchState = "failed"
)

// PatchResult is a file of a patch held against the work tree.
type PatchResult struct {
	File  PatchFile
	State PatchState
	// Diff is the change the patch would make: Before is the file on disk (nil
	// if it is created), After the proposed file (nil if it is deleted), which
	// has no object yet: its content is AfterData. Where nothing fits, or nothing
	// is left to do, After is Before.
	Diff FileDiff
	// BeforeData and AfterData are the contents in the form of the work tree;
	// nil for a file that does not exist on that side.
	BeforeData, AfterData []byte
	// Problems says, a sentence for each, what does not fit, where and why.
	Problems []PatchProblem

	before, after version
}

// PatchProblem is a hunk, or a whole file, that does not fit.
type PatchProblem struct {
	Hunk   int // index in PatchFile.Hunks; -1 is the file
	Line   int // zero-based line of the work tree file where it should go; -1 unknown
	Reason string
}
