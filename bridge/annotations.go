package bridge

import (
	"context"
	"encoding/json"
	"errors"

	"ahp-lsp/bridge/ahp"
)

// annotationsChannel mirrors <session>/annotations. What is shown of an
// annotation is its confirmed value with the pending actions on top; only the
// annotations that pending actions are about differ from the confirmed ones.
type annotationsChannel struct {
	mirror
	session string
	state   *ahp.Annotations
	queue   []*pending
	shadow  map[string]*ahp.Annotation // shown values of ids with pending actions
	asked   *conn                      // on which they were asked for once more, see askAgain
	late    bool                       // they will be, behind the session's snapshot
	starts  int                        // link.starts when state was taken
	lost    *ahp.Annotations           // what a host that was started again has lost, see lost.go
}

func newAnnotationsChannel(session, uri string) *annotationsChannel {
	return &annotationsChannel{
		mirror: mirror{uri: uri}, session: session,
		state: ahp.NewAnnotations(), shadow: map[string]*ahp.Annotation{}, lost: ahp.NewAnnotations(),
	}
}

// shown is the annotation as the user sees it; nil if there is none.
func (ch *annotationsChannel) shown(id string) *ahp.Annotation {
	if a, ok := ch.shadow[id]; ok {
		return a
	}
	return ch.state.Get(id)
}

// replay brings the shadow of one annotation up to date.
func (ch *annotationsChannel) replay(id string) {
	a, touched := ch.state.Get(id), false
	for _, p := range ch.queue {
		if p.id == id {
			a, touched = p.change(a), true
		}
	}
	if touched {
		ch.shadow[id] = a
	} else {
		delete(ch.shadow, id)
	}
}

func (ch *annotationsChannel) changed(c *Client, id string, old *ahp.Annotation) {
	if now := ch.shown(id); now != old {
		c.emit(AnnotationsChanged{Session: ch.session, Changed: []AnnotationChange{{Old: old, New: now}}, Live: true})
	}
}

func (ch *annotationsChannel) snapshot(c *Client, raw json.RawMessage) {
	state, err := ahp.DecodeAnnotations(raw)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	old, oldShadow := ch.state, ch.shadow
	ch.state, ch.shadow = state, map[string]*ahp.Annotation{}
	for _, p := range ch.queue {
		ch.replay(p.id)
	}
	before := func(id string) *ahp.Annotation {
		if a, ok := oldShadow[id]; ok {
			return a
		}
		return old.Get(id)
	}
	seen := make(map[string]bool, state.Len())
	var changes []AnnotationChange
	note := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		if was, now := before(id), ch.shown(id); was != now {
			changes = append(changes, AnnotationChange{Old: was, New: now})
		}
	}
	for a := range state.All() {
		note(a.ID)
	}
	for a := range old.All() {
		note(a.ID)
	}
	for id := range oldShadow {
		note(id)
	}
	for id := range ch.shadow {
		note(id)
	}
	if len(changes) > 0 {
		c.emit(AnnotationsChanged{Session: ch.session, Changed: changes})
	}
	ch.compare(c, old)
	c.resend(ch)
}

func (ch *annotationsChannel) reduce(c *Client, e ahp.Envelope)       { ch.confirm(c, e, true) }
func (ch *annotationsChannel) acknowledged(c *Client, e ahp.Envelope) { ch.confirm(c, e, false) }

// confirm takes an action of the host's; apply is false if the state has it.
func (ch *annotationsChannel) confirm(c *Client, e ahp.Envelope, apply bool) {
	var own string // what our pending action was about
	if e.From(c.id) {
		if p := takePending(&ch.queue, e); p != nil {
			own = p.id
			if e.RejectionReason != "" {
				e.Action = p.action // an echo need not repeat what it refuses
			} else {
				c.emit(Confirmed{Channel: ch.uri, Action: p.action})
			}
		}
	}
	id, change, err := ahp.DecodeAnnotationChange(e.Action)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	was, wasOwn := ch.shown(id), ch.shown(own)
	if apply && change != nil && e.RejectionReason == "" {
		if next := change(ch.state.Get(id)); next == nil {
			ch.state.Remove(id)
		} else {
			ch.state.Set(next)
		}
		ch.found(c, id)
	}
	ch.replay(id)
	ch.changed(c, id, was)
	if own != "" && own != id {
		ch.replay(own)
		ch.changed(c, own, wasOwn)
	}
	if e.RejectionReason != "" && e.From(c.id) {
		c.emit(rejection(e))
	}
}

func (ch *annotationsChannel) dispatch(c *Client, p *pending) error {
	var err error
	if p.id, p.change, err = ahp.DecodeAnnotationChange(p.action); p.change == nil {
		if err == nil {
			err = errors.New("not an annotations action")
		}
		return err
	}
	was := ch.shown(p.id)
	ch.queue = append(ch.queue, p)
	ch.replay(p.id)
	ch.changed(c, p.id, was)
	return nil
}

func (ch *annotationsChannel) unconfirmed() []*pending { return ch.queue }

func (ch *annotationsChannel) gone(c *Client, why Reason) {
	var changes []AnnotationChange
	for a := range ch.state.All() {
		if shown := ch.shown(a.ID); shown != nil {
			changes = append(changes, AnnotationChange{Old: shown})
		}
	}
	for id, a := range ch.shadow {
		if a != nil && ch.state.Get(id) == nil {
			changes = append(changes, AnnotationChange{Old: a})
		}
	}
	lost := ch.queue
	ch.state, ch.shadow, ch.queue = ahp.NewAnnotations(), map[string]*ahp.Annotation{}, nil
	if len(changes) > 0 {
		c.emit(AnnotationsChanged{Session: ch.session, Changed: changes, Gone: true})
	}
	c.abandon(ch.uri, lost, why)
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
	if c.channels[uri] == nil && c.link.conn == cn {
		// With the mutex held: a later subscribe is sent after this.
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
