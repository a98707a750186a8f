package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// subscribe starts to mirror a channel; c.mu is held.
func (c *Client) subscribe(ch channel) {
	uri := ch.base().uri
	if c.oversized[uri] {
		return
	}
	c.channels[uri] = ch
	c.requestSnapshot(uri)
}

// requestSnapshot asks for a channel's state. In careful mode one at a time.
func (c *Client) requestSnapshot(uri string) {
	if c.conn == nil {
		return
	}
	if c.careful && len(c.waiting) > 0 {
		c.held = append(c.held, uri)
		return
	}
	ch, cn := c.channels[uri], c.conn
	c.waiting = append(c.waiting, uri)
	cn.start("subscribe", ahp.ChannelParams{Channel: uri}, func(m ahp.Message, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.subscribed(cn, uri, ch, m, err)
	})
}

// subscribed takes the answer to a subscribe.
func (c *Client) subscribed(cn *conn, uri string, ch channel, m ahp.Message, err error) {
	if c.conn != cn {
		return // the next connection asks again
	}
	if i := slices.Index(c.waiting, uri); i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
	if c.careful && len(c.waiting) == 0 {
		if len(c.held) > 0 {
			next := c.held[0]
			c.held = c.held[1:]
			defer c.requestSnapshot(next)
		} else {
			c.careful = false
		}
	}
	if c.channels[uri] != ch {
		return // given up meanwhile
	}
	if err != nil {
		if !errors.Is(err, ErrDisconnected) {
			c.warn("subscribe %s: %v", uri, err)
			delete(c.channels, uri)
			ch.gone(c)
		}
		return
	}
	var r ahp.SubscribeResult
	if err := json.Unmarshal(m.Result, &r); err != nil || r.Snapshot == nil {
		c.warn("subscribe %s: the host sent no snapshot", uri)
		r.Snapshot = &ahp.Snapshot{}
	}
	c.takeSnapshot(ch, *r.Snapshot)
}

func (c *Client) takeSnapshot(ch channel, s ahp.Snapshot) {
	m := ch.base()
	m.ready, m.seq = true, s.FromSeq
	c.lastSeq = max(c.lastSeq, s.FromSeq)
	ch.snapshot(c, s.State)
	early := m.early
	m.early = nil
	for _, e := range early {
		c.take(e)
	}
}

// unsubscribe stops mirroring a channel; c.mu is held.
func (c *Client) unsubscribe(uri string) {
	ch, ok := c.channels[uri]
	if !ok {
		return
	}
	delete(c.channels, uri)
	if c.conn != nil {
		if err := c.conn.notify("unsubscribe", ahp.ChannelParams{Channel: uri}); err != nil {
			c.warn("unsubscribe %s: %v", uri, err)
		}
	}
	ch.gone(c)
}

// forgetHost drops every mirror.
func (c *Client) forgetHost() {
	for uri := range c.followed {
		c.unfollow(uri, "")
	}
	for uri, ch := range c.channels {
		delete(c.channels, uri)
		ch.gone(c)
	}
	clear(c.listed)
	clear(c.refused)
	c.order = nil
}

// resume asks the host for what was missed since the connection was lost.
func (c *Client) resume(ctx context.Context, cn *conn) error {
	c.mu.Lock()
	params := ahp.ReconnectParams{Channel: ahp.RootURI, ClientID: c.id, LastSeenServerSeq: c.lastSeq, Subscriptions: []string{ahp.RootURI}}
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
			return fmt.Errorf("reconnect: the host's answer cannot be read: %w", err)
		}
		c.connected(cn)
		for _, ch := range r.Channels {
			switch {
			case ch.Type == "missing":
				r.Missing = append(r.Missing, ch.Channel)
			case ch.Snapshot != nil:
				ch.Snapshot.Resource = ch.Channel
				r.Snapshots = append(r.Snapshots, *ch.Snapshot)
			default:
				for _, e := range ch.Actions {
					e.Channel = ch.Channel
					r.Actions = append(r.Actions, e)
				}
			}
		}
		c.recover(r.ReconnectResult, r.Type == "snapshot")
		return nil
	})
}

// recover takes the outcome of a reconnect: first what is gone, then fresh
// snapshots, then the missed actions, then what we had dispatched without
// getting an echo.
func (c *Client) recover(r ahp.ReconnectResult, whole bool) {
	for _, uri := range r.Missing {
		if ch, ok := c.channels[uri]; ok {
			delete(c.channels, uri)
			ch.gone(c)
		}
	}
	fresh := map[string]bool{}
	for _, s := range r.Snapshots {
		fresh[s.Resource] = true
		if ch, ok := c.channels[s.Resource]; ok {
			c.takeSnapshot(ch, s)
		}
	}
	for _, e := range r.Actions {
		c.take(e)
	}
	for uri, ch := range c.channels {
		switch {
		case !ch.base().ready, whole && !fresh[uri]:
			ch.base().ready = false
			c.requestSnapshot(uri)
		default:
			if d, ok := ch.(dispatcher); ok {
				c.resend(d)
			}
		}
	}
}
