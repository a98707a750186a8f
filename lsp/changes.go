package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// changeset is a followed changeset and the files it is in.
type changeset struct {
	view  *bridge.ChangesetView
	files map[string]*change // by the file's id in the changeset
	order int                // when it was first seen: earlier ones are preferred
}

// change is what a changeset says about one file. Its contents are loaded only
// while the file is open.
type change struct {
	view  *bridge.ChangesetView
	entry *ahp.ChangesetFile
	file  *file
	order int

	state   changeState
	gen     int    // counts loads; the result of an earlier one is dropped
	why     string // of changeFailed
	content *mapping.FileChange
	asked   bool            // the contents are wanted although other hunks are shown
	told    []chan struct{} // closed with the host's next word on the file

	placed   []mapping.PlacedHunk
	placedIn *mapping.Text
	// side is the one that the buffer holds, edited or not. A buffer that has
	// had the after side keeps it, however much of it the user takes back.
	side  mapping.Side
	sided bool // it is known

	// See originsOf: what was found out, and what is being; nil until somebody asks.
	origins, seeking *origins

	proposal bool          // see proposed
	undone   bool          // see gone
	standsIn *mapping.Text // the text on disk they were found out for
	applied  bool          // the after side has been on disk
}

// forget lets go of what was found out about the contents.
func (c *change) forget() {
	c.placed, c.placedIn, c.sided = nil, nil, false
	c.standsIn, c.applied = nil, false
}

type changeState int

const (
	changeUnloaded changeState = iota
	changeLoading
	changeReady
	changeFailed // the contents cannot be had (again), or are no text
)

// changesetChanged takes a changeset's new state.
func (s *Server) changesetChanged(ch bridge.ChangesetChanged) {
	if value(s.settings.Notifications) {
		defer s.notify("ahp/changesetsChanged", struct{}{})
	}
	cs := s.changesets[ch.Channel]
	if ch.View == nil {
		if cs != nil {
			for _, c := range cs.files {
				s.dropChange(c)
			}
			delete(s.changesets, ch.Channel)
		}
		return
	}
	if cs == nil {
		cs = &changeset{files: map[string]*change{}, order: len(s.changesets)}
		s.changesets[ch.Channel] = cs
	}
	reorder := cs.view == nil || cs.view.Primary != ch.View.Primary
	cs.view = ch.View
	for _, entry := range ch.Touched {
		now := ch.View.State.File(entry.ID)
		old := cs.files[entry.ID]
		if now == nil {
			if old != nil {
				s.dropChange(old)
				delete(cs.files, entry.ID)
			}
			continue
		}
		f := s.file(s.host.ToLocal(now.URI()))
		if old != nil && old.file != f {
			s.dropChange(old)
			old = nil
		}
		if old == nil {
			old = &change{file: f, order: cs.order}
			cs.files[entry.ID] = old
			f.changes = append(f.changes, old)
			reorder = true
		}
		was := old.entry
		old.view = cs.view
		old.becomes(now)
		s.learnRename(cs.view, now)
		if was != nil && was.Before == now.Before && was.After == now.After && old.state == changeReady {
			continue // only its flags differ
		}
		s.loadChange(old)
		if f.doc != nil || len(f.threads) > 0 || len(s.away[f.uri]) > 0 {
			s.readDisk(f)
		}
		s.touch(f)
	}
	// Every other file keeps its contents, but sees the new operations.
	for _, c := range cs.files {
		c.view = cs.view
	}
	for _, c := range cs.files {
		if reorder {
			sortChanges(c.file)
		}
		if c.file.doc == nil {
			continue
		}
		if c.state == changeUnloaded {
			s.loadChange(c) // its hunks are the ones shown, from now on
		}
		s.touch(c.file)
	}
}

// sortChanges puts the change whose hunks are shown first.
func sortChanges(f *file) {
	slices.SortStableFunc(f.changes, func(a, b *change) int {
		proposal := func(c *change) bool { return c.view.Entry.Kind == bridge.KindPatchset }
		switch {
		case proposal(a) && !proposal(b):
			return -1
		case proposal(b) && !proposal(a):
			return 1
		case a.view.Primary && !b.view.Primary:
			return -1
		case b.view.Primary && !a.view.Primary:
			return 1
		}
		return a.order - b.order
	})
}

func (s *Server) dropChange(c *change) {
	c.gen++
	c.tell()
	c.file.changes = slices.DeleteFunc(c.file.changes, func(o *change) bool { return o == c })
	s.touch(c.file)
	s.loaded(c.file)
}

// reloadChanges compares anew: the file was opened, saved or written.
func (s *Server) reloadChanges(f *file) {
	for _, c := range f.changes {
		s.loadChange(c)
	}
}

