package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/store"
)

// What is written while the host cannot be reached waits in memory, and is shown
// meanwhile. If the editor is left before the host is back, the texts wait in the
// store and are sent when a server follows that session again. Changes of a
// comment's state are not kept: they may not be what anybody wants any more.

// unsentAction is an action that the host was not told, and what the user has to
// know of it.
type unsentAction struct {
	remote.Rejected
	message string
}

// session is the session that the action is about, and whether it has a text of
// the user's.
func (a unsentAction) session() (session string, text bool) {
	session, ok := strings.CutSuffix(a.Channel, "/annotations")
	return session, ok && (a.Action.Type == ahp.TypeAnnotationsEntrySet || a.Action.Type == ahp.TypeAnnotationsSet && a.New)
}

// tellUnsent tells the user what the host was not told.
func (s *Server) tellUnsent(actions []unsentAction) {
	for _, a := range actions {
		s.editor.tell(remote.NoticeError, a.message)
	}
}

// keepUnsent stores, outside the loop, what has a text of the user's for the next
// server, and logs all: there is nobody to tell any more. The result is closed when
// that is done.
func (s *Server) keepUnsent(actions []unsentAction) (written <-chan struct{}) {
	done := make(chan struct{})
	s.atEnd(func() {
		defer close(done)
		for _, a := range actions {
			message := a.message
			if session, text := a.session(); text && s.store.Remembers() {
				// Not s.ctx, which ends now.
				if damage, err := store.Damage(s.store.AddUnsent(context.Background(), session, a.Action.Raw)); err != nil {
					s.cfg.Log.Warningf("a text that was not sent is not kept: %v", err)
				} else {
					s.logDamage(damage)
					message += "\nIt is sent when the session is followed again."
				}
			}
			s.cfg.Log.Warningf("%s", message)
		}
	})
	return done
}

// sendUnsent sends what an earlier server has kept for a session, once its comments
// can be had: a host that has just started may not have them yet.
func (s *Server) sendUnsent(session string) {
	if !s.store.Remembers() || s.host.unsent[session] {
		return
	}
	s.host.unsent[session] = true
	client, followed := s.host.client, s.ws.Session(session)
	type result struct {
		actions []json.RawMessage
		has     *ahp.Annotations // what the host has of the session; nil if it cannot be had
		damage  *store.Damaged
		err     error
	}
	background(s, func(ctx context.Context) (r result) {
		r.actions, r.err = s.store.Unsent(ctx, session)
		if r.damage, r.err = store.Damage(r.err); r.err == nil && len(r.actions) > 0 {
			var err error
			if r.has, err = client.Annotations(ctx, session); err != nil {
				s.cfg.Log.Infof("texts that were not sent still wait: %v", err)
			}
		}
		return r
	}, func(r result) {
		s.tellDamage(r.damage)
		if r.err != nil {
			s.cfg.Log.Warningf("texts that were not sent stay where they are: %v", r.err)
			return
		}
		if len(r.actions) == 0 || s.host.client != client || s.ws.Session(session) != followed {
			return
		}
		if r.has == nil || !client.Follows(annotationsChannel(session)) {
			delete(s.host.unsent, session) // until something about the session changes
			return
		}
		s.resend(client, session, r.actions, r.has)
	})
}

// resend sends what was kept, and forgets it.
func (s *Server) resend(client *bridge.Client, session string, actions []json.RawMessage, has *ahp.Annotations) {
	sent := 0
	for _, raw := range actions {
		if s.sendKept(client, session, raw, has) {
			sent++
		}
	}
	if sent > 0 {
		s.editor.tell(remote.NoticeInfo, fmt.Sprintf("sent what was written while the agent host was away: %d", sent))
	}
	background(s, func(ctx context.Context) error { return s.store.DropUnsent(ctx, session, actions) }, func(err error) {
		if err != nil {
			s.cfg.Log.Warningf("remove what has been sent: %v", err)
		}
	})
}

// sendKept sends one action, unless the host has it: its connection was lost
// behind it. It reports whether it was sent; a text that cannot be is told.
func (s *Server) sendKept(client *bridge.Client, session string, raw json.RawMessage, has *ahp.Annotations) bool {
	var a ahp.Action
	err := json.Unmarshal(raw, &a)
	id, change, derr := ahp.DecodeAnnotationChange(a)
	if err = errors.Join(err, derr); err == nil && change == nil {
		err = errors.New("it is not about a comment")
	}
	if err == nil {
		old := has.Get(id)
		if old != nil && a.Type == ahp.TypeAnnotationsSet {
			return false
		}
		next := change(old)
		if next == nil {
			err = errors.New("the comment is gone")
		} else if old != nil && len(next.Entries) == len(old.Entries) && sameEntries(next, old) {
			return false
		} else if err = client.Dispatch(annotationsChannel(session), a); err == nil {
			has.Set(next) // for a reply to it
			return true
		}
	}
	s.editor.tell(remote.NoticeError, s.view().TakenBack("cannot send", remote.Rejected{
		Channel: annotationsChannel(session), Action: a, Reason: err.Error(),
	}))
	return false
}

func sameEntries(a, b *ahp.Annotation) bool {
	for i, e := range a.Entries {
		if e.Text.Value != b.Entries[i].Text.Value {
			return false
		}
	}
	return true
}

// annotationsChannel is where a session's comments are.
func annotationsChannel(session string) string { return session + "/annotations" }
