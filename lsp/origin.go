package lsp

import (
	"context"
	"errors"
	"strings"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/mapping"
)

// maxOriginTurns bounds the turns that are read to find out who wrote a hunk:
// the newest ones, and no more than the client keeps.
const maxOriginTurns = 30

// origins are the turns that wrote a change's hunks. They are found out when
// somebody asks: each turn's changeset has to be read for it.
type origins struct {
	content *mapping.FileChange // whose hunks these are
	newest  string              // the newest turn at that time
	known   chan struct{}       // closed when the rest is set, in the loop
	turns   [][]string          // by hunk: ids, newest first
	// complete: every turn of the session was looked at. A hunk without any is of
	// none of them then.
	complete bool
	again    bool // something went wrong that may go right the next time
}

// originsOf returns what is known of a change's hunks, and finds it out where it
// is not; nil where the changeset itself says all there is to say.
func (s *Server) originsOf(c *change) *origins {
	ses := s.sessions[c.view.Session]
	if c.content == nil || c.view.Turn != "" || c.view.Entry.Kind == bridge.KindPatchset || ses == nil || ses.view == nil {
		return nil
	}
	chat := ses.view.Chat
	newest := chat.Latest()
	if newest == "" {
		return nil
	}
	if o := c.origins; o != nil && o.content == c.content && o.newest == newest && !(o.ready() && o.again) {
		return o
	}
	o := &origins{content: c.content, newest: newest, known: make(chan struct{})}
	c.origins = o
	o.complete = len(chat.Turns) <= maxOriginTurns && chat.Active == nil && ses.view.ChatKnown
	var ids []string // newest first
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
		for _, id := range ids {
			content, err := turnChange(ctx, host, session, id, resource)
			if err != nil {
				s.log.Debugf("%s in turn %s: %v", resource, id, err)
				r.complete, r.again = false, r.again || !errors.Is(err, bridge.ErrNoTurnContent)
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
		o.turns, o.complete, o.again = r.turns, o.complete && r.complete, r.again
		close(o.known)
	})
	return o
}

// turnChange is what a turn did to a file, nil for nothing.
func turnChange(ctx context.Context, host *bridge.Client, session, turn, resource string) (*mapping.FileChange, error) {
	f, err := host.TurnFile(ctx, session, turn, resource)
	if f == nil || err != nil {
		return nil, err
	}
	before, err := readSide(ctx, host, f.Before)
	if err != nil {
		return nil, err
	}
	after, err := readSide(ctx, host, f.After)
	if err != nil {
		return nil, err
	}
	return mapping.NewFileChange(before, after), nil
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
			timer := time.NewTimer(viewTimeout)
			defer timer.Stop()
			select {
			case <-o.known:
			case <-timer.C:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return s.inLoop(ctx, func() (any, error) { return do(), nil })
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
	if o == nil || o.content != c.content || !o.ready() || h.Index >= len(o.turns) {
		return ""
	}
	var names []string
	for _, id := range o.turns[h.Index] {
		if name := s.turnName(c.view.Session, id); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 && o.complete {
		return "in none of the session's turns"
	}
	return strings.Join(names, " · ")
}