// wanted reports whether the contents are needed: to show hunks, to know whether
// the newest turn wrote what is on disk, or because operations on parts of the
// file are offered, or one is to be run.
func (c *change) wanted() bool {
	return c.file.doc != nil && (c.view.Primary || c.view.Turn != "" || c.asked || c.ranged())
}

// loadChange reads both sides of a change and compares them, in the
// background. What was known before stays in use until then: no flicker.
func (s *Server) loadChange(c *change) {
	c.gen++
	if !c.wanted() {
		c.state, c.content, c.asked = changeUnloaded, nil, false
		c.forget()
		return
	}
	c.state = changeLoading
	gen, entry, host := c.gen, c.entry, s.host
	type result struct {
		content *mapping.FileChange
		err     error
	}
	background(s, func(ctx context.Context) result {
		before, err := readSide(ctx, host, entry.Before)
		if err != nil {
			return result{err: err}
		}
		after, err := readSide(ctx, host, entry.After)
		if err != nil {
			return result{err: err}
		}
		return result{content: mapping.NewFileChange(before, after)}
	}, func(r result) {
		if c.gen != gen {
			return
		}
		switch {
		case r.content != nil:
			c.state, c.why = changeReady, ""
			if c.content == nil || !sameTexts(c.content, r.content) {
				c.content = r.content
				c.forget()
			}
		case r.err == nil:
			r.err = errors.New("internal error, see the log")
			fallthrough
		default:
			c.state, c.why = changeFailed, r.err.Error()
			s.log.Infof("%s: %v", c.file.uri, r.err)
			if s.connection.State == bridge.Connected {
				c.content = nil
				c.forget()
			} // else it is read again with the next connection
		}
		s.touch(c.file)
		s.loaded(c.file)
	})
}

func sameTexts(a, b *mapping.FileChange) bool {
	return a.Created == b.Created && a.Deleted == b.Deleted &&
		a.Before.String() == b.Before.String() && a.After.String() == b.After.String()
}

// retryChanges reads again what could not be read while the host was away.
func (s *Server) retryChanges() {
	for _, f := range s.files {
		if f.doc == nil {
			continue
		}
		for _, c := range f.changes {
			if c.state == changeFailed {
				s.loadChange(c)
			}
		}
	}
}

func readSide(ctx context.Context, host *bridge.Client, side *ahp.FileSide) (*mapping.Text, error) {
	if side == nil {
		return nil, nil
	}
	data, err := host.Read(ctx, side.Content)
	if err != nil {
		return nil, err
	}
	text, why := decodeText(data)
	if text == nil {
		return nil, fmt.Errorf("%s", why)
	}
	return text, nil
}

// primary is the change whose hunks are shown in the file, or nil.
func (f *file) primary() *change {
	if len(f.changes) > 0 && f.changes[0].view.Primary {
		return f.changes[0]
	}
	return nil
}

// hunks are the change's hunks in the buffer.
func (c *change) hunks(text *mapping.Text) []mapping.PlacedHunk {
	if c.content == nil || text == nil {
		return nil
	}
	if c.placedIn != text {
		if !c.sided || c.side == mapping.Before {
			c.side, c.sided = c.content.Resembles(text), true
		}
		c.placed = c.content.Place(c.side, text)
		c.placedIn = text
	}
	if c.side == mapping.Before && c.gone() {
		return nil
	}
	return c.placed
}

// stand finds out how the change stands to what is on disk; false if that is not
// known.
func (c *change) stand() bool {
	disk := c.file.disk.text
	if c.content == nil || disk == nil {
		return false
	}
	if c.standsIn == disk {
		return true
	}
	c.standsIn, c.proposal, c.undone = disk, false, false
	differs := c.content.Before.String() != c.content.After.String()
	if c.done() {
		c.undone = differs && disk.String() == c.content.Before.String()
		return true
	}
	c.applied = c.applied || c.content.Resembles(disk) == mapping.After
	c.proposal = differs && !c.applied
	return true
}

// done reports whether the changeset tells what has been written to disk, by its
// kind. Of the others nothing is known.
func (c *change) done() bool {
	switch c.view.Entry.Kind {
	case bridge.KindSession, bridge.KindTurn, bridge.KindUncommitted, bridge.KindBranch, bridge.KindStaged:
		return true
	}
	return false
}

// gone reports whether the disk has the text before the change again, although
// the host has not said so yet: it was discarded a moment ago.
func (c *change) gone() bool { return c.stand() && c.undone }

// proposed reports whether the after side is not on disk, and has not been: the
// change waits to be applied.
func (c *change) proposed() bool { return c.stand() && c.proposal }

// stale reports whether the change is on disk but not in the buffer: the editor
// has not read the file again.
func (c *change) stale(text *mapping.Text) bool {
	c.hunks(text)
	return c.side == mapping.Before && !c.proposed() && !c.gone() && len(c.content.Hunks) > 0
}
