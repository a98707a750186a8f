package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
	p, err := c.peekAt(uri)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-p.done:
		return p.state, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// peekAt finds who knows a changeset, or will; c.mu is held.
func (c *Client) peekAt(uri string) (*peeked, error) {
	switch {
	case c.conn == nil:
		return nil, ErrNotConnected
	case c.oversized[uri]:
		return nil, fmt.Errorf("%w: %s", ErrNoTurnContent, Reason{Kind: ReasonTooLarge})
	}
	switch ch := c.channels[uri].(type) {
	case *changesetChannel:
		return ch.whenComputed(), nil
	case *peekChannel:
		return ch.p, nil
	}
	if p := c.peeks[uri]; p != nil && p.conn == c.conn {
		return p, nil
	}
	if len(c.peeks) >= maxPeeked || c.peeks == nil {
		c.peeks = map[string]*peeked{}
	}
	p := &peeked{done: make(chan struct{}), conn: c.conn}
	c.peeks[uri] = p
	ch := &peekChannel{mirror: mirror{uri: uri}, p: p, state: &ahp.Changeset{}}
	time.AfterFunc(requestTimeout, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.channels[uri] == ch {
			c.unsubscribe(uri, Reason{Kind: ReasonNotComputed})
		}
	})
	c.subscribe(ch)
	return p, nil
}

// peekChannel mirrors a changeset until the host has computed it. Whoever wants to
// follow it meanwhile waits for its end, see followChangesets: the reference host
// fails the first of two subscriptions that are being answered at once.
type peekChannel struct {
	mirror
	p     *peeked
	state *ahp.Changeset
}

func (ch *peekChannel) snapshot(c *Client, raw json.RawMessage) {
	state, err := ahp.DecodeChangeset(raw)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	ch.set(c, state)
}

func (ch *peekChannel) reduce(c *Client, e ahp.Envelope) {
	if e.RejectionReason != "" {
		return
	}
	next := ch.state.Clone()
	if _, _, err := next.Apply(e.Action); err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	ch.set(c, next)
}

func (ch *peekChannel) set(c *Client, state *ahp.Changeset) {
	ch.state = state
	if state.Status != ahp.ChangesetComputing && c.channels[ch.uri] == ch {
		ch.p.state = state
		c.unsubscribe(ch.uri, Reason{})
	}
}

// gone ends it: with what was read, or without.
func (ch *peekChannel) gone(c *Client, why Reason) {
	if ch.p.state == nil {
		ch.p.err = fmt.Errorf("%w: %s", ErrNoTurnContent, why)
		if c.peeks[ch.uri] == ch.p {
			delete(c.peeks, ch.uri)
		}
	}
	close(ch.p.done)
	for _, f := range c.followed {
		c.followChangesets(f) // one may want to follow it
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

// Annotations reads a session's comments once. An error of type ahp.Problems comes
// with what could be read; all others (ErrNotConnected, ErrDisconnected, *ahp.Error,
// ctx's) with nil.
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
