package bridge

import (
	"context"
	"net"
	"time"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
)

// Config is what a Client needs to know. The zero value of each member is a
// usable default except for OnChange.
type Config struct {
	// Hosts returns the hosts to try, best first, each time a connection is
	// about to be made: tokens and endpoints may have changed since. None is
	// not an error: the client asks again later.
	Hosts func() []Host

	// Session pins one session by URI; SessionAll takes every session that
	// works in the workspace; "" takes the newest few of them.
	Session string

	// Roots are the workspace's folders, file URIs on this machine.
	Roots []string

	// PathMap translates URIs where the host runs on another machine.
	PathMap []PathMapping

	// Changesets are the kinds of changesets to show hunks from, most wanted
	// first; the next one is used where one is empty. None, or where a session
	// offers none of them: the agent's own, see baseline.go.
	Changesets []string

	// Baseline is what SelectBaseline chose on an earlier Client; "" is nothing.
	Baseline string

	// MaxSessions is how many sessions of the workspace are followed at once
	// without SessionAll; 0 is DefaultMaxSessions.
	MaxSessions int

	// Dial opens the network connection under the WebSocket in place of the
	// real network, to every host without a Dial of its own; nil is the real one. For ws+unix
	// and ws+pipe the network is "unix" and the address the path of the socket or
	// of the pipe.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// ReadLimit is the largest frame accepted, in bytes; 0 is DefaultReadLimit.
	ReadLimit int64

	Info ahp.Implementation // as which the client introduces itself
	Log  commonlog.Logger

	// OnChange takes every change, in order. See the package comment for what
	// it may do.
	OnChange func(Change)
}

// Host is one way to reach a host.
type Host struct {
	URL   string // ws, wss, ws+unix or ws+pipe
	Token string // added to the URL as tkn; "" for none. A tkn in the URL counts instead
	Err   error  // why this host cannot be tried, e.g. an unreadable token file

	// Dial opens connections to this host in its own way, as one in this process
	// does; nil is Config.Dial.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// PathMapping says that what the host calls Host is Local on this machine.
// Both are URI (or path) prefixes that end at a path separator or at the end.
type PathMapping struct {
	Host  string `json:"host"`
	Local string `json:"local"`
}

// SessionAll as Config.Session follows every session of the workspace.
const SessionAll = "all"

// Defaults of Config.
const (
	DefaultMaxSessions = 8
	DefaultReadLimit   = 256 << 20 // in bytes
)

// Times of the connection. A connection that died silently (a laptop
// that slept, a cable pulled) is noticed within pingEvery + deadAfter.
const (
	dialTimeout    = 10 * time.Second
	requestTimeout = 60 * time.Second
	pingEvery      = 5 * time.Second
	deadAfter      = 12 * time.Second
	retryFirst     = 250 * time.Millisecond
	retryMost      = 10 * time.Second
	// flushTime is how long the end waits for what is on its way to the host.
	flushTime = time.Second
)
