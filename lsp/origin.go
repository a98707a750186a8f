package lsp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// maxOriginTurns bounds the turns that are read to find out who wrote a hunk:
// the newest ones, and no more than the client keeps.
const maxOriginTurns = 30

// origins are the turns that wrote a change's hunks. They are found out when
// somebody asks: each turn's changeset has to be read for it.
type origins struct {
	content *mapping.FileChange // whose hunks these are
	chat    *ahp.Chat           // the turns there were at that time
	known   chan struct{}       // closed when the rest is set, in the loop
	turns   [][]string          // by hunk: ids, newest first
	// complete: every turn of the session was looked at. A hunk without any is of
	// none of them then.
	complete bool
	again    bool // the host was out of reach: it may tell more the next time
}

// about reports whether these are the origins of a content's hunks in a chat, or
// will be.
func (o *origins) about(content *mapping.FileChange, chat *ahp.Chat) bool {
	sameTurns := func(a, b *ahp.Chat) bool {
		return a.Partial == b.Partial && (a.Active == nil) == (b.Active == nil) &&
			slices.EqualFunc(a.Turns, b.Turns, func(x, y ahp.Turn) bool { return x.ID == y.ID })
	}
	return o != nil && o.content == content && (o.chat == chat || sameTurns(o.chat, chat))
}

// originsOf returns what is known of a change's hunks, or is being found out, and
// finds it out where it is not; nil where the changeset itself says all there is to
// say.
func (s *Server) originsOf(c *change) *origins {
	ses := s.sessions[c.view.Session]
	if c.content == nil || c.view.Turn != "" || c.view.Entry.Kind == bridge.KindPatchset || ses == nil || ses.view == nil {
		return nil
	}
	chat := ses.view.Chat
	switch {
	case len(chat.Turns) == 0:
		return nil
	case c.seeking.about(c.content, chat):
		return c.seeking
	case c.origins.about(c.content, chat) && !c.origins.again:
		return c.origins
	}
	o := &origins{content: c.content, chat: chat, known: make(chan struct{})}
	c.seeking = o
	otherChats := slices.ContainsFunc(ses.view.State.Chats, func(other ahp.ChatSummary) bool { return other.Resource != ses.view.State.DefaultChat })
	all := len(chat.Turns) <= maxOriginTurns && !chat.Partial && chat.Active == nil && ses.view.ChatKnown && !otherChats
	ids := make([]string, 0, maxOriginTurns) // newest first
	for i := len(chat.Turns) - 1; i >= 0 && len(ids) < maxOriginTurns; i-- {
		ids = append(ids, chat.Turns[i].ID)
	}
	host, session, resource := s.host, c.view.Session, c.entry.URI()
	type result struct {
		turns           [][]string
		complete, again bool
	}
	background(s, func(ctx context.Context) result {
		ctx, cancel := context.WithTimeout(ctx, turnPatience)
		defer cancel()
		r := result{complete: true}
		var changes []*mapping.FileChange
		var of []string
		name := resource
		for _, id := range ids {
			content, called, err := turnChange(ctx, host, session, id, name)
			name = called // in the turns before
			if err != nil {
				s.log.Debugf("%s in turn %s: %v", name, id, err)
				r.complete, r.again = false, r.again || outOfReach(err)
				continue
			}
			if content != nil {
				changes, of = append(changes, content), append(of, id)
			}
		}
		for _, by := range o.content.Origins(changes) {
			var turns []string
			for _, i := range by {
				turns = append(turns, of[i])
			}
			r.turns = append(r.turns, turns)
		}
		return r
	}, func(r result) {
		o.turns, o.complete, o.again = r.turns, all && r.complete, r.again
		if c.seeking == o {
			c.origins, c.seeking = o, nil
		}
		close(o.known)
	})
	return o
}

// outOfReach reports whether it is the connection's fault that something could not
// be read.
func outOfReach(err error) bool {
	return errors.Is(err, bridge.ErrNotConnected) || errors.Is(err, bridge.ErrDisconnected) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// turnChange is what a turn did to a file, nil for nothing, and what the file was
// called before it.
func turnChange(ctx context.Context, host *bridge.Client, session, turn, resource string) (content *mapping.FileChange, name string, err error) {
	f, err := host.TurnFile(ctx, session, turn, resource)
	if f == nil || err != nil {
		return nil, resource, err
	}
	name = resource
	if f.Before != nil && f.After != nil && ahp.CanonicalURI(f.After.URI) == ahp.CanonicalURI(resource) {
		name = f.Before.URI
	}
	before, err := readSide(ctx, host, f.Before)
	if err != nil {
		return nil, name, err
	}
	after, err := readSide(ctx, host, f.After)
	if err != nil {
		return nil, name, err
	}
	return mapping.NewFileChange(before, after), name, nil
}

// withOrigins answers once the origins of the hunks on these lines are known, or
// when it has waited long enough.
func (s *Server) withOrigins(f *file, touched func(mapping.PlacedHunk) bool, do func() any) (any, error) {
	c, text := f.primary(), f.text()
	if c == nil || c.content == nil || text == nil {
		return do(), nil
	}
	for _, h := range c.hunks(text) {
		if !touched(h) {
			continue
		}
		o := s.originsOf(c)
		if o == nil || o.ready() {
			break
		}
		return nil, later{func(ctx context.Context) (any, error) {
			return s.inLoopAfter(ctx, o.known, viewTimeout, func() (any, error) { return do(), nil })
		}}
	}
	return do(), nil
}

func (o *origins) ready() bool {
	select {
	case <-o.known:
		return true
	default:
		return false
	}
}

// originName says which turns wrote a hunk, "" if that is not known.
func (s *Server) originName(c *change, h mapping.PlacedHunk) string {
	o := c.origins
	if o == nil || o.content != c.content || h.Index >= len(o.turns) {
		return ""
	}
	var names []string
	for _, id := range o.turns[h.Index] {
		if name := s.turnName(c.view.Session, id); name != "" {
			names = append(names, name)
		}
	}
	ses := s.sessions[c.view.Session]
	if len(o.turns[h.Index]) == 0 && o.complete && ses != nil && ses.view != nil && o.about(c.content, ses.view.Chat) {
		return "in none of the session's turns"
	}
	return strings.Join(names, " · ")
}
