package bridge

import (
	"context"
	"errors"

	"ahp-lsp/bridge/ahp"
)

// ErrNoTurnContent: the host does not say what a file was like after a turn.
var ErrNoTurnContent = errors.New("the text after that turn is not known")

// TurnContent returns what a file was like after a turn: the after side of the
// turn's changeset. A comment's range is in that text. Errors are those of
// TurnFile; resource is the host's URI.
func (c *Client) TurnContent(ctx context.Context, session, turn, resource string) ([]byte, error) {
	f, err := c.TurnFile(ctx, session, turn, resource)
	if err != nil {
		return nil, err
	}
	if f == nil || f.After == nil {
		return nil, ErrNoTurnContent
	}
	return c.Read(ctx, f.After.Content)
}

// TurnFile returns what a turn did to a file, nil if it did not touch it. The
// error is ErrNoTurnContent where the host does not say what that turn did.
// resource is the host's URI, of either side.
func (c *Client) TurnFile(ctx context.Context, session, turn, resource string) (*ahp.ChangesetFile, error) {
	c.mu.Lock()
	uri, ok := c.followed[session].turnChannel(turn)
	c.mu.Unlock()
	if !ok {
		return nil, ErrNoTurnContent
	}
	state, err := c.peek(ctx, uri)
	if err != nil {
		return nil, err
	}
	if state.Status == ahp.ChangesetError {
		return nil, ErrNoTurnContent
	}
	want := ahp.CanonicalURI(resource)
	var before *ahp.ChangesetFile // a file that was moved away: another one may be there now
	for _, f := range state.FilesAt(want) {
		if f.After != nil && ahp.CanonicalURI(f.After.URI) == want {
			return f, nil
		}
		before = f
	}
	return before, nil
}

// turnChannel expands the session's template for the changeset of a turn.
func (f *followed) turnChannel(turn string) (uri string, ok bool) {
	if f == nil || f.state == nil {
		return "", false
	}
	w, ok := f.sliceOf(turn)
	return w.uri, ok
}
