package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/coder/websocket"

	"ahp-lsp/bridge/ahp"
)

// Run keeps the client connected until ctx ends, whose error it returns.
// Failures are not fatal: Run reports them through OnChange and tries again.
func (c *Client) Run(ctx context.Context) error {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.link.outage.stop()
	}()
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = retryFirst, retryMost
	for {
		lived, err := c.connectOnce(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, errNoSession) {
			continue // the folders changed: look at the hosts again
		}
		if lived >= retryMost {
			wait.Reset() // not for a host that shakes hands and falls over
		}
		delay := wait.NextBackOff()
		if slowRetry(err) {
			delay = retryMost
		}
		if errors.Is(err, errTooBig) {
			c.mu.Lock()
			delay = max(delay, c.snapshots.delay())
			c.mu.Unlock()
		}
		c.report(err, delay)
		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-c.wake:
			timer.Stop()
			wait.Reset()
		case <-timer.C:
		}
	}
}

// slowRetry reports whether trying again at once is pointless.
func slowRetry(err error) bool {
	return errors.Is(err, ErrForbidden) || errors.Is(err, ErrBadURL) || errors.Is(err, ErrVersion) || ahp.Is(err, ahp.CodeVersion)
}

func (c *Client) report(err error, delay time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := Connection{State: Disconnected, Host: c.link.connection.Host, Err: err, Retry: delay}
	if err == nil {
		state = Connection{State: Searching, Retry: delay}
	}
	c.setConnection(state)
}

// setConnection tells a new state, unless only the delay differs.
func (c *Client) setConnection(s Connection) {
	old := c.link.connection
	c.link.connection = s
	c.link.outage.watch(c, s)
	if old.State == s.State && old.Host == s.Host && errorText(old.Err) == errorText(s.Err) && old.Version == s.Version {
		return
	}
	c.emit(ConnectionChanged{Connection: s})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// connectOnce tries the hosts and stays with the first that has a session of
// the workspace, or else with the first that shakes hands, until that connection
// ends; lived is for how long. The error is nil when there is no host to try.
func (c *Client) connectOnce(ctx context.Context) (lived time.Duration, err error) {
	var failed error
	var spare *Host
	c.mu.Lock()
	last := c.link.host
	c.mu.Unlock()
	hosts := lastHostFirst(c.cfg.Hosts(), last)
	for i, h := range hosts {
		if h.Err != nil {
			failed = h.Err
			continue
		}
		began := time.Now()
		ok, err := c.attempt(ctx, h, len(hosts) > 1)
		if ok || ctx.Err() != nil {
			return time.Since(began), err
		}
		if !errors.Is(err, errNoSession) {
			failed = err
		} else if spare == nil {
			spare = &hosts[i]
		}
	}
	if spare != nil {
		began := time.Now()
		_, err := c.attempt(ctx, *spare, false)
		return time.Since(began), err
	}
	return 0, failed
}

// lastHostFirst puts the host that was connected last in front: what is known of
// it, and what waits to be sent to it, is dropped when another one answers.
func lastHostFirst(hosts []Host, last string) []Host {
	out := slices.Clone(hosts)
	slices.SortStableFunc(out, func(a, b Host) int {
		rank := func(h Host) int {
			if t, err := parseTarget(h); err == nil && last != "" && t.shown == last {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	return out
}

// errNoSession: the host has no session of this workspace; another may.
var errNoSession = errors.New("the host has no session of this workspace")

// attempt dials one host. shaken reports whether the handshake succeeded and,
// if the host must have one, a session of the workspace was found.
func (c *Client) attempt(ctx context.Context, h Host, mustHave bool) (shaken bool, err error) {
	t, err := parseTarget(h)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	if c.link.connection.State == Searching {
		c.setConnection(Connection{State: Connecting, Host: t.shown})
	}
	c.link.connection.Host = t.shown
	c.link.trial = mustHave
	c.mu.Unlock()

	dial := c.cfg.Dial
	if h.Dial != nil {
		dial = h.Dial
	}
	ws, err := t.connect(ctx, c.cfg.ReadLimit, dial)
	if err != nil {
		return false, err
	}
	var cn *conn
	cn = newConn(ctx, ws, func(m ahp.Message) { c.receive(cn, m) }, c.warn)
	ended := make(chan error, 1)
	go func() { ended <- cn.run() }()

	err = c.shakeHands(ctx, cn, t.shown)
	if err == nil && mustHave && !c.following(ctx, cn) {
		err = errNoSession
	}
	if err == nil {
		shaken = true
		c.keep(cn)
		c.noticeAtStart(t, h)
		err = <-ended
	} else {
		cn.end(err)
		<-ended
	}
	c.lost(cn, err)
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return shaken, fmt.Errorf("%w: %w: it sent more than the read limit of %d bytes in one message; raise the setting readLimit", ErrDisconnected, errTooBig, c.cfg.ReadLimit)
	}
	if shaken && !errors.Is(err, ErrDisconnected) {
		err = fmt.Errorf("%w: %w", ErrDisconnected, closeCause(err))
	}
	return shaken, err
}

// noticeAtStart tells the user, once each, what a new connection shows: that
// others can read its token, that the host has nothing for them yet.
func (c *Client) noticeAtStart(t target, h Host) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.exposed && h.Dial == nil {
		c.notice(NoticeWarning, "the token goes to %s unencrypted, where others can read it; use wss://, or a tunnel to this machine", t.shown)
	}
	if len(c.followed) == 0 && c.pinned() == "" && len(c.workspace.roots) > 0 {
		c.notice(NoticeInfo, "no agent session works here; \"ahp-lsp doctor\" says why")
	}
}

// closeCause says why a connection ended in fewer words than the libraries.
func closeCause(err error) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed) && closed.Reason != "":
		return fmt.Errorf("the host closed it: %s (%d)", closed.Reason, closed.Code)
	case errors.As(err, &closed):
		return fmt.Errorf("the host closed it (%d)", closed.Code)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return errors.New("the host is gone")
	}
	return err
}

