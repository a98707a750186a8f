package lsp

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge/ahp"
	threadtext "ahp-lsp/mapping/thread"
)

// The requests here are for editor plugins that show threads, hunks and
// changesets in their own widgets; no editor needs them. A plugin that sets
// "notifications" in initializationOptions is told when an answer would differ:
//
//	ahp/threads {uri}     → []threadView    ahp/threadsChanged {uri}
//	ahp/hunks {uri}       → hunksView|null  ahp/threadsChanged {uri}
//	ahp/contents {uri, …} → contentsView|null (plugin_contents.go)
//	ahp/changesets {}     → []changesetView ahp/changesetsChanged {}
//	ahp.status (command)                    ahp/statusChanged {}

// threadView is a comment as a plugin shows it.
type threadView struct {
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
	Entries    []entryView    `json:"entries"`
}

type entryView struct {
	ID       string `json:"id"`
	Author   string `json:"author"`
	Text     string `json:"text"`
	Markdown bool   `json:"markdown"`
	Own      bool   `json:"own"` // a person's: can be edited
}

// hunksView is what an agent did to a file.
type hunksView struct {
	Label    string      `json:"label"`
	Session  string      `json:"session"`
	Channel  string      `json:"channel"`
	Proposed bool        `json:"proposed"`
	Stale    bool        `json:"stale"`
	Reviewed *reviewView `json:"reviewed,omitempty"`
	Seen     int         `json:"seen,omitempty"` // of the ranges, see pointed
	Hunks    []hunkView  `json:"hunks"`
}

type reviewView struct {
	Channel  string `json:"channel"`
	ID       string `json:"id"`
	Reviewed bool   `json:"reviewed"`
}

type hunkView struct {
	Range     protocol.Range `json:"range"`
	Title     string         `json:"title"`
	State     string         `json:"state"` // live, edited, undone
	Kept      bool           `json:"kept"`
	Before    string         `json:"before"`
	After     string         `json:"after"`
	CanRevert bool           `json:"canRevert"`
	Reason    string         `json:"reason,omitempty"`
}

// changesetView is a followed changeset.
type changesetView struct {
	Channel      string          `json:"channel"`
	Session      string          `json:"session"`
	SessionTitle string          `json:"sessionTitle"`
	Label        string          `json:"label"`
	Kind         string          `json:"kind"`
	Status       string          `json:"status"`
	Shown        bool            `json:"shown"`
	Files        []changedFile   `json:"files"`
	Operations   []operationView `json:"operations"`
}

type changedFile struct {
	URI       string `json:"uri"`
	ID        string `json:"id"`
	Added     int    `json:"added"`
	Removed   int    `json:"removed"`
	Reviewed  bool   `json:"reviewed"`
	CanReview bool   `json:"canReview"`
	Created   bool   `json:"created"`
	Deleted   bool   `json:"deleted"`
}

type operationView struct {
	ID           string   `json:"id"`
	Label        string   `json:"label"`
	Scopes       []string `json:"scopes"`
	Status       string   `json:"status"`
	Confirmation bool     `json:"confirmation"`
}

func (s *Server) pluginThreads(c *call) (any, error) {
	var p uriArgs
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	f := s.files[ahp.CanonicalURI(p.URI)]
	if f == nil {
		return []threadView{}, nil
	}
	return s.afterLoading(f, viewTimeout, func() (any, error) { return s.threadViews(f), nil })
}

