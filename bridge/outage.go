package bridge

import (
	"time"

	"ahp-lsp/bridge/remote"
)

// outageAfter is how long a host has to be away before that is an outage, and
// how long it has to be back before the outage is over: a host that comes and
// goes is one outage, not one for each time.
const outageAfter = 5 * time.Second

// outage watches how long the connection is away. The Client's mutex guards it.
type outage struct {
	since     time.Time // when the connection was lost, or first could not be made; zero while it is up
	told      bool
	returning bool        // the connection is back, for less than outageAfter
	timer     *time.Timer // until the outage is told, or is over
	stopped   bool        // nothing is told any more
}

// watch takes the connection's state; c.mu is held.
func (o *outage) watch(c *Client, s Connection) {
	switch up := s.State == Connected; {
	case o.stopped:
	case up && !o.since.IsZero() && !o.returning:
		o.returning = true
		o.schedule(c, outageAfter, o.over)
	case up:
	case o.since.IsZero():
		if s.State == Disconnected || s.State == Searching && c.link.host != "" {
			o.since = time.Now()
			o.schedule(c, outageAfter, o.lasts)
		}
	case o.returning:
		o.returning = false
		o.schedule(c, max(0, outageAfter-time.Since(o.since)), o.lasts)
	}
}

// schedule calls next, with c.mu held, unless something else is scheduled first.
func (o *outage) schedule(c *Client, after time.Duration, next func(*Client)) {
	if o.timer != nil {
		o.timer.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(after, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if o.timer == timer && !o.stopped {
			next(c)
		}
	})
	o.timer = timer
}

// stop ends the watch; c.mu is held.
func (o *outage) stop() {
	o.stopped = true
	if o.timer != nil {
		o.timer.Stop()
	}
}

func (o *outage) lasts(c *Client) {
	if !o.told {
		o.told = true
		c.emit(OutageChanged{Outage: remote.Outage{Host: c.link.connection.Host, Since: o.since, Err: c.link.connection.Err}})
	}
}

func (o *outage) over(c *Client) {
	if o.told {
		c.emit(OutageChanged{Outage: remote.Outage{Host: c.link.connection.Host, Since: o.since, Over: true}})
	}
	o.since, o.told, o.returning = time.Time{}, false, false
}
