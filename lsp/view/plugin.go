package view

import (
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/printable"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping/thread"
)

// The requests here are for editor plugins that show threads, hunks and
// changesets in their own widgets; no editor needs them. A plugin that sets
// "notifications" in initializationOptions is told when an answer would differ:
//
//	ahp/threads {uri}     → []Thread      ahp/threadsChanged {uri}
//	ahp/hunks {uri}       → Hunks|null    ahp/threadsChanged {uri}
//	ahp/contents {uri, …} → Contents|null
//	ahp/changesets {}     → []Changeset   ahp/changesetsChanged {}
//	ahp.status (command)  → Status        ahp/statusChanged {}

// Thread is a comment as a plugin shows it.
type Thread struct {
	Session    string         `json:"session"`
	Annotation string         `json:"annotation"`
	Range      protocol.Range `json:"range"`
	WholeFile  bool           `json:"wholeFile"`
	State      string         `json:"state"` // live, moved, outdated, detached
	Resolved   bool           `json:"resolved"`
	Awaiting   bool           `json:"awaiting"` // an agent's, not accepted yet
	CanAccept  bool           `json:"canAccept"`
	Suggestion bool           `json:"suggestion"` // ahp.suggestion.apply would change something
	Turn       string         `json:"turn,omitempty"`
	Original   string         `json:"original,omitempty"` // the code it was about, if that changed
	Entries    []Entry        `json:"entries"`
}

// Entry is one text of a comment.
type Entry struct {
	ID       string `json:"id"`
	Author   string `json:"author"`
	Text     string `json:"text"`
	Markdown bool   `json:"markdown"`
	Own      bool   `json:"own"` // a person's: can be edited
}

// Hunks is what an agent did to a file.
type Hunks struct {
	Label    string  `json:"label"`
	Session  string  `json:"session"`
	Channel  string  `json:"channel"`
	Proposed bool    `json:"proposed"`
	Stale    bool    `json:"stale"`
	Reviewed *Review `json:"reviewed,omitempty"`
	Revision int     `json:"seen,omitempty"` // of the ranges, see workspace.Find
	Hunks    []Hunk  `json:"hunks"`
}

// Review is the reviewed flag of a file.
type Review struct {
	Channel  string `json:"channel"`
	ID       string `json:"id"`
	Reviewed bool   `json:"reviewed"`
}

// Hunk is one hunk, with its texts.
type Hunk struct {
	Range     protocol.Range `json:"range"`
	Title     string         `json:"title"`
	State     string         `json:"state"` // live, edited, undone
	Kept      bool           `json:"kept"`
	Before    string         `json:"before"`
	After     string         `json:"after"`
	CanRevert bool           `json:"canRevert"`
	Reason    string         `json:"reason,omitempty"`
}

// Changeset is a followed changeset.
type Changeset struct {
	Channel      string        `json:"channel"`
	Session      string        `json:"session"`
	SessionTitle string        `json:"sessionTitle"`
	Label        string        `json:"label"`
	Kind         string        `json:"kind"`
	Status       string        `json:"status"`
	Shown        bool          `json:"shown"`
	Files        []ChangedFile `json:"files"`
	Operations   []Operation   `json:"operations"`
}

// ChangedFile is a file of a changeset.
type ChangedFile struct {
	URI       string `json:"uri"`
	ID        string `json:"id"`
	Added     int    `json:"added"`
	Removed   int    `json:"removed"`
	Reviewed  bool   `json:"reviewed"`
	CanReview bool   `json:"canReview"`
	Created   bool   `json:"created"`
	Deleted   bool   `json:"deleted"`
}

// Contents are both sides of a file's change: nil where the file does not exist.
// They are what the changeset says, whatever the buffer and the disk hold.
type Contents struct {
	Channel string  `json:"channel"`
	Label   string  `json:"label"`
	Before  *string `json:"before"`
	After   *string `json:"after"`
}

// Operation is what a host offers on a changeset.
type Operation struct {
	ID           string   `json:"id"`
	Label        string   `json:"label"`
	Scopes       []string `json:"scopes"`
	Status       string   `json:"status"`
	Confirmation bool     `json:"confirmation"`
	Group        string   `json:"group,omitempty"` // the host's: "undo" takes back the session's newest operation
}

