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
// # Lines and ranges
//
// Lines are counted from zero and end with "\n", "\r\n" or a lone "\r", as in
// LSP; the empty line behind a final line end is not a line. Lines are compared
// byte by byte, line end included, after git's own conversions (.gitattributes,
// core.autocrlf): what git calls unchanged is unchanged.
//
// The two sides are aligned by content. Between aligned lines lie blocks: m
// lines of before replaced by n lines of after. Two aligned lines that differ in
// their line end only are a block with m = n = 1. A range covers lines of one
// side. Of a block it selects
//
//   - everything, if it covers all of the block's lines on the range's side;
//   - otherwise, of the first min(m, n) lines on either side, which pair up one
//     to one in order, every pair whose line it covers; and of the lines in
//     excess of that each one it covers, on the side that has them. Lines in
//     excess on the other side stay as they are.
//
// A block without lines on the range's side (a pure deletion seen from after, a
// pure insertion seen from before) is a place between two lines. It is selected
// whole by an empty range at exactly that place, and by a range that has it
// inside: strictly between its ends, or at the start or the end of the file if
// the range reaches there. A range that just touches it does not select it.
//
// A pure insertion or deletion can often be shifted without changing the texts
// (one of two equal neighbouring lines was added: which?). Differs disagree
// there, so a range that is exactly one of the block's shifted positions
// addresses the block.
//
// What is selected changes to the other side, all other bytes stay, with one
// exception: a line without line end that would come to stand before another
// line gets the line end its counterpart or the file has. If a range selects
// everything in which two sides differ and one of them does not exist, the file
// itself comes or goes. A range never changes a file's mode.
//
// # Safety
//
// The user's index, stash, HEAD, config and hooks are touched by Stage, Unstage
// and Commit only, and only Commit runs hooks. Everything else works in a
// temporary index and writes objects and refs under refs/ahp/. Every operation
// that overwrites or deletes something stores it first in a commit under
// refs/ahp/undo/, whose tree holds before/<path> (what was there) and
// after/<path> (what the operation left), byte for byte. Files are written to a
// temporary file beside the old one, synced and put in its place, if the old one
// still has the content that the result was computed from: up to the last moment
// where the system can exchange two files (Linux, macOS), and just before it elsewhere.
package gitrepo