// lost clears what belonged to a connection that has ended.
func (c *Client) lost(cn *conn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link.conn != cn {
		if errors.Is(err, websocket.ErrMessageTooBig) {
			// Within the handshake: to resume would only bring it again.
			if c.snapshots.single || len(c.channels) == 0 {
				c.snapshots.unexplained++
			}
			c.snapshots.single = true
		}
		return
	}
	c.link.conn = nil
	if errors.Is(err, websocket.ErrMessageTooBig) {
		c.tooBig()
	} else {
		c.snapshots.unexplained = 0
	}
}

// tooBig finds out which snapshot was too large: first by asking for them one
// at a time, then by leaving out the one that was being waited for.
func (c *Client) tooBig() {
	if c.snapshots.single && len(c.snapshots.waiting) == 1 {
		uri := c.snapshots.waiting[0]
		c.snapshots.oversized[uri] = true
		c.snapshots.single = false
		c.notice(NoticeError, "%s is larger than the read limit of %d bytes and is left out; raise the setting readLimit to see it", uri, c.cfg.ReadLimit)
		c.snapshots.unexplained = 0
		c.drop(uri, Reason{Kind: ReasonTooLarge})
		return
	}
	if c.snapshots.single || len(c.snapshots.waiting) == 0 {
		c.snapshots.unexplained++ // no snapshot: asking for them one at a time finds nothing
	}
	c.snapshots.single = true
}

// errTooBig: the host sent more than the read limit in one message.
var errTooBig = errors.New("a message is too large")

// receive handles one request or notification of the host.
func (c *Client) receive(cn *conn, m ahp.Message) {
	if len(m.ID) > 0 && string(m.ID) != "null" {
		cn.refuse(m)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m.Method {
	case "action":
		e, err := ahp.DecodeEnvelope(m.Params)
		if err != nil {
			c.warn("an action cannot be read in full: %v", err)
		}
		c.take(e)
	case ahp.NoteSessionAdded, ahp.NoteSessionRemoved, ahp.NoteSessionSummaryChanged:
		c.rootNote(m)
	case ahp.NoteAuthRequired:
		c.notice(NoticeWarning, "the agent host asks for a sign-in: sign in where the host runs (its own window); reviewing goes on without it")
	}
}

// take puts one action where it belongs.
func (c *Client) take(e ahp.Envelope) {
	c.link.lastSeq = max(c.link.lastSeq, e.ServerSeq)
	ch, ok := c.channels[e.Channel]
	if !ok {
		return // root actions, and channels given up a moment ago
	}
	m := ch.base()
	if !m.ready {
		m.early = append(m.early, e)
		return
	}
	if e.ServerSeq != 0 && e.ServerSeq <= m.seq {
		// The snapshot had it already.
		if d, ok := ch.(dispatcher); ok && e.From(c.id) {
			d.acknowledged(c, e)
		}
		return
	}
	m.seq = max(m.seq, e.ServerSeq)
	ch.reduce(c, e)
}

// following reports whether any session is followed. A pinned one may be a draft
// that no list has: whether the host knows it shows when it is subscribed.
func (c *Client) following(ctx context.Context, cn *conn) bool {
	c.mu.Lock()
	ch, _ := c.channels[c.pinned()].(*sessionChannel)
	c.mu.Unlock()
	if ch != nil {
		select {
		case <-ch.known:
		case <-cn.live.Done():
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link.trial = false
	return len(c.followed) > 0
}
