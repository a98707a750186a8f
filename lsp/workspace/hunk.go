package workspace

import (
	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
)

// Hunks are the change's hunks in the buffer, in order.
func (c *Change) Hunks(text *mapping.Text) []mapping.PlacedHunk {
	if c.content == nil || text == nil {
		return nil
	}
	if p := &c.placed; p.in != text {
		if !p.sided || p.side == mapping.Before {
			p.side, p.sided = c.content.Resembles(text), true
		}
		p.hunks = c.content.Place(p.side, text)
		p.in = text
	}
	if c.placed.side == mapping.Before && c.Undone() {
		return nil
	}
	return c.placed.hunks
}

// findStanding finds out how the change stands to what is on disk; false if that
// is not known.
func (c *Change) findStanding() bool {
	disk, st := c.file.disk.Text, &c.stands
	if c.content == nil || disk == nil {
		return false
	}
	if st.in == disk {
		return true
	}
	st.in, st.proposal, st.undone = disk, false, false
	differs := c.content.Before.String() != c.content.After.String()
	if c.written() {
		st.undone = differs && disk.String() == c.content.Before.String()
		return true
	}
	st.applied = st.applied || c.content.Resembles(disk) == mapping.After
	st.proposal = differs && !st.applied
	return true
}

// written reports whether the changeset tells what has been written to disk, by
// its kind. Of the others nothing is known.
func (c *Change) written() bool {
	switch c.view.Entry.Kind {
	case remote.KindSession, remote.KindTurn, remote.KindUncommitted, remote.KindBranch, remote.KindStaged:
		return true
	}
	return false
}

// Undone reports whether the disk has the text before the change again, although
// the host has not said so yet: it was discarded a moment ago.
func (c *Change) Undone() bool { return c.findStanding() && c.stands.undone }

// Proposed reports whether the after side is not on disk, and has not been: the
// change waits to be applied.
func (c *Change) Proposed() bool { return c.findStanding() && c.stands.proposal }

// Stale reports whether the change is on disk but not in the buffer: the editor
// has not read the file again. The contents must be loaded.
func (c *Change) Stale(text *mapping.Text) bool {
	c.Hunks(text)
	return c.placed.side == mapping.Before && !c.Proposed() && !c.Undone() && len(c.content.Hunks) > 0
}

// CannotRevert says why a hunk cannot be taken back in the buffer, "" if it
// can. Text the user typed is never at risk: only a hunk whose text stands
// there unchanged is replaced.
func (c *Change) CannotRevert(p mapping.PlacedHunk, text *mapping.Text) string {
	switch {
	case c.Proposed():
		return "proposed, not applied yet"
	case c.Stale(text):
		return "not in this buffer: reload it"
	case p.State == mapping.HunkEdited:
		return "edited since"
	case p.State == mapping.HunkUndone:
		return "reverted in this buffer"
	}
	return ""
}

// WrittenBy returns the turn if the text on disk is what it left there: only
// then is a range in that text one in the turn's. Otherwise it is "".
func (f *File) WrittenBy(session, turn string) string {
	for _, c := range f.changes {
		if c.view.Session == session && c.view.Turn == turn && c.content != nil && f.disk.Text != nil &&
			c.content.After.String() == f.disk.Text.String() {
			return turn
		}
	}
	return ""
}

// ReviewFlag is the reviewed flag of a file in the changeset that has one.
type ReviewFlag struct {
	Channel  string
	ID       string // of the file in the changeset
	Reviewed bool
}

// ReviewFlag is the file's flag, nil if no changeset with the capability has it.
func (f *File) ReviewFlag() *ReviewFlag {
	for _, c := range f.changes {
		if c.view.Entry.Review {
			return &ReviewFlag{c.view.Channel, c.entry.ID, c.entry.Reviewed}
		}
	}
	return nil
}
