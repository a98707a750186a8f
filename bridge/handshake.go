package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// shakeHands resumes what was followed on this host, or starts afresh.
func (c *Client) shakeHands(ctx context.Context, cn *conn, host string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	again := false // the host has been started again
	c.mu.Lock()
	resume := c.link.host == host && len(c.channels) > 0 && !c.snapshots.single
	c.mu.Unlock()
	if resume {
		err := c.resume(ctx, cn)
		if err == nil {
			return c.relist(ctx)
		}
		var refusal *ahp.Error
		if !errors.As(err, &refusal) {
			return err
		}
		// Forgotten there, or resuming is not its strength: afresh.
		again = refusal.Code == ahp.CodeNotFound
	}
	if err := c.initialize(ctx, cn, host, again); err != nil {
		return err
	}
	return c.relist(ctx)
}

func (c *Client) initialize(ctx context.Context, cn *conn, host string, again bool) error {
	params := ahp.InitializeParams{
		Channel: ahp.RootURI, ProtocolVersions: ahp.Versions(), ClientID: c.id,
		ClientInfo: &c.cfg.Info, InitialSubscriptions: []string{ahp.RootURI},
	}
	return c.await(ctx, cn, "initialize", params, func(raw json.RawMessage) error {
		var r ahp.InitializeResult
		if err := json.Unmarshal(raw, &r); err != nil && !wrongType(err) {
			return fmt.Errorf("the host's answer cannot be read: %w", err)
		}
		switch {
		case r.ProtocolVersion == "":
			return errors.New("the host named no protocol version")
		case !slices.Contains(params.ProtocolVersions, r.ProtocolVersion):
			return fmt.Errorf("%w: the host chose %.40q, ahp-lsp offered %s: update the older one",
				ErrVersion, r.ProtocolVersion, strings.Join(params.ProtocolVersions, ", "))
		}
		c.meet(host, r.ServerSeq, again)
		c.link.host, c.link.version, c.link.lastSeq, c.link.server = host, r.ProtocolVersion, r.ServerSeq, ""
		if r.ServerInfo != nil {
			c.link.server = strings.TrimSpace(r.ServerInfo.Name + " " + r.ServerInfo.Version)
		}
		c.connected(cn)
		c.restore()
		for _, uri := range slices.Sorted(maps.Keys(c.channels)) {
			c.channels[uri].base().ready = false
			c.requestSnapshot(uri)
		}
		return nil
	})
}

// meet finds out whether a host is the one whose mirrors there are, and whether
// it went on since. again: it says that it did not.
func (c *Client) meet(host string, seq int64, again bool) {
	if c.link.seen == nil {
		c.link.seen = map[string]int64{}
	}
	if c.link.host != "" {
		c.link.seen[c.link.host] = c.link.lastSeq
	}
	last, known := c.link.seen[host]
	if c.link.host != host {
		c.remember()
		c.forgetHost() // nothing of the old one is true here
	}
	if again || !known || seq < last {
		c.link.starts++
	} else if c.link.host != host {
		clear(c.link.forgotten) // it has what it had
	}
}

// connected makes cn the live connection.
func (c *Client) connected(cn *conn) {
	c.link.conn = cn
	c.snapshots.waiting, c.snapshots.held = nil, nil
	c.setConnection(Connection{State: Connected, Host: c.link.host, Version: c.link.version, Server: c.link.server})
}

// await sends a request whose answer is taken on the reading goroutine, with
// the mutex held, before any frame behind it is looked at.
func (c *Client) await(ctx context.Context, cn *conn, method string, params any, take func(json.RawMessage) error) error {
	done := make(chan error, 1)
	forget := cn.start(method, params, func(m ahp.Message, err error) {
		if err == nil {
			c.mu.Lock()
			err = take(m.Result)
			c.mu.Unlock()
		}
		done <- err
	})
	select {
	case <-ctx.Done():
		forget()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("%s: no answer within %s: %w", method, requestTimeout, ctx.Err())
		}
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case err := <-done:
		if err == nil {
			return nil
		}
		return explain(method, err)
	}
}

// explain turns a host's refusal into a sentence that says what to do.
func explain(method string, err error) error {
	var e *ahp.Error
	if errors.As(err, &e) && e.Code == ahp.CodeVersion {
		if theirs := e.SupportedVersions(); len(theirs) > 0 {
			return &versionError{theirs: theirs, refusal: err}
		}
	}
	return fmt.Errorf("%s: %w", method, err)
}

// ErrVersion: the host chose a protocol version that was not offered.
var ErrVersion = errors.New("protocol version not offered")

// versionError says which versions do not go together; the host's own sentence
// would repeat half of it.
type versionError struct {
	theirs  []string
	refusal error
}

func (e *versionError) Error() string {
	return fmt.Sprintf("the host speaks the Agent Host Protocol %s, ahp-lsp %s: update the older one",
		strings.Join(e.theirs, ", "), strings.Join(ahp.Versions(), ", "))
}

func (e *versionError) Unwrap() error { return e.refusal }
