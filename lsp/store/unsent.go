package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// unsentRecord is what was written about a session and did not reach the host.
type unsentRecord struct {
	Version int               `json:"version"`
	Session string            `json:"session"`
	Actions []json.RawMessage `json:"actions"` // oldest first
}

var unsentKind = kind[unsentRecord]{
	folder:  unsentFolder,
	version: 1,
	header:  func(r *unsentRecord) (*int, *string) { return &r.Version, &r.Session },
	empty:   func(r *unsentRecord) bool { return len(r.Actions) == 0 },
}

// AddUnsent adds actions of AHP to those of a session that wait to be sent. They
// are stored as JSON of the same content, not of the same bytes. On an error
// none is added, unless the error is a [Damaged] alone.
func (s *Store) AddUnsent(ctx context.Context, session string, actions ...json.RawMessage) error {
	const operation = "save what was not sent"
	for _, a := range actions {
		if !json.Valid(a) {
			return fmt.Errorf("%s: the action is not JSON: %.100q", operation, a)
		}
	}
	err := unsentKind.update(ctx, s, session, func(r *unsentRecord) (bool, error) {
		r.Actions = append(r.Actions, actions...)
		return len(actions) > 0, nil
	})
	return failed(operation, err)
}

// Unsent returns the actions of a session that wait to be sent, oldest first.
func (s *Store) Unsent(ctx context.Context, session string) ([]json.RawMessage, error) {
	var actions []json.RawMessage
	err := unsentKind.view(ctx, s, session, func(r *unsentRecord) { actions = r.Actions })
	return actions, failed("read what was not sent", err)
}

// DropUnsent removes actions that need not be sent any more, such as those that
// [Store.Unsent] returned and the host has now. They are compared by content;
// each removes one, the oldest. What others added meanwhile stays.
func (s *Store) DropUnsent(ctx context.Context, session string, sent []json.RawMessage) error {
	if len(sent) == 0 {
		return nil
	}
	drop := map[string]int{}
	for _, a := range sent {
		drop[canonical(a)]++
	}
	err := unsentKind.update(ctx, s, session, func(r *unsentRecord) (bool, error) {
		before := len(r.Actions)
		r.Actions = slices.DeleteFunc(r.Actions, func(a json.RawMessage) bool {
			content := canonical(a)
			drop[content]--
			return drop[content] >= 0
		})
		return len(r.Actions) < before, nil
	})
	return failed("remove what was sent", err)
}

// canonical is the same for JSON of the same content: members sorted, no spaces,
// characters escaped in one way, numbers as they are written.
func canonical(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(raw)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(data)
}
