package bridge

// tellCaughtUp emits CaughtUp as soon as it is true of the connection; c.mu is
// held. A host that is only tried, because another may have a session of the
// workspace, has not caught up.
func (c *Client) tellCaughtUp() {
	if c.conn == nil || c.kept != c.conn || c.caughtUp == c.conn {
		return
	}
	for _, f := range c.followed {
		if ch, ok := c.channels[f.annotations.uri]; ok && !ch.base().ready {
			return
		}
	}
	c.caughtUp = c.conn
	c.emit(CaughtUp{})
}

// keep stays with the host that cn is connected to.
func (c *Client) keep(cn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = cn
	c.tellCaughtUp()
}
