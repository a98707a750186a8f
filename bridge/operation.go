package bridge

import (
	"context"
	"fmt"

	"ahp-lsp/bridge/ahp"
)

// Invoke runs an operation the host offers on a changeset and waits for its
// outcome (invokeChangesetOperation). There is no time limit but ctx: a commit hook
// may take minutes. Errors: ErrNotConnected, and nothing ran; ErrDisconnected, and
// whether it ran is not known; the host's own as *ahp.Error.
func (c *Client) Invoke(ctx context.Context, channel, operation string, target *ahp.OperationTarget) (ahp.InvokeResult, error) {
	var r ahp.InvokeResult
	cn, err := c.live()
	if err != nil {
		return r, err
	}
	err = cn.call(ctx, "invokeChangesetOperation", ahp.InvokeParams{Channel: channel, OperationID: operation, Target: target}, &r)
	if wrongType(err) {
		// It ran; only a part of its answer is lost.
		c.warn("operation %s: %v", operation, err)
		err = nil
	}
	if err != nil {
		return r, fmt.Errorf("operation %s: %w", operation, err)
	}
	return r, nil
}
