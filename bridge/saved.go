package bridge

import "ahp-lsp/bridge/ahp"

// Saved tells hosts that want to know it that the editor has written files
// (URIs on this machine): an embedded host would take what it finds on disk for
// an agent's work otherwise.
func (c *Client) Saved(files ...string) {
	resources := make([]string, len(files))
	for i, uri := range files {
		resources[i] = c.ToHost(uri)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		return // after the next connection the host looks at everything anew
	}
	for uri, f := range c.followed {
		if f.state == nil || !f.state.Notes().Embedded {
			continue
		}
		if err := c.conn.notify(ahp.NoteSaved, ahp.SavedParams{Channel: uri, Resources: resources}); err != nil {
			c.warn("%s: %v", ahp.NoteSaved, err)
		}
	}
}
