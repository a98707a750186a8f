package workspace

import (
	"errors"
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
)

// Change is what a changeset says about one file. Its contents are loaded only
// while the file is open.
type Change struct {
	view  *remote.ChangesetView
	entry *ahp.ChangesetFile
	file  *File
	order int
	gone  bool // the changeset does not have the file any more

	load    changeLoad
	content *mapping.FileChange
	placed  placedHunks
	stands  standing

	// What was found out about the turns that wrote the hunks, and what is being;
	// nil until somebody asks.
	origins, seeking *Origins
}

// changeLoad is how far the contents of a change are known.
type changeLoad struct {
	state changeState
	count int    // of loads; the result of an earlier one is dropped
	why   string // of changeFailed
	asked bool   // the contents are wanted although other hunks are shown
}

type changeState int

const (
	changeUnloaded changeState = iota
	changeLoading
	changeReady
	changeFailed // the contents cannot be had (again), or are no text
)

// placedHunks are a change's hunks in a text of the buffer.
type placedHunks struct {
	hunks []mapping.PlacedHunk
	in    *mapping.Text
	// side is the one that the buffer holds, edited or not. A buffer that has
	// had the after side keeps it, however much of it the user takes back.
	side  mapping.Side
	sided bool // it is known
}

// standing is how a change stands to what is on disk.
type standing struct {
	in       *mapping.Text // the text on disk it was found out for; nil: none
	proposal bool          // see Proposed
	undone   bool          // see Undone
	applied  bool          // the after side has been on disk
}

// View is what the host says of the changeset.
func (c *Change) View() *remote.ChangesetView { return c.view }

// Entry is what the host says of the file in the changeset.
func (c *Change) Entry() *ahp.ChangesetFile { return c.entry }

// File is where the change is.
func (c *Change) File() *File { return c.file }

// Dropped reports whether the changeset does not have the file any more.
func (c *Change) Dropped() bool { return c.gone }

// Content is both sides of the change, nil while they are not known.
func (c *Change) Content() *mapping.FileChange { return c.content }

// Loading reports whether the contents are being read; what Content has is then of
// an earlier state.
func (c *Change) Loading() bool { return c.load.state == changeLoading }

// Failed says why the contents cannot be had, "" if they can, or may yet.
func (c *Change) Failed() string {
	if c.load.state != changeFailed {
		return ""
	}
	return c.load.why
}

// forget lets go of what was found out about the contents.
func (c *Change) forget() { c.placed, c.stands = placedHunks{}, standing{} }

func (w *Workspace) dropChange(c *Change) {
	c.load.count++
	c.gone = true
	c.file.changes = slices.DeleteFunc(c.file.changes, func(o *Change) bool { return o == c })
	w.touch(c.file)
}

// reloadChanges compares again: the file was opened, saved or written.
func (w *Workspace) reloadChanges(f *File) {
	for _, c := range f.changes {
		w.loadChange(c)
	}
}

// Ranged reports whether the changeset has operations on ranges that can be run
// from here.
func (c *Change) Ranged() bool {
	return slices.ContainsFunc(c.view.State.Operations, func(op *ahp.Operation) bool {
		return op.Allows(ahp.ScopeRange) && !Unusable(op.ID)
	})
}

// Unusable reports whether an operation that a host offers cannot succeed from
// here.
func Unusable(operation string) bool {
	return operation == "checkout" // wants a branch name, for which the protocol has no place
}

// wanted reports whether the contents are needed: to show hunks, to know whether
// the newest turn wrote what is on disk, or because operations on parts of the
// file are offered, or one is to be run.
func (c *Change) wanted() bool {
	return c.file.doc != nil && (c.view.Primary || c.view.Turn != "" || c.load.asked || c.Ranged())
}

// ContentsNeeded says that an operation is to be run on a part of a file, for
// which the contents of its change have to be known.
type ContentsNeeded struct{ Change *Change }

func (e ContentsNeeded) apply(w *Workspace) {
	if c := e.Change; !c.wanted() && c.file.doc != nil {
		c.load.asked = true // hunks of another changeset are shown
		w.loadChange(c)
	}
}

// loadChange wants both sides of a change read and compared. What was known before
// stays in use until then: no flicker.
func (w *Workspace) loadChange(c *Change) {
	c.load.count++
	if !c.wanted() {
		c.load.state, c.content, c.load.asked = changeUnloaded, nil, false
		c.forget()
		return
	}
	c.load.state = changeLoading
	w.want(LoadChange{c, c.load.count, c.entry})
}

// ChangeLoaded gives both sides of a change, or why they cannot be had. Both nil
// is a fault of ours.
type ChangeLoaded struct {
	Change  *Change
	Load    int
	Content *mapping.FileChange
	Err     error
}

func (e ChangeLoaded) apply(w *Workspace) {
	c := e.Change
	if c.load.count != e.Load {
		return
	}
	if e.Content != nil {
		c.load.state, c.load.why = changeReady, ""
		if c.content == nil || !sameTexts(c.content, e.Content) {
			c.content = e.Content
			c.forget()
		}
	} else {
		err := e.Err
		if err == nil {
			err = errors.New("internal error, see the log")
		}
		c.load.state, c.load.why = changeFailed, err.Error()
		if w.remote.connection.State == remote.Connected {
			c.content = nil
			c.forget()
		} // else it is read again with the next connection
	}
	w.touch(c.file)
}

func sameTexts(a, b *mapping.FileChange) bool {
	return a.Created == b.Created && a.Deleted == b.Deleted &&
		a.Before.String() == b.Before.String() && a.After.String() == b.After.String()
}

// retryChanges reads again what could not be read while the host was away.
func (w *Workspace) retryChanges() {
	for _, f := range w.files {
		if f.doc == nil {
			continue
		}
		for _, c := range f.changes {
			if c.load.state == changeFailed {
				w.loadChange(c)
			}
		}
	}
}

// ErrNoHunks says why there are no hunks to act on in a file; c is its primary
// change, or nil.
func ErrNoHunks(c *Change) error {
	switch {
	case c == nil:
		return errors.New("there is no change of an agent in this file")
	case c.load.state == changeFailed:
		return errors.New("the change of this file cannot be shown: " + c.load.why)
	}
	return errors.New("the change of this file is not known yet")
}
