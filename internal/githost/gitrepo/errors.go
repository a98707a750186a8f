package gitrepo

import (
	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitfile"
	"ahp-lsp/internal/githost/gitrepo/patch"
)

// The errors callers can tell apart with errors.Is. Each comes wrapped in a
// sentence that names the thing, the cause and what to do.
var (
	// ErrNotRepository: the folder is in no git work tree.
	ErrNotRepository = fault.ErrNotRepository
	// ErrForeign: the repository claims a work tree that is not its own.
	ErrForeign = fault.ErrForeign
	// ErrBare: the repository has no work tree.
	ErrBare = fault.ErrBare
	// ErrNoGit: there is no git command, or it is too old.
	ErrNoGit = fault.ErrNoGit
	// ErrIndexLocked: another git command is at work, or left its lock behind.
	ErrIndexLocked = fault.ErrIndexLocked
	// ErrReadOnly: no permission to write, or a read-only file system.
	ErrReadOnly = fault.ErrReadOnly
	// ErrNoSpace: the disk or the quota is full.
	ErrNoSpace = fault.ErrNoSpace
	// ErrTooLarge: the file is over the size up to which this can be done.
	ErrTooLarge = fault.ErrTooLarge
	// ErrConflict: the file has changed since, in the same lines.
	ErrConflict = fault.ErrConflict
	// ErrStale: the change is another one than the target was chosen from.
	ErrStale = fault.ErrStale
	// ErrNothing: the targets cover nothing that could be changed.
	ErrNothing = fault.ErrNothing
	// ErrNoRange: the file has no lines to choose from (binary, symbolic link,
	// submodule, or a filter whose stored form has other lines).
	ErrNoRange = fault.ErrNoRange
	// ErrNotDownloaded: the object is missing from a partial clone.
	ErrNotDownloaded = fault.ErrNotDownloaded
	// ErrHangs: git did not come to an end in time.
	ErrHangs = fault.ErrHangs
	// ErrNotAllowed: a program that the repository names would have to run.
	ErrNotAllowed = fault.ErrNotAllowed
	// ErrNotFound: there is no such object, ref or undo record.
	ErrNotFound = fault.ErrNotFound
	// ErrUnmerged: the file has merge conflicts that are not resolved yet.
	ErrUnmerged = fault.ErrUnmerged
	// ErrUnsafePath: the path leads out of the work tree or into git's own files.
	ErrUnsafePath = gitfile.ErrUnsafePath
	// ErrMalformedPatch: the text is not a diff, or is damaged.
	ErrMalformedPatch = patch.ErrMalformed
)
