package bridge

import (
	"fmt"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// dispatcher is a channel that takes actions of ours: they are shown at once
// and confirmed, or taken back, by the host's echo (write-ahead).
type dispatcher interface {
	channel
	// ahead shows an action before the host has confirmed it.
	ahead(c *Client, p pending) error
	// settled takes the echo of an action that the mirror's snapshot had already.
	settled(c *Client, e ahp.Envelope)
	// unconfirmed are the actions without an echo, in order.
	unconfirmed() []pending
}

// pending is an action of ours that the host has not echoed yet.
type pending struct {
	seq    int64
	action ahp.Action
}

// Dispatch sends an action on a followed channel and shows its effect at once.
// While the host cannot be reached the action waits and is sent on return.
func (c *Client) Dispatch(channel string, a ahp.Action) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.channels[channel].(dispatcher)
	if !ok {
		return fmt.Errorf("dispatch %s: %s is not followed (any more)", a.Type, channel)
	}
	c.clientSeq++
	p := pending{c.clientSeq, a}
	if err := d.ahead(c, p); err != nil {
		return fmt.Errorf("dispatch %s: %w", a.Type, err)
	}
	// Until the snapshot is there the host would apply the action to a state
	// that the snapshot may or may not include; it is sent right behind it.
	if d.base().ready {
		c.transmit(channel, p)
	}
	return nil
}

func (c *Client) transmit(channel string, p pending) {
	if c.conn == nil {
		return
	}
	if err := c.conn.notify("dispatchAction", ahp.DispatchParams{Channel: channel, ClientSeq: p.seq, Action: p.action}); err != nil {
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
// with it. Those of a channel given up while connected are on their way.
func (c *Client) abandon(m *mirror, queue []pending, why string) {
	if why == "" {
		if c.conn != nil && m.ready {
			return
		}
		why = "it was not sent, and the session is not followed any more"
	}
	for _, p := range queue {
		c.reject(ahp.Envelope{Channel: m.uri, Action: p.action, RejectionReason: why})
	}
}

// reject tells that the host refused an action of ours.
func (c *Client) reject(e ahp.Envelope) {
	c.emit(Rejected{Channel: e.Channel, Action: e.Action, Reason: e.RejectionReason})
}

// settle takes the pending action that an envelope is the echo of out of a queue.
func settle(queue *[]pending, e ahp.Envelope) (p pending, found bool) {
	i := slices.IndexFunc(*queue, func(p pending) bool { return p.seq == e.Origin.ClientSeq })
	if i < 0 {
		return pending{}, false
	}
	p = (*queue)[i]
	*queue = slices.Delete(*queue, i, i+1)
	return p, true
}