// Threads answers ahp/threads: the comments of a file, by their lines.
func (v View) Threads(f *workspace.File) []Thread {
	out := []Thread{}
	text := f.Text()
	if text == nil {
		return out
	}
	for t := range f.Threads() {
		place, ok := f.Place(t, text)
		if !ok {
			continue
		}
		a := t.Annotation()
		fb, feedback := a.Feedback()
		proposes, why := v.suggests(f, text, workspace.PlacedThread{Thread: t, Place: place})
		view := Thread{
			Session: t.Key().Session, Annotation: t.Key().ID, Range: v.Range(text, place.Span), WholeFile: a.Range == nil,
			State: place.State.String(), Resolved: a.Resolved, Awaiting: thread.Awaiting(a),
			CanAccept: feedback && fb.State == ahp.FeedbackCreated, Suggestion: proposes && why == "", Turn: v.TurnName(t.Key().Session, a.Turn()),
			Entries: []Entry{},
		}
		if place.Note() != "" {
			view.Original = t.Anchor().Quote
		}
		for _, e := range a.Entries {
			author := thread.Author(a, e)
			view.Entries = append(view.Entries, Entry{
				ID: e.ID, Author: printable.Label(author), Text: e.Text.Value, Markdown: e.Text.Markdown || e.ByAgent(), Own: !e.ByAgent() && author != "agent",
			})
		}
		out = append(out, view)
	}
	slices.SortFunc(out, func(a, b Thread) int {
		if d := int(a.Range.Start.Line) - int(b.Range.Start.Line); d != 0 {
			return d
		}
		return strings.Compare(a.Session+a.Annotation, b.Session+b.Annotation)
	})
	return out
}

// Hunks answers ahp/hunks, but for the revision; nil if there is nothing to show.
func (v View) Hunks(f *workspace.File) *Hunks {
	c, text := f.Primary(), f.Text()
	if c == nil || c.Content() == nil || text == nil {
		return nil
	}
	view := &Hunks{
		Label: printable.Label(v.ChangesetName(c.View())), Session: c.View().Session, Channel: c.View().Channel,
		Proposed: c.Proposed(), Stale: c.Stale(text), Hunks: []Hunk{},
	}
	if r := f.ReviewFlag(); r != nil {
		view.Reviewed = &Review{r.Channel, r.ID, r.Reviewed}
	}
	for _, h := range c.Hunks(text) {
		why := c.CannotRevert(h, text)
		view.Hunks = append(view.Hunks, Hunk{
			Range: v.Range(text, h.Span), Title: h.Title(), State: h.State.String(), Kept: v.w.Kept(c, h.Index),
			Before:    c.Content().Before.Slice(c.Content().Before.Lines(h.Hunk.Before)),
			After:     c.Content().After.Slice(c.Content().After.Lines(h.Hunk.After)),
			CanRevert: why == "", Reason: why,
		})
	}
	return view
}

// Changesets answers ahp/changesets, by channel.
func (v View) Changesets() []Changeset {
	out := []Changeset{}
	for channel, cs := range v.w.Changesets() {
		view := Changeset{
			Channel: channel, Session: cs.View().Session, Label: printable.Label(v.ChangesetName(cs.View())), Kind: cs.View().Entry.Kind,
			Status: cs.View().State.Status, Shown: cs.View().Primary, Files: []ChangedFile{}, Operations: []Operation{},
		}
		if ses := v.w.Session(cs.View().Session); ses != nil && ses.View() != nil && ses.View().State != nil {
			view.SessionTitle = printable.Label(ses.View().State.Title)
		}
		for _, e := range cs.View().State.Files() {
			view.Files = append(view.Files, ChangedFile{
				URI: v.w.ToLocal(e.URI()), ID: e.ID, Added: e.Added, Removed: e.Removed, Reviewed: e.Reviewed,
				CanReview: cs.View().Entry.Review, Created: e.Before == nil, Deleted: e.After == nil,
			})
		}
		for _, op := range cs.View().State.Operations {
			if !workspace.Unusable(op.ID) {
				view.Operations = append(view.Operations, Operation{op.ID, printable.Label(op.Label), op.Scopes, op.Status, op.Confirmation != nil, printable.Label(op.Group)})
			}
		}
		out = append(out, view)
	}
	slices.SortFunc(out, func(a, b Changeset) int { return strings.Compare(a.Channel, b.Channel) })
	return out
}
