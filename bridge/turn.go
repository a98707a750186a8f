package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
	uri, err := c.turnChannel(session, turn)
	if err != nil {
		return nil, err
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
	for _, f := range state.Files() {
		switch {
		case f.After != nil && ahp.CanonicalURI(f.After.URI) == want:
			return f, nil
		case f.Before != nil && ahp.CanonicalURI(f.Before.URI) == want:
			before = f
		}
	}
	return before, nil
}

// turnChannel expands the session's template for the changeset of a turn.
func (c *Client) turnChannel(session, turn string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.followed[session]
	if f == nil || f.state == nil {
		return "", ErrNoTurnContent
	}
	if w, ok := c.sliceOf(f, turn); ok {
		return w.uri, nil
	}
	return "", ErrNoTurnContent
}

// peeked is a changeset that was, or is being, read once.
type peeked struct {
	done  chan struct{} // closed when the other members are set
	conn  *conn
	state *ahp.Changeset
	err   error
}

// maxPeeked bounds the changesets kept from peek: comments come turn by turn.
const maxPeeked = 32

// peek reads a changeset once, without following it. Callers that want the same
// one share the answer, as long as the connection lasts: what an ended turn
// wrote does not change.
func (c *Client) peek(ctx context.Context, uri string) (*ahp.Changeset, error) {
	c.mu.Lock()
	cn := c.conn
	if cn == nil {
		c.mu.Unlock()
		return nil, ErrNotConnected
	}
	var p *peeked
	if mirrored, ok := c.channels[uri].(*changesetChannel); ok {
		// The reference host fails the first of two subscriptions that are being
		// answered at once: wait for the mirror's.
		p = mirrored.whenComputed()
	} else if p = c.peeks[uri]; p == nil || p.conn != cn {
		if len(c.peeks) >= maxPeeked || c.peeks == nil {
			c.peeks = map[string]*peeked{}
		}
		p = &peeked{done: make(chan struct{}), conn: cn}
		c.peeks[uri] = p
		go c.readOnce(cn, uri, p)
	}
	c.mu.Unlock()
	select {
	case <-p.done:
		return p.state, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readOnce subscribes and unsubscribes.
func (c *Client) readOnce(cn *conn, uri string, p *peeked) {
	defer close(p.done)
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	var r ahp.SubscribeResult
	err := cn.call(ctx, "subscribe", ahp.ChannelParams{Channel: uri}, &r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		p.err = fmt.Errorf("%w: %w", ErrNoTurnContent, err)
		delete(c.peeks, uri)
		return
	}
	if c.channels[uri] == nil && c.conn == cn {
		// With the mutex held: whoever follows it from now on subscribes behind this.
		if err := cn.notify("unsubscribe", ahp.ChannelParams{Channel: uri}); err != nil {
			c.warn("unsubscribe %s: %v", uri, err)
		}
	}
	raw := json.RawMessage(nil)
	if r.Snapshot != nil {
		raw = r.Snapshot.State
	}
	if p.state, err = ahp.DecodeChangeset(raw); err != nil {
		c.warn("%s: %v", uri, err)
	}
	if p.state.Status == ahp.ChangesetComputing {
		p.state, p.err = nil, ErrNoTurnContent
		delete(c.peeks, uri)
	}
}

// whenComputed returns what is done when the changeset has been computed, or is gone.
func (ch *changesetChannel) whenComputed() *peeked {
	p := ch.awaited
	if p == nil {
		p = &peeked{done: make(chan struct{})}
		ch.awaited = p
		ch.tellComputed(nil)
	}
	return p
}

// tellComputed tells who waits for the changeset to be computed; err is why it will
// not be.
func (ch *changesetChannel) tellComputed(err error) {
	p := ch.awaited
	if p == nil || err == nil && (!ch.ready || ch.state.Status == ahp.ChangesetComputing) {
		return
	}
	p.state, p.err = ch.state, err
	close(p.done)
	ch.awaited = nil
}

// Annotations reads a session's comments once.
func (c *Client) Annotations(ctx context.Context, session string) (*ahp.Annotations, error) {
	cn, err := c.live()
	if err != nil {
		return nil, err
	}
	uri := session + "/annotations"
	var r ahp.SubscribeResult
	if err := cn.call(ctx, "subscribe", ahp.ChannelParams{Channel: uri}, &r); err != nil {
		return nil, err
	}
	c.mu.Lock()
	if c.channels[uri] == nil && c.conn == cn {
		// With the mutex held: whoever follows it from now on subscribes behind this.
		if err := cn.notify("unsubscribe", ahp.ChannelParams{Channel: uri}); err != nil {
			c.warn("unsubscribe %s: %v", uri, err)
		}
	}
	c.mu.Unlock()
	if r.Snapshot == nil {
		return ahp.NewAnnotations(), nil
	}
	return ahp.DecodeAnnotations(r.Snapshot.State)
}
