package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
)

// What is written while the host cannot be reached waits in memory, and is shown
// meanwhile. If the editor is left before the host is back, the texts wait in the
// state directory, in one file for each session, and are sent when a server
// follows that session again. Changes of a comment's state are not kept: by then
// they may not be what anybody wants any more.

const unsentVersion = 1

type unsentFile struct {
	Version int               `json:"version"`
	Session string            `json:"session"`
	Actions []json.RawMessage `json:"actions"` // annotations/set of new comments, annotations/entrySet
}

func unsentPath(dir, session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(dir, "unsent", hex.EncodeToString(sum[:12])+".json")
}

func readUnsent(dir, session string) (f unsentFile, err error) {
	path := unsentPath(dir, session)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return unsentFile{Version: unsentVersion, Session: session}, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err == nil && (f.Version != unsentVersion || f.Session != session) {
		err = fmt.Errorf("%s is of another version (%d)", path, f.Version)
	}
	return f, err
}

// keepUnsent keeps an action for the next server, if it has a text of the user's,
// and reports whether it did. To be called when the server ends.
func (s *Server) keepUnsent(a bridge.Rejected) bool {
	session, ok := strings.CutSuffix(a.Channel, "/annotations")
	text := a.Action.Type == ahp.TypeAnnotationsEntrySet || a.Action.Type == ahp.TypeAnnotationsSet && a.New
	if s.cfg.StateDir == "" || !ok || !text {
		return false
	}
	f, err := readUnsent(s.cfg.StateDir, session)
	if err == nil {
		f.Actions = append(f.Actions, a.Action.Raw)
		var data []byte
		if data, err = json.Marshal(f); err == nil {
			err = storeFile(unsentPath(s.cfg.StateDir, session), data)
		}
	}
	if err != nil {
		s.log.Warningf("a text that was not sent is not kept: %v", err)
	}
	return err == nil
}

// sendUnsent sends what an earlier server has kept for a session, once its comments
// can be had: a host that has just started may not have them yet.
func (s *Server) sendUnsent(session string, ses *session) {
	if s.cfg.StateDir == "" || ses.unsent {
		return
	}
	ses.unsent = true
	dir, host := s.cfg.StateDir, s.host
	type result struct {
		file unsentFile
		has  *ahp.Annotations // what the host has of the session; nil if it cannot be had
		err  error
	}
	background(s, func(ctx context.Context) (r result) {
		if r.file, r.err = readUnsent(dir, session); r.err == nil && len(r.file.Actions) > 0 {
			var err error
			if r.has, err = host.Annotations(ctx, session); err != nil {
				s.log.Infof("texts that were not sent still wait: %v", err)
			}
		}
		return r
	}, func(r result) {
		if r.err != nil {
			s.log.Warningf("texts that were not sent stay in %s: %v", unsentPath(dir, session), r.err)
			return
		}
		if len(r.file.Actions) == 0 || s.host != host || s.sessions[session] != ses {
			return
		}
		if r.has == nil || !host.Follows(annotationsChannel(session)) {
			ses.unsent = false // until something about the session changes
			return
		}
		sent := 0
		for _, raw := range r.file.Actions {
			if s.sendKept(session, raw, r.has) {
				sent++
			}
		}
		if sent > 0 {
			s.tell(bridge.NoticeInfo, fmt.Sprintf("sent what was written while the agent host was away: %d", sent))
		}
		if err := os.Remove(unsentPath(dir, session)); err != nil {
			s.log.Warningf("remove what has been sent: %v", err)
		}
	})
}

// sendKept sends one action, unless the host has it: its connection was lost
// behind it. It reports whether it was sent; a text that cannot be is told.
func (s *Server) sendKept(session string, raw json.RawMessage, has *ahp.Annotations) bool {
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
		} else if err = s.host.Dispatch(annotationsChannel(session), a); err == nil {
			has.Set(next) // for a reply to it
			return true
		}
	}
	s.tell(bridge.NoticeError, s.takenBack("cannot send", bridge.Rejected{
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
