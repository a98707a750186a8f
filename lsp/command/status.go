package command

import (
	"context"
	"encoding/json"
	"errors"

	"ahp-lsp/lsp/view"
)

// errNoHost: no host is followed.
var errNoHost = errors.New("not connected to an agent host")

// status is ahp.status.
func (c *Commands) status(context.Context, json.RawMessage) (view.Status, error) {
	return c.view().Status(), nil
}

// reconnect is ahp.reconnect.
func (c *Commands) reconnect(context.Context, json.RawMessage) (Result, error) {
	if host := c.host(); host != nil {
		host.Reconnect()
	}
	return done(), nil
}
