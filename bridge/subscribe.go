package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ahp-lsp/bridge/ahp"
)

// snapshotQueue is which channels' states are asked for.
type snapshotQueue struct {
	waiting []string // channels whose subscribe is unanswered, oldest first
	// oversized channels are left out: their snapshot is larger than the read
	// limit, and asking again would only end the connection again.
	oversized map[string]bool
	single    bool     // subscribe one channel at a time, to find the oversized one
	held      []string // with single: channels still to be subscribed
	// unexplained counts the messages over the read limit, one after the other,
	// that were no snapshot that was waited for.
	unexplained int
}

// delay is how long to wait before the next connection may bring another message
// that is too large: each one is read up to the limit.
func (q *snapshotQueue) delay() time.Duration {
	if q.unexplained == 0 {
		return 0
	}
	return retryMost << min(q.unexplained-1, 5)
}

// subscribe starts to mirror a channel; c.mu is held.
func (c *Client) subscribe(ch channel) {
	uri := ch.base().uri
	if c.snapshots.oversized[uri] {
		return
	}
	c.channels[uri] = ch
	c.requestSnapshot(uri)
}

// requestSnapshot asks for a channel's state, once per connection. With
// single, one at a time.
func (c *Client) requestSnapshot(uri string) {
	ch, cn := c.channels[uri], c.link.conn
	if ch == nil || cn == nil || slices.Contains(c.snapshots.held, uri) {
		return
	}
	if c.snapshots.single && len(c.snapshots.waiting) > 0 {
		c.snapshots.held = append(c.snapshots.held, uri)
		return
	}
	ch.base().early = nil // whatever the last connection left there
	c.snapshots.waiting = append(c.snapshots.waiting, uri)
	cn.start("subscribe", ahp.ChannelParams{Channel: uri}, func(m ahp.Message, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.subscribed(cn, uri, ch, m, err)
	})
}

// subscribed takes the answer to a subscribe.
func (c *Client) subscribed(cn *conn, uri string, ch channel, m ahp.Message, err error) {
	if c.link.conn != cn || errors.Is(err, ErrDisconnected) {
		return // the next connection asks again, and looks at what was waited for
	}
	if i := slices.Index(c.snapshots.waiting, uri); i >= 0 {
		c.snapshots.waiting = slices.Delete(c.snapshots.waiting, i, i+1)
	}
	defer c.emitCaughtUp()
	defer c.next()
	if c.channels[uri] != ch {
		return // given up meanwhile
	}
	if err != nil {
		if retryAnnotations(c, ch) {
			return
		}
		c.warn("subscribe %s: %v", uri, err)
		c.drop(uri, Reason{Kind: ReasonUnknown})
		return
	}
	r, err := ahp.DecodeSubscribeResult(m.Result)
	switch {
	case err != nil:
		c.warn("subscribe %s: %v", uri, err)
	case r.Snapshot == nil:
		c.warn("subscribe %s: the host sent no snapshot", uri)
	}
	if r.Snapshot == nil {
		r.Snapshot = &ahp.Snapshot{}
	}
	c.takeSnapshot(ch, *r.Snapshot)
	if f := c.followed[uri]; f != nil && f.annotations.late && f.annotations.asked == cn {
		f.annotations.late = false
		c.requestSnapshot(f.annotations.uri)
	}
}

// retryAnnotations asks once more, on each connection, for comments that the host says it
// does not know, and reports whether it does: a host that was started again reads
// a session back when somebody subscribes to it, and knows its comments only then.
func retryAnnotations(c *Client, ch channel) bool {
	a, ok := ch.(*annotationsChannel)
	if !ok || a.asked == c.link.conn || c.channels[a.session] == nil {
		return false
	}
	a.asked, a.ready = c.link.conn, false
	a.late = slices.Contains(c.snapshots.waiting, a.session) || slices.Contains(c.snapshots.held, a.session)
	if !a.late {
		c.requestSnapshot(a.uri)
	}
	return true
}

// next goes on with what single holds back, and ends it when all is there.
func (c *Client) next() {
	for c.snapshots.single && len(c.snapshots.waiting) == 0 {
		if len(c.snapshots.held) == 0 {
			c.snapshots.single = false
			return
		}
		uri := c.snapshots.held[0]
		c.snapshots.held = c.snapshots.held[1:]
		c.requestSnapshot(uri)
	}
}

// drop stops mirroring a channel; why is as in channel.gone.
func (c *Client) drop(uri string, why Reason) {
	if ch, ok := c.channels[uri]; ok {
		delete(c.channels, uri)
		ch.gone(c, why)
	}
}

func (c *Client) takeSnapshot(ch channel, s ahp.Snapshot) {
	m := ch.base()
	m.ready, m.seq = true, s.FromSeq
	c.link.lastSeq = max(c.link.lastSeq, s.FromSeq)
	ch.snapshot(c, s.State)
	early := m.early
	m.early = nil
	for _, e := range early {
		c.take(e)
	}
}

