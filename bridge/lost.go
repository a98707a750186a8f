package bridge

import (
	"fmt"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// A host that keeps comments in memory only loses them when it is started
// again. What this client knows and such a host does not have any more is kept,
// told as AnnotationsLost, and sent again when the user wants it. Where the same
// host goes on, a comment that is missing was removed by somebody.

// compare looks, in a snapshot that has just been taken, for what the host had
// before it was started again; old is what it had on the last connection.
func (ch *annotationsChannel) compare(c *Client, old *ahp.Annotations) {
	was := slices.Collect(ch.lost.All())
	if c.link.starts != ch.starts {
		for _, known := range []*ahp.Annotations{c.link.forgotten[ch.uri], old} {
			if known == nil {
				continue
			}
			for a := range known.All() {
				ch.lost.Set(a)
			}
		}
		delete(c.link.forgotten, ch.uri)
		ch.starts = c.link.starts
	}
	for a := range ch.lost.All() {
		if ch.state.Get(a.ID) != nil {
			ch.lost.Remove(a.ID)
		}
	}
	if !slices.Equal(was, slices.Collect(ch.lost.All())) {
		ch.emitLost(c)
	}
}

// found notes that the host has an annotation, again.
func (ch *annotationsChannel) found(c *Client, id string) {
	if ch.lost.Get(id) != nil && ch.state.Get(id) != nil {
		ch.lost.Remove(id)
		ch.emitLost(c)
	}
}

func (ch *annotationsChannel) emitLost(c *Client) {
	c.emit(AnnotationsLost{Session: ch.session, Annotations: slices.Collect(ch.lost.All())})
}

// remember keeps what the host had, before its mirrors are dropped.
func (c *Client) remember() {
	if c.link.forgotten == nil {
		c.link.forgotten = map[string]*ahp.Annotations{}
	}
	for _, f := range c.followed {
		known := ahp.NewAnnotations()
		for a := range f.annotations.lost.All() {
			known.Set(a)
		}
		for a := range f.annotations.state.All() {
			known.Set(a)
		}
		if known.Len() > 0 {
			c.link.forgotten[f.annotations.uri] = known
		}
	}
}

// RestoreLost sends the annotations again that the host has lost (see
// AnnotationsLost) and returns how many there are.
func (c *Client) RestoreLost(session string) (int, error) {
	c.mu.Lock()
	f := c.followed[session]
	if f == nil {
		c.mu.Unlock()
		return 0, fmt.Errorf("send the lost comments again: %w: %s", ErrNotFollowed, session)
	}
	channel, lost := f.annotations.uri, slices.Collect(f.annotations.lost.All())
	c.mu.Unlock()
	for _, a := range lost {
		set, err := ahp.SetAnnotation(a)
		if err == nil {
			err = c.Dispatch(channel, set)
		}
		if err != nil {
			return 0, fmt.Errorf("send the lost comments again: %w", err)
		}
	}
	return len(lost), nil
}

// DismissLost forgets them.
func (c *Client) DismissLost(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.followed[session]; f != nil && f.annotations.lost.Len() > 0 {
		f.annotations.lost = ahp.NewAnnotations()
		f.annotations.emitLost(c)
	}
}
