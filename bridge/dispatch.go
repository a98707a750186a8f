package bridge

import (
	"fmt"
	"maps"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// dispatcher is a channel that takes actions of ours: they are shown at once
// and confirmed, or taken back, by the host's echo (write-ahead).
type dispatcher interface {
	channel
	// ahead shows an action before the host has confirmed it.
	dispatch(c *Client, p *pending) error
	// settled takes the echo of an action that the mirror's snapshot had already.
	acknowledged(c *Client, e ahp.Envelope)
	// unconfirmed are the actions without an echo, in order.
	unconfirmed() []*pending
}

// pending is an action of ours that the host has not echoed yet.
type pending struct {
	seq    int64
	action ahp.Action
	sent   *conn // where it went out last; nil if it has not

	// What it does, on an annotations channel.
	id     string
	change func(*ahp.Annotation) *ahp.Annotation

	// moot reports, of an action on a chat, whether there is nothing left for it
	// to do: it has been carried out, or somebody else was first. nil: never.
	moot     func(*ahp.Chat) bool
	rejected bool
}

// Dispatch sends an action on a followed channel (dispatchAction) and shows its
// effect at once. While the host cannot be reached the action waits and is sent on
// return. It is an error if the channel is not followed, or the action is none of
// that channel's. What the host says of it comes later, as Confirmed or Rejected.
func (c *Client) Dispatch(channel string, a ahp.Action) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.channels[channel].(dispatcher)
	if !ok {
		return fmt.Errorf("dispatch %s: %s is not followed (any more)", a.Type, channel)
	}
	c.link.clientSeq++
	p := &pending{seq: c.link.clientSeq, action: a}
	if err := d.dispatch(c, p); err != nil {
		return fmt.Errorf("dispatch %s: %w", a.Type, err)
	}
	// Until the snapshot is there the host would apply the action to a state
	// that the snapshot may or may not include; it is sent right behind it.
	if d.base().ready {
		c.transmit(channel, p)
	}
	return nil
}

// Follows reports whether a channel is mirrored now, so that Dispatch takes actions on it.
func (c *Client) Follows(channel string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.channels[channel].(dispatcher)
	return ok
}

func (c *Client) transmit(channel string, p *pending) {
	if c.link.conn == nil {
		return
	}
	p.sent = c.link.conn
	if err := c.link.conn.notify("dispatchAction", ahp.DispatchParams{Channel: channel, ClientSeq: p.seq, Action: p.action}); err != nil {
		c.warn("dispatch %s: %v", p.action.Type, err)
	}
}

// resend sends what has no echo after a reconnect.
func (c *Client) resend(d dispatcher) {
	for _, p := range d.unconfirmed() {
		c.transmit(d.base().uri, p)
	}
}

// abandon tells which actions a channel that is not mirrored any more takes
// with it. Where we gave the channel up, what is on its way will be done.
func (c *Client) abandon(uri string, queue []*pending, why Reason) {
	for _, p := range queue {
		reason := why.String()
		if why == (Reason{}) {
			if p.sent != nil && p.sent == c.link.conn {
				continue
			}
			reason = "it was not sent, and the session is not followed any more"
		}
		c.emit(rejection(ahp.Envelope{Channel: uri, Action: p.action, RejectionReason: reason}))
	}
}

// Unsent are the actions that are lost with this Client: those that wait for a
// connection, or for one on which it turns out whether the host has got them.
// What went out on the connection that is up arrives, see newConn.
func (c *Client) Unsent() (out []Rejected) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(c.channels)) {
		d, ok := c.channels[uri].(dispatcher)
		if _, chat := d.(*chatChannel); !ok || chat {
			continue // what is said to an agent is not kept for later
		}
		for _, p := range d.unconfirmed() {
			if p.sent == nil || p.sent != c.link.conn {
				ch, ok := d.(*annotationsChannel)
				out = append(out, Rejected{
					Channel: uri, Action: p.action, Reason: "it has not been sent",
					New: ok && ch.state.Get(p.id) == nil,
				})
			}
		}
	}
	return out
}

// rejection is what an envelope tells that refuses an action of ours.
func rejection(e ahp.Envelope) Rejected {
	return Rejected{Channel: e.Channel, Action: e.Action, Reason: e.RejectionReason}
}

// takePending takes the pending action that an envelope is the echo of out of a queue.
// It is nil if there is none.
func takePending(queue *[]*pending, e ahp.Envelope) *pending {
	i := slices.IndexFunc(*queue, func(p *pending) bool { return p.seq == e.Origin.ClientSeq })
	if i < 0 {
		return nil
	}
	p := (*queue)[i]
	*queue = slices.Delete(*queue, i, i+1)
	return p
}
