package gitrepo

import (
	"ahp-lsp/internal/githost/gitrepo/patch"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// What a patch says; see package patch.
type (
	PatchFile    = patch.File
	PatchProblem = patch.Problem
)

// ParsePatch reads a unified diff or a git diff; see patch.Parse.
func ParsePatch(data []byte) ([]PatchFile, error) { return patch.Parse(data) }

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

	before, after worktree.Version
}
