package session

import (
	"encoding/json"
	"time"

	"ahp-lsp/bridge/ahp"
)

// Record is one line of the journal: an annotation as it is now, the end of one,
// the reviewed flag of a file, a stash or a verdict. The newest record about a
// thing counts.
type Record struct {
	Set     *ahp.Annotation `json:"set,omitempty"`
	Made    *Provenance     `json:"made,omitempty"` // of the annotation in Set
	Removed string          `json:"removed,omitempty"`
	Review  *Review         `json:"review,omitempty"`

	Stash    *Stash    `json:"stash,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
}

// UnmarshalJSON reads an annotation as leniently as the protocol's own are read.
func (r *Record) UnmarshalJSON(data []byte) error {
	var raw struct {
		Set     json.RawMessage `json:"set"`
		Made    *Provenance     `json:"made"`
		Removed string          `json:"removed"`
		Review  *Review         `json:"review"`

		Stash    *Stash    `json:"stash"`
		Decision *Decision `json:"decision"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*r = Record{Made: raw.Made, Removed: raw.Removed, Review: raw.Review, Stash: raw.Stash, Decision: raw.Decision}
	if raw.Set != nil {
		a, err := ahp.DecodeAnnotation(raw.Set)
		if a == nil {
			return err
		}
		r.Set = a
	}
	return nil
}

// Stash is a turn whose changes have been taken out of the work tree.
type Stash struct {
	Turn string `json:"turn"`
	Undo string `json:"undo,omitempty"` // the ref that brings them back; "": they are back
}

// Decision is what became of a proposal: proposed → applied, or proposed →
// rejected, and nothing else.
type Decision struct {
	Patchset string    `json:"patchset"`
	Verdict  string    `json:"verdict"`
	Time     time.Time `json:"time"`
}

// Verdicts on a proposal.
const (
	VerdictApplied  = "applied"
	VerdictRejected = "rejected"
)

// Provenance is where and on what an annotation was made.
type Provenance struct {
	// Path is the file, relative to the work tree and with slashes: so the
	// annotation survives a move of the whole repository. "" is a resource
	// outside the work tree, whose URI stands in the annotation.
	Path    string `json:"path,omitempty"`
	Branch  string `json:"branch,omitempty"`  // "": HEAD was detached
	Commit  string `json:"commit,omitempty"`  // HEAD; "": the branch was unborn
	Version string `json:"version,omitempty"` // hash of the file's bytes on disk
}

// Review is the reviewed flag of one file of one changeset. It holds as long
// as the file's two sides are those it was set for.
type Review struct {
	Changeset string `json:"changeset"`
	File      string `json:"file"`
	Version   string `json:"version,omitempty"` // of both sides; "": not reviewed
}
