package session

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ahp-lsp/internal/githost/gitrepo"
)

// Patchset is a proposed change as it is kept: written once, when it is imported,
// and never changed. A [Decision] says what became of it.
type Patchset struct {
	Format    int       `json:"format"`
	ID        string    `json:"id"`
	Run       string    `json:"run,omitempty"`
	Sequence  int       `json:"sequence,omitempty"` // of the attempts of a run
	Commit    string    `json:"commit,omitempty"`   // it was made against
	Title     string    `json:"title"`
	Rationale string    `json:"rationale,omitempty"`
	Imported  time.Time `json:"imported"`
	Diff      []byte    `json:"diff"` // base64: a diff need not be UTF-8

	Files   []gitrepo.PatchFile `json:"-"` // as Diff has them
	remarks string              // see SetRemarks
}

// newer orders proposals: of the attempts of a run the later one first.
func (p *Patchset) newer(q *Patchset) int {
	return cmp.Or(cmp.Compare(q.Sequence, p.Sequence), q.Imported.Compare(p.Imported))
}

func (p *Patchset) label() string { return "Proposal: " + p.Title }

func (p *Patchset) description() string {
	d := p.Rationale
	if d == "" {
		d = "A proposed change that is not on disk"
	}
	if p.Run != "" && p.Sequence > 0 {
		d = fmt.Sprintf("Attempt %d of %s. %s", p.Sequence, p.Run, d)
	}
	return d
}

// SetRemarks takes what of a proposal does not fit the work tree; the Host's mutex
// is held.
func (p *Patchset) SetRemarks(remarks string) { p.remarks = remarks }

// ProblemText says what does not fit of a patch of a file.
func ProblemText(path string, p gitrepo.PatchProblem) string {
	if p.Line >= 0 {
		return fmt.Sprintf("%s:%d: %s", path, p.Line+1, p.Reason)
	}
	return path + ": " + p.Reason
}

// Proposals are all that have been imported, and what became of them.
type Proposals struct {
	list    []*Patchset
	decided map[string]Decision // the same as in Kept
}

// RestorePatchsets takes the proposals when the host starts.
func (s *State) RestorePatchsets(list []*Patchset) { s.proposals.list = list }

// SetPatchsets takes the proposals as they are now and publishes the catalogue if
// there are others.
func (s *State) SetPatchsets(list []*Patchset) {
	before := s.proposals.openIDs()
	s.proposals.list = list
	if !slices.Equal(before, s.proposals.openIDs()) {
		s.catalogueChanged()
	}
}

// Find is the proposal with an id, nil if there is none. verdict is what became
// of it, "" if nothing has yet.
func (ps *Proposals) Find(id string) (p *Patchset, verdict string) {
	for _, q := range ps.list {
		if q.ID == id {
			return q, ps.decided[id].Verdict
		}
	}
	return nil, ""
}

func (ps *Proposals) exists(id string) bool {
	p, _ := ps.Find(id)
	return p != nil
}

func (ps *Proposals) isOpen(id string) bool {
	_, decided := ps.decided[id]
	return !decided
}

// Open lists the proposals without a verdict: of each run the newest attempt
// first, in the order of their import, then the older attempts.
func (ps *Proposals) Open() []*Patchset {
	var open []*Patchset
	for _, p := range ps.list {
		if ps.isOpen(p.ID) {
			open = append(open, p)
		}
	}
	superseded := func(p *Patchset) bool {
		return p.Run != "" && slices.ContainsFunc(open, func(q *Patchset) bool { return q.Run == p.Run && q.newer(p) < 0 })
	}
	slices.SortStableFunc(open, func(a, b *Patchset) int {
		switch x, y := superseded(a), superseded(b); {
		case x != y && x:
			return 1
		case x != y:
			return -1
		case x && a.Run == b.Run:
			return a.newer(b)
		}
		return 0
	})
	return open
}

func (ps *Proposals) openIDs() (ids []string) {
	for _, p := range ps.Open() {
		ids = append(ids, p.ID)
	}
	return ids
}
