package workspace

import (
	"slices"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/mapping"
)

// maxOriginTurns bounds the turns that are read to find out who wrote a hunk:
// the newest ones, and no more than the client keeps.
const maxOriginTurns = 30

// Origins are the turns that wrote a change's hunks. They are found out when
// somebody asks: each turn's changeset has to be read for it.
type Origins struct {
	content *mapping.FileChange // whose hunks these are
	chat    *ahp.Chat           // the turns there were at that time
	all     bool                // every turn of the session is looked at
	ready   bool                // the rest is set
	turns   [][]string          // by hunk: ids, newest first
	// complete: every turn of the session was looked at. A hunk without any is of
	// none of them then.
	complete bool
	retry    bool // the host was out of reach: it may tell more the next time
}

// Ready reports whether the origins have been found out; nil are.
func (o *Origins) Ready() bool { return o == nil || o.ready }

// about reports whether these are the origins of a content's hunks in a chat, or
// will be.
func (o *Origins) about(content *mapping.FileChange, chat *ahp.Chat) bool {
	sameTurns := func(a, b *ahp.Chat) bool {
		return a.Partial == b.Partial && (a.Active == nil) == (b.Active == nil) &&
			slices.EqualFunc(a.Turns, b.Turns, func(x, y ahp.Turn) bool { return x.ID == y.ID })
	}
	return o != nil && o.content == content && (o.chat == chat || sameTurns(o.chat, chat))
}

// Origins returns what is known of the turns that wrote a change's hunks, or is
// being found out, see OriginsNeeded. It is nil where nobody has asked, and where
// the changeset itself says all there is to say.
func (w *Workspace) Origins(c *Change) *Origins {
	chat := w.originChat(c)
	switch {
	case chat == nil:
		return nil
	case c.seeking.about(c.content, chat):
		return c.seeking
	case c.origins.about(c.content, chat) && !c.origins.retry:
		return c.origins
	}
	return nil
}

// originChat is the chat whose turns may have written a change; nil where the
// changeset itself says all there is to say.
func (w *Workspace) originChat(c *Change) *ahp.Chat {
	ses := w.sessions[c.view.Session]
	if c.content == nil || c.view.Turn != "" || c.view.Entry.Kind == remote.KindPatchset || ses == nil || ses.view == nil ||
		len(ses.view.Chat.Turns) == 0 {
		return nil
	}
	return ses.view.Chat
}

// OriginsNeeded says that the origins of a change's hunks are wanted.
type OriginsNeeded struct{ Change *Change }

func (e OriginsNeeded) apply(w *Workspace) {
	c := e.Change
	chat := w.originChat(c)
	if chat == nil || w.Origins(c) != nil {
		return
	}
	view := w.sessions[c.view.Session].view
	otherChats := slices.ContainsFunc(view.State.Chats, func(other ahp.ChatSummary) bool { return other.Resource != view.State.DefaultChat })
	c.seeking = &Origins{
		content: c.content, chat: chat,
		all: len(chat.Turns) <= maxOriginTurns && !chat.Partial && chat.Active == nil && view.ChatKnown && !otherChats,
	}
	ids := make([]string, 0, maxOriginTurns) // newest first
	for i := len(chat.Turns) - 1; i >= 0 && len(ids) < maxOriginTurns; i-- {
		ids = append(ids, chat.Turns[i].ID)
	}
	w.want(FindOrigins{Change: c, Origins: c.seeking, Content: c.content, Session: c.view.Session, Resource: c.entry.URI(), Turns: ids})
}

// OriginsFound gives, for each hunk, the turns that wrote it, newest first.
// Complete: all that were asked for could be read. Retry: some could not because
// the host was out of reach.
type OriginsFound struct {
	Change          *Change
	Origins         *Origins
	Turns           [][]string
	Complete, Retry bool
}

func (e OriginsFound) apply(*Workspace) {
	o, c := e.Origins, e.Change
	o.ready, o.turns, o.complete, o.retry = true, e.Turns, o.all && e.Complete, e.Retry
	if c.seeking == o {
		c.origins, c.seeking = o, nil
	}
}

// WrittenIn is what is known of the turns that wrote a hunk: their ids, newest
// first; none if nothing is known, or, with outside, if it was none of the
// session's turns.
func (w *Workspace) WrittenIn(c *Change, h mapping.PlacedHunk) (turns []string, outside bool) {
	o := c.origins
	if o == nil || o.content != c.content || h.Index >= len(o.turns) {
		return nil, false
	}
	turns = o.turns[h.Index]
	ses := w.sessions[c.view.Session]
	return turns, len(turns) == 0 && o.complete && ses != nil && ses.view != nil && o.about(c.content, ses.view.Chat)
}
