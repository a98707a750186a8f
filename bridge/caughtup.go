package bridge

// emitCaughtUp emits CaughtUp as soon as it is true of the connection; c.mu is
// held. A host that is only tried, because another may have a session of the
// workspace, has not caught up.
func (c *Client) emitCaughtUp() {
	if c.link.conn == nil || c.link.kept != c.link.conn || c.link.caughtUp == c.link.conn {
		return
	}
	for _, f := range c.followed {
		if ch, ok := c.channels[f.annotations.uri]; ok && !ch.base().ready {
			return
		}
	}
	c.link.caughtUp = c.link.conn
	c.emit(CaughtUp{})
}

// keep stays with the host that cn is connected to.
func (c *Client) keep(cn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link.kept = cn
	c.emitCaughtUp()
}
