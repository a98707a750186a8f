// Package gitfile is what git can have at a path: which names are safe, which modes
// there are, and what can happen to a file. It is pure: it never looks at a disk.
package gitfile

// Kind is what happened to a file.
type Kind string

// The kinds of change. Untracked files are those git does not know; a
// submodule is any change of a nested repository's commit, an untracked nested
// repository included.
const (
	Added      Kind = "added"
	Modified   Kind = "modified"
	Deleted    Kind = "deleted"
	Renamed    Kind = "renamed"
	Copied     Kind = "copied" // patches only
	TypeChange Kind = "typechange"
	Untracked  Kind = "untracked"
	ModeOnly   Kind = "modeonly"
	Submodule  Kind = "submodule"
)

// Git's file modes.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeSymlink    = "120000"
	ModeSubmodule  = "160000"
)
