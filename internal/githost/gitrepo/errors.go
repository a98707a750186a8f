package gitrepo

import "errors"

// The errors callers can tell apart with errors.Is. Each comes wrapped in a
// sentence that names the thing, the cause and what to do.
var (
	// ErrNotRepository: the folder is in no git work tree.
	ErrNotRepository = errors.New("not a git repository")
	// ErrBare: the repository has no work tree.
	ErrBare = errors.New("the repository has no work tree")
	// ErrNoGit: there is no git command, or it is too old.
	ErrNoGit = errors.New("git cannot be run")
	// ErrIndexLocked: another git command is at work, or left its lock behind.
	ErrIndexLocked = errors.New("the index is locked")
	// ErrReadOnly: no permission to write, or a read-only file system.
	ErrReadOnly = errors.New("cannot be written")
	// ErrNoSpace: the disk or the quota is full.
	ErrNoSpace = errors.New("no space left")
	// ErrTooLarge: the file is over the size up to which this can be done.
	ErrTooLarge = errors.New("too large")
	// ErrConflict: the file has changed since, in the same lines.
	ErrConflict = errors.New("changed since")
	// ErrStale: the change is another one than the target was chosen from.
	ErrStale = errors.New("has changed since it was shown")
	// ErrNothing: the targets cover nothing that could be changed.
	ErrNothing = errors.New("nothing to do")
	// ErrUnsafePath: the path leads out of the work tree or into git's own files.
	ErrUnsafePath = errors.New("unsafe path")
	// ErrNoRange: the file has no lines to choose from (binary, symbolic link,
	// submodule, or a filter whose stored form has other lines).
	ErrNoRange = errors.New("cannot be changed by lines")
	// ErrNotFound: there is no such object, ref or undo record.
	ErrNotFound = errors.New("not found")
	// ErrMalformedPatch: the text is not a diff, or is damaged.
	ErrMalformedPatch = errors.New("malformed patch")
	// ErrUnmerged: the file has merge conflicts that are not resolved yet.
	ErrUnmerged = errors.New("unresolved merge conflict")
)
