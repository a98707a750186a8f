package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ahp-lsp/bridge/ahp"
)

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
	case c.link.conn == nil:
		return nil, ErrNotConnected
	case c.snapshots.oversized[uri]:
		return nil, fmt.Errorf("%w: %s", ErrNoTurnContent, Reason{Kind: ReasonTooLarge})
	}
	switch ch := c.channels[uri].(type) {
	case *changesetChannel:
		return ch.waitComputed(), nil
	case *peekChannel:
		return ch.p, nil
	}
	if p := c.peeks[uri]; p != nil && p.conn == c.link.conn {
		return p, nil
	}
	if len(c.peeks) >= maxPeeked || c.peeks == nil {
		c.peeks = map[string]*peeked{}
	}
	p := &peeked{done: make(chan struct{}), conn: c.link.conn}
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

// peekChannel mirrors a changeset until the host has computed it. followChangesets waits
// until it is gone: the reference host
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
		f.followChangesets() // one may want to follow it
	}
}

// waitComputed returns what is done when the changeset has been computed, or is gone.
func (ch *changesetChannel) waitComputed() *peeked {
	p := ch.awaited
	if p == nil {
		p = &peeked{done: make(chan struct{})}
		ch.awaited = p
		ch.finishWait(nil)
	}
	return p
}

// finishWait tells who waits for the changeset to be computed; err is why it will
// not be.
func (ch *changesetChannel) finishWait(err error) {
	p := ch.awaited
	if p == nil || err == nil && (!ch.ready || ch.state.Status == ahp.ChangesetComputing) {
		return
	}
	p.state, p.err = ch.state, err
	close(p.done)
	ch.awaited = nil
}
