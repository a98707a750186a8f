package gitrepo

import (
	"time"

	"ahp-lsp/internal/githost/gitrepo/gitfile"
	"ahp-lsp/internal/githost/gitrepo/lines"
)

// HEAD names the current commit as a tree; on an unborn branch it is the empty
// tree.
const HEAD = "HEAD"

// WorkTree names the files on disk where a tree is asked for.
const WorkTree = ""

// State is where a work tree stands.
type State struct {
	Branch        string // short name, also while unborn; "" if detached
	Head          string // commit id; "" if unborn
	Upstream      string // short name such as origin/main; "" if there is none
	DefaultBranch string // short name such as origin/main or main; "" if unknown
	Operation     string // merge, rebase, cherry-pick, revert, bisect or ""
	Unborn        bool   // the branch has no commit yet
	Detached      bool
}

// Kind is what happened to a file.
type Kind = gitfile.Kind

// The kinds of change; see package gitfile.
const (
	Added      = gitfile.Added
	Modified   = gitfile.Modified
	Deleted    = gitfile.Deleted
	Renamed    = gitfile.Renamed
	Copied     = gitfile.Copied
	TypeChange = gitfile.TypeChange
	Untracked  = gitfile.Untracked
	ModeOnly   = gitfile.ModeOnly
	Submodule  = gitfile.Submodule
)

// Git's file modes.
const (
	ModeFile       = gitfile.ModeFile
	ModeExecutable = gitfile.ModeExecutable
	ModeSymlink    = gitfile.ModeSymlink
	ModeSubmodule  = gitfile.ModeSubmodule
)

// Side is one version of one file.
type Side struct {
	Path string // slash separated, relative to the work tree's root
	Mode string // one of the modes above
	// Blob is the object id as git stores the file, before smudge filters and
	// line end conversion. It is "" if the version is the file on disk; of a
	// submodule it is always the commit.
	Blob string
	Disk bool
}

// FileDiff is one changed file. Before is nil if it was created, After if it was
// deleted. Added and Removed count lines as git does; they are 0 for binary
// files, for files over 64 MiB, which count as binary, and for untracked files
// where there are more than 5 000 of them.
type FileDiff struct {
	Kind           Kind
	Before, After  *Side
	Added, Removed int
	Binary         bool
	Conflict       bool // has unresolved merge conflicts
}

// Path is the file's path after the change, or before it if it was deleted.
func (f FileDiff) Path() string {
	if f.After != nil {
		return f.After.Path
	}
	if f.Before != nil {
		return f.Before.Path
	}
	return ""
}

// Range is whole lines of one side; see package lines for what it selects.
type Range = lines.Range

// The sides of a Range.
const (
	BeforeSide = lines.BeforeSide
	AfterSide  = lines.AfterSide
)

// Target is what an operation acts on. Without a Path it is everything; without
// a Range the whole file. Either path of a rename names the rename.
type Target struct {
	Path  string
	Range *Range
	// Seen, if not nil, tells whether the file's change is still the one that the
	// target was chosen from. It is asked when everything has been read, and before
	// anything is changed; ErrStale if it is not.
	Seen func(FileDiff) bool
}

// Outcome is what an operation did.
type Outcome struct {
	Message string   // one sentence for the user
	Undo    string   // ref for Repo.Undo; "" if nothing was destroyed
	Paths   []string // the files that changed, sorted
	// Skipped says, a sentence each, what was asked for and not done.
	Skipped []string
}

// Trees are the two ends of a comparison: any tree-ish, HEAD, or WorkTree for
// After.
type Trees struct{ Before, After string }

// UndoRecord is an operation that can be undone.
type UndoRecord struct {
	Ref       string
	Time      time.Time
	Operation string // revert, stage, unstage, apply, undo
	Message   string // the sentence of the operation's Outcome
	Paths     []string
	Index     bool // the index was changed, not the work tree
}