// unsubscribe tells the host that a channel is not mirrored any more, and drops
// it; c.mu is held.
func (c *Client) unsubscribe(uri string, why Reason) {
	if c.channels[uri] == nil {
		return
	}
	if c.link.conn != nil {
		if err := c.link.conn.notify("unsubscribe", ahp.ChannelParams{Channel: uri}); err != nil {
			c.warn("unsubscribe %s: %v", uri, err)
		}
	}
	c.drop(uri, why)
}

// forgetHost drops every mirror.
func (c *Client) forgetHost() {
	for _, uri := range slices.Sorted(maps.Keys(c.followed)) {
		c.unfollow(uri, Reason{}, false)
	}
	clear(c.list.listed)
	clear(c.list.refused)
	clear(c.snapshots.oversized)
	c.list.order = nil
}

// restore makes the channels of followed sessions that had to be given up, for
// a reason that may have passed, wait for the connection again.
func (c *Client) restore() {
	clear(c.list.refused)
	for _, f := range c.followed {
		clear(f.lost)
		again := []channel{f.annotations}
		if f.chatURI != "" {
			again = append(again, &chatChannel{mirror: mirror{uri: f.chatURI}, f: f})
		}
		for _, ch := range again {
			if uri := ch.base().uri; c.channels[uri] == nil && !c.snapshots.oversized[uri] {
				ch.base().ready = false
				c.channels[uri] = ch
			}
		}
	}
}

// resume asks the host for what was missed since the connection was lost.
func (c *Client) resume(ctx context.Context, cn *conn) error {
	c.mu.Lock()
	c.restore()
	params := ahp.ReconnectParams{Channel: ahp.RootURI, ClientID: c.id, LastSeenServerSeq: c.link.lastSeq, Subscriptions: []string{ahp.RootURI}}
	for uri := range c.channels {
		params.Subscriptions = append(params.Subscriptions, uri)
	}
	slices.Sort(params.Subscriptions[1:])
	c.mu.Unlock()
	return c.await(ctx, cn, "reconnect", params, func(raw json.RawMessage) error {
		var r struct {
			ahp.ReconnectResult
			Channels []struct {
				Channel  string         `json:"channel"`
				Type     string         `json:"type"`
				Actions  []ahp.Envelope `json:"actions"`
				Snapshot *ahp.Snapshot  `json:"snapshot"`
			} `json:"channels"` // newer drafts recover per channel
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			if !wrongType(err) {
				return fmt.Errorf("the host's answer cannot be read: %w", err)
			}
			c.warn("reconnect: the host's answer cannot be read in full: %v", err)
		}
		c.connected(cn)
		current := map[string]bool{} // channels that the answer has brought up to date
		for _, s := range r.Snapshots {
			current[s.Resource] = true
		}
		for _, ch := range r.Channels {
			switch {
			case ch.Type == "missing":
				r.Missing = append(r.Missing, ch.Channel)
			case ch.Snapshot != nil:
				ch.Snapshot.Resource = ch.Channel
				r.Snapshots = append(r.Snapshots, *ch.Snapshot)
				current[ch.Channel] = true
			case ch.Type == "replay":
				for _, e := range ch.Actions {
					e.Channel = ch.Channel
					r.Actions = append(r.Actions, e)
				}
				current[ch.Channel] = true
			}
		}
		if r.Type == "replay" {
			for uri := range c.channels {
				current[uri] = true
			}
		}
		c.recover(r.ReconnectResult, current)
		return nil
	})
}

// recover takes the outcome of a reconnect: first what is gone, then fresh
// snapshots, then the missed actions, then what we had dispatched without
// getting an echo. Channels that are not current are asked for.
func (c *Client) recover(r ahp.ReconnectResult, current map[string]bool) {
	for _, uri := range r.Missing {
		if a, ok := c.channels[uri].(*annotationsChannel); ok && !slices.Contains(r.Missing, a.session) {
			a.asked, a.ready = c.link.conn, false
			continue // asked for below, once; see askAgain
		}
		c.drop(uri, Reason{Kind: ReasonUnknown})
	}
	resent := map[string]bool{} // with its snapshot
	for _, s := range r.Snapshots {
		if ch, ok := c.channels[s.Resource]; ok {
			c.takeSnapshot(ch, s)
			resent[s.Resource] = true
		}
	}
	for _, e := range r.Actions {
		c.take(e)
	}
	for _, uri := range slices.Sorted(maps.Keys(c.channels)) {
		ch := c.channels[uri]
		if !ch.base().ready || !current[uri] {
			ch.base().ready = false
			if !slices.Contains(c.snapshots.waiting, uri) {
				c.requestSnapshot(uri)
			}
		} else if d, ok := ch.(dispatcher); ok && !resent[uri] {
			c.resend(d)
		}
	}
}
