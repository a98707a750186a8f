package bridge

import "ahp-lsp/bridge/ahp"

// Saved tells embedded hosts that the editor wrote files (URIs on this
// machine): otherwise they would take the new text for an agent's work.
func (c *Client) Saved(files ...string) {
	resources := make([]string, len(files))
	for i, uri := range files {
		resources[i] = c.ToHost(uri)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link.conn == nil {
		return // the host compares every file after the next connection
	}
	for uri, f := range c.followed {
		if f.state == nil || !f.state.Notes().Embedded {
			continue
		}
		if err := c.link.conn.notify(ahp.NoteSaved, ahp.SavedParams{Channel: uri, Resources: resources}); err != nil {
			c.warn("%s: %v", ahp.NoteSaved, err)
		}
	}
}
