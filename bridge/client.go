package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
)

// Client follows the sessions of a workspace on an agent host. Make one with
// New, start it with Run. See the package comment for the concurrency rules.
type Client struct {
	cfg     Config
	id      string        // clientId: stable for the life of the process
	wake    chan struct{} // holds a token while an early retry is asked for
	content *contentCache

	mu sync.Mutex // guards everything below; never held during I/O on a socket

	link      link
	workspace workspace
	session   string // "", SessionAll or the pinned session's URI
	// baseline is the kind or the URI of the changeset that the user wants to see
	// hunks from; "" leaves it to the configuration.
	baseline string

	list      sessionList
	followed  map[string]*followed
	channels  map[string]channel
	peeks     map[string]*peeked // changesets read once, by channel
	snapshots snapshotQueue

	noticed map[string]bool // texts of the notices already given
}

// link is the connection to a host, and what outlives one.
type link struct {
	conn       *conn // past its handshake and alive, or nil
	connection Connection
	version    string
	server     string // name and version of the host, if it says them
	host       string // shown address of the host the mirrors came from
	lastSeq    int64  // highest serverSeq seen
	clientSeq  int64
	// starts counts the hosts met: one that was started again is another one.
	starts int
	seen   map[string]int64 // the highest serverSeq of each host, by shown address
	// forgotten are the annotations that earlier hosts had, by channel: a host
	// may come back under another address.
	forgotten map[string]*ahp.Annotations
	outage    outage
	trial     bool  // whether to stay with this host depends on its sessions
	kept      *conn // the connection to the host that is stayed with
	caughtUp  *conn // the connection for which CaughtUp was emitted
}

// channel is the mirror of one subscribed channel. Its methods are called with
// the Client's mutex held.
type channel interface {
	// base is the part that all mirrors share.
	base() *mirror
	// snapshot takes the channel's whole state.
	snapshot(c *Client, state json.RawMessage)
	// reduce applies one action that the host has confirmed.
	reduce(c *Client, e ahp.Envelope)
	// gone ends the mirror, which is out of c.channels already. why is the zero
	// Reason if the client gave the channel up, else why it cannot be mirrored.
	gone(c *Client, why Reason)
}

// mirror is what every channel keeps.
type mirror struct {
	uri   string
	ready bool           // a snapshot has been taken on this or a resumed connection
	seq   int64          // of the newest state taken
	early []ahp.Envelope // actions that came before the snapshot
}

func (m *mirror) base() *mirror { return m }

// New returns a Client that is not connected yet.
func New(cfg Config) *Client {
	if cfg.Log == nil {
		cfg.Log = commonlog.GetLogger("ahp.bridge")
	}
	if cfg.MaxSessions <= 0 {
		cfg.MaxSessions = DefaultMaxSessions
	}
	if cfg.ReadLimit <= 0 {
		cfg.ReadLimit = DefaultReadLimit
	}
	if cfg.Info.Name == "" {
		cfg.Info.Name = "ahp-lsp"
	}
	c := &Client{
		cfg: cfg, id: "ahp-lsp-" + uuid.NewString(), wake: make(chan struct{}, 1),
		content: newContentCache(contentCacheBytes),
		session: cfg.Session, baseline: cfg.Baseline, list: newSessionList(),
		followed: map[string]*followed{}, channels: map[string]channel{},
		snapshots: snapshotQueue{oversized: map[string]bool{}}, noticed: map[string]bool{},
	}
	c.workspace.set(cfg.Roots, cfg.PathMap)
	return c
}

// emit hands a change to the owner; c.mu is held.
func (c *Client) emit(ch Change) { c.cfg.OnChange(ch) }

// notice tells the user something, once.
func (c *Client) notice(severity NoticeSeverity, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !c.noticed[text] {
		c.noticed[text] = true
		c.emit(Notice{Severity: severity, Text: text})
	}
}

// warn logs a fault of the host's, once, where it was met.
func (c *Client) warn(format string, args ...any) { c.cfg.Log.Warningf(format, args...) }

// SetRoots replaces the workspace's folders (file URIs on this machine) and
// follows the sessions that now match.
func (c *Client) SetRoots(roots []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := slices.Clone(c.workspace.roots)
	c.workspace.set(roots, c.cfg.PathMap)
	clear(c.list.refused) // what works elsewhere may work here now
	c.choose()
	if len(c.followed) == 0 && c.link.conn != nil && c.pinned() == "" && !slices.Equal(before, c.workspace.roots) {
		c.link.conn.finish(errNoSession) // another host may have one
	}
}

// Select pins one session by URI, or follows all (SessionAll) or the newest
// ("") of the workspace.
func (c *Client) Select(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = session
	clear(c.list.refused)
	c.choose()
}

// Reconnect drops the connection, if there is one, and tries again at once.
// Channels that were too large to be read are asked for again.
func (c *Client) Reconnect() {
	c.mu.Lock()
	conn := c.link.conn
	clear(c.snapshots.oversized)
	c.snapshots.unexplained = 0
	c.mu.Unlock()
	if conn != nil {
		conn.end(errReconnect)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Connection tells how the connection is.
func (c *Client) Connection() Connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link.connection
}

// Version is the negotiated protocol version, "" before the first handshake.
func (c *Client) Version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link.version
}

// ToLocal translates a resource of the host's into a canonical URI on this
// machine, by Config.PathMap and the symbolic links in the roots. What neither
// covers is called the same on both sides.
func (c *Client) ToLocal(resource string) string { return c.workspace.paths.Load().local(resource) }

// ToHost translates a URI on this machine into the host's.
func (c *Client) ToHost(uri string) string { return c.workspace.paths.Load().host(uri) }

// ErrNotConnected is package remote's.
var ErrNotConnected = remote.ErrNotConnected

var errReconnect = errors.New("a new connection was asked for")

// live returns the connection to send on.
func (c *Client) live() (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.link.conn != nil:
		return c.link.conn, nil
	case c.link.connection.Err != nil:
		// Not wrapped: it may be an ErrDisconnected, and this request is not lost.
		return nil, fmt.Errorf("%w: %v", ErrNotConnected, c.link.connection.Err)
	}
	return nil, ErrNotConnected
}

// Sessions asks the host for all of its sessions (listSessions), newest first.
// Errors: ErrNotConnected, ErrDisconnected, the host's own as *ahp.Error, ctx's.
func (c *Client) Sessions(ctx context.Context) ([]SessionInfo, error) {
	if err := c.readList(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.choose()
	return c.sessionInfos(), nil
}
