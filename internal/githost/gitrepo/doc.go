// Package gitrepo is the git engine of the embedded agent host: what changed in
// one work tree, and the operations on it. It knows nothing of AHP.
//
// Open a [Repo] for any folder of a work tree. Uncommitted, Staged, Branch and
// Compare list changes as [FileDiff]s; Content reads either [Side] of one. Who
// watches the disk compares with a [Scan], which looks only where files were
// touched.
// Checkpoint records the whole work tree as a commit under refs/ahp/ without
// touching anything of the user's. Revert, Stage, Unstage, Commit, Undo and
// ApplyPatch change things; each acts on [Target]s: everything, one file, or a
// range of lines of one side of one file.
//
// # Rooms
//
// Package gitcmd runs git, and decides what git may run; records has our commits;
// worktree reads and replaces files. lines, patch and gitfile are pure. gitrepo puts
// them together.
//
// # Lines and ranges
//
// Package lines says what a range of lines selects. Lines are compared after git's
// own conversions (.gitattributes, core.autocrlf): what git calls unchanged is
// unchanged. If a range selects everything in which two sides differ and one of
// them does not exist, the file itself comes or goes. A range never changes a
// file's mode.
//
// # Safety
//
// The user's index, stash, HEAD, config and hooks are touched by Stage, Unstage
// and Commit only, and only Commit runs hooks. Everything else works in a
// temporary index and writes objects, and refs that never travel; see package
// records. Programs that the repository's own configuration names run only where
// the user has allowed them; see [Trust]. Every operation
// that overwrites or deletes something stores it first in a commit under
// refs/ahp/undo/, whose tree holds before/<path> (what was there) and
// after/<path> (what the operation left), byte for byte. Files are written to a
// temporary file beside the old one, synced and put in its place, if the old one
// still has the content that the result was computed from: up to the last moment
// where the system can exchange two files (Linux, macOS), and just before it elsewhere.
package gitrepo