func (s *Server) threadViews(f *file) []threadView {
	out := []threadView{}
	text := f.text()
	if text == nil {
		return out
	}
	for _, t := range f.threads {
		place, ok := f.place(t, text)
		if !ok {
			continue
		}
		a := t.annotation
		fb, feedback := a.Feedback()
		proposes, why := s.suggests(f, text, placedThread{t, place})
		v := threadView{
			Session: t.key.session, Annotation: t.key.id, Range: s.toRange(text, place.Span), WholeFile: a.Range == nil,
			State: place.State.String(), Resolved: a.Resolved, Awaiting: threadtext.Awaiting(a),
			CanAccept: feedback && fb.State == ahp.FeedbackCreated, Suggestion: proposes && why == "", Turn: s.turnName(t.key.session, a.Turn()),
			Entries: []entryView{},
		}
		if place.Note() != "" {
			v.Original = t.anchor.Quote
		}
		for _, e := range a.Entries {
			author := threadtext.Author(a, e)
			v.Entries = append(v.Entries, entryView{
				ID: e.ID, Author: author, Text: e.Text.Value, Markdown: e.Text.Markdown || e.ByAgent(), Own: !e.ByAgent() && author != "agent",
			})
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b threadView) int {
		if d := int(a.Range.Start.Line) - int(b.Range.Start.Line); d != 0 {
			return d
		}
		return strings.Compare(a.Session+a.Annotation, b.Session+b.Annotation)
	})
	return out
}

func (s *Server) pluginHunks(c *call) (any, error) {
	var p uriArgs
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	f := s.open(p.URI)
	if f == nil {
		return nil, nil
	}
	return s.afterLoading(f, viewTimeout, func() (any, error) {
		v := s.hunksView(f)
		if v == nil {
			return nil, nil
		}
		v.Seen = s.shows(f, f.text())
		return v, nil
	})
}

func (s *Server) hunksView(f *file) *hunksView {
	c, text := f.primary(), f.text()
	if c == nil || c.content == nil || text == nil {
		return nil
	}
	v := &hunksView{
		Label: s.changesetName(c.view), Session: c.view.Session, Channel: c.view.Channel,
		Proposed: c.proposed(), Stale: c.stale(text), Hunks: []hunkView{},
	}
	if r := f.reviewed(); r != nil {
		v.Reviewed = &reviewView{r.channel, r.id, r.reviewed}
	}
	for _, h := range c.hunks(text) {
		why := s.cannotRevert(c, h, text)
		v.Hunks = append(v.Hunks, hunkView{
			Range: s.toRange(text, h.Span), Title: h.Title(), State: h.State.String(), Kept: s.isKept(c, h.Index),
			Before:    c.content.Before.Slice(c.content.Before.Lines(h.Hunk.Before)),
			After:     c.content.After.Slice(c.content.After.Lines(h.Hunk.After)),
			CanRevert: why == "", Reason: why,
		})
	}
	return v
}

func (s *Server) pluginChangesets(*call) (any, error) {
	out := []changesetView{}
	for channel, cs := range s.changesets {
		v := changesetView{
			Channel: channel, Session: cs.view.Session, Label: s.changesetName(cs.view), Kind: cs.view.Entry.Kind,
			Status: cs.view.State.Status, Shown: cs.view.Primary, Files: []changedFile{}, Operations: []operationView{},
		}
		if ses := s.sessions[cs.view.Session]; ses != nil && ses.view != nil && ses.view.State != nil {
			v.SessionTitle = ses.view.State.Title
		}
		for _, e := range cs.view.State.Files() {
			v.Files = append(v.Files, changedFile{
				URI: s.host.ToLocal(e.URI()), ID: e.ID, Added: e.Added, Removed: e.Removed, Reviewed: e.Reviewed,
				CanReview: cs.view.Entry.Review, Created: e.Before == nil, Deleted: e.After == nil,
			})
		}
		for _, op := range cs.view.State.Operations {
			if !unusable[op.ID] {
				v.Operations = append(v.Operations, operationView{op.ID, op.Label, op.Scopes, op.Status, op.Confirmation != nil})
			}
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b changesetView) int { return strings.Compare(a.Channel, b.Channel) })
	return out, nil
}

// notifyPlugin tells a plugin that asked for it that a file's answers differ.
func (s *Server) notifyPlugin(f *file) {
	if !value(s.settings.Notifications) || s.phase != phaseInitialized || f.loading() {
		return
	}
	body, err := json.Marshal([]any{s.threadViews(f), s.hunksView(f)})
	if err != nil {
		return
	}
	if hash := maphash.Bytes(seed, body); hash != f.pluginHash {
		f.pluginHash = hash
		s.notify("ahp/threadsChanged", uriArgs{f.editorURI()})
	}
}
