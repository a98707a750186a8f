package lsp

import (
	"context"
	"errors"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// loadChange reads both sides of a change and compares them.
func (s *Server) loadChange(e workspace.LoadChange) {
	client := s.host.client
	if client == nil {
		return // the change goes with its host
	}
	try(s, func(ctx context.Context) (*mapping.FileChange, error) {
		before, err := readSide(ctx, client, e.Entry.Before)
		if err != nil {
			return nil, err
		}
		after, err := readSide(ctx, client, e.Entry.After)
		if err != nil {
			return nil, err
		}
		return mapping.NewFileChange(before, after), nil
	}, func(content *mapping.FileChange, err error) {
		if err != nil {
			s.cfg.Log.Infof("%s: %v", e.Change.File().URI(), err)
		}
		s.apply(workspace.ChangeLoaded{Change: e.Change, Load: e.Load, Content: content, Err: err})
	})
}

// readSide reads one side of a change; nil if the file does not exist there.
func readSide(ctx context.Context, client *bridge.Client, side *ahp.FileSide) (*mapping.Text, error) {
	if side == nil {
		return nil, nil
	}
	data, err := client.Read(ctx, side.Content)
	if err != nil {
		return nil, err
	}
	text, why := workspace.DecodeText(data)
	if text == nil {
		return nil, errors.New(why)
	}
	return text, nil
}

// turnReaders is how many texts after turns are read at once.
const turnReaders = 8

// readTurn reads a file as a turn left it.
func (s *Server) readTurn(e workspace.ReadTurn) {
	client, slots := s.host.client, s.host.turnReads
	background(s, func(ctx context.Context) *mapping.Text {
		slots <- struct{}{}
		defer func() { <-slots }()
		if client == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, turnPatience)
		defer cancel()
		data, err := client.TurnContent(ctx, e.Session, e.Turn, e.Resource)
		if err != nil {
			s.cfg.Log.Debugf("%s after turn %s: %v", e.Resource, e.Turn, err)
			return nil
		}
		text, _ := workspace.DecodeText(data)
		return text
	}, func(text *mapping.Text) {
		s.apply(workspace.TurnRead{File: e.File, Session: e.Session, Turn: e.Turn, Epoch: e.Epoch, Text: text})
	})
}

// findOrigins reads what each turn did to a file, and finds out which of them wrote
// the hunks that are shown.
func (s *Server) findOrigins(e workspace.FindOrigins) {
	client := s.host.client
	background(s, func(ctx context.Context) workspace.OriginsFound {
		ctx, cancel := context.WithTimeout(ctx, turnPatience)
		defer cancel()
		found := workspace.OriginsFound{Change: e.Change, Origins: e.Origins, Complete: true}
		var changes []*mapping.FileChange
		var of []string
		name := e.Resource
		for _, id := range e.Turns {
			content, before, err := turnChange(ctx, client, e.Session, id, name)
			name = before // in the turns before
			if err != nil {
				s.cfg.Log.Debugf("%s in turn %s: %v", name, id, err)
				found.Complete, found.Retry = false, found.Retry || outOfReach(err)
				continue
			}
			if content != nil {
				changes, of = append(changes, content), append(of, id)
			}
		}
		for _, by := range e.Content.Origins(changes) {
			var turns []string
			for _, i := range by {
				turns = append(turns, of[i])
			}
			found.Turns = append(found.Turns, turns)
		}
		return found
	}, func(found workspace.OriginsFound) {
		// After a fault of ours nothing is known, but nobody waits for ever.
		found.Change, found.Origins = e.Change, e.Origins
		s.apply(found)
	})
}

// outOfReach reports whether it is the connection's fault that something could not
// be read.
func outOfReach(err error) bool {
	return errors.Is(err, bridge.ErrNotConnected) || errors.Is(err, bridge.ErrDisconnected) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// turnChange is what a turn did to a file, nil for nothing, and what the file was
// called before it.
func turnChange(ctx context.Context, client *bridge.Client, session, turn, resource string) (content *mapping.FileChange, name string, err error) {
	f, err := client.TurnFile(ctx, session, turn, resource)
	if f == nil || err != nil {
		return nil, resource, err
	}
	name = resource
	if f.Before != nil && f.After != nil && ahp.CanonicalURI(f.After.URI) == ahp.CanonicalURI(resource) {
		name = f.Before.URI
	}
	before, err := readSide(ctx, client, f.Before)
	if err != nil {
		return nil, name, err
	}
	after, err := readSide(ctx, client, f.After)
	if err != nil {
		return nil, name, err
	}
	return mapping.NewFileChange(before, after), name, nil
}
