package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
)

// Client follows the sessions of a workspace on an agent host. Make one with
// New, start it with Run. See the package comment for the concurrency rules.
type Client struct {
	cfg  Config
	log  commonlog.Logger
	id   string        // clientId: stable for the life of the process
	dial dialer        // nil: the real network
	kick chan struct{} // holds a token while an early retry is asked for

	content *contentCache
	paths   atomic.Pointer[paths] // read without the mutex: it may be held for a large snapshot
	lists   chan struct{}         // holds a token while sessions are listed

	mu sync.Mutex // guards everything below; never held while a socket is waited for

	conn       *conn // shaken hands and alive, or nil
	connection Connection
	version    string
	server     string // name and version of the host, if it says them
	host       string // shown address of the host the mirrors came from
	lastSeq    int64  // highest serverSeq seen
	clientSeq  int64

	roots   []string // canonical URIs
	session string   // "", SessionAll or the pinned session's URI
	// baseline is the kind or the URI of the changeset that the user wants to see
	// hunks from; "" leaves it to the configuration.
	baseline string

	listed   map[string]ahp.SessionSummary
	listing  map[string]ahp.SessionSummary // the pages so far of a list under way; nil if none is
	order    []string                      // listed sessions, newest first
	refused  map[string]Reason
	followed map[string]*followed
	channels map[string]channel

	peeks map[string]*peeked // changesets read once, by channel

	// oversized channels are left out: their snapshot is larger than the read
	// limit, and asking again would only end the connection again.
	oversized map[string]bool
	careful   bool     // subscribe one channel at a time, to find the oversized one
	waiting   []string // channels whose subscribe is unanswered, oldest first
	held      []string // in careful mode: channels still to be subscribed

	trial   bool            // whether to stay with this host depends on its sessions
	noticed map[string]bool // texts of the notices already given
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
		cfg: cfg, log: cfg.Log, id: "ahp-lsp-" + uuid.NewString(), dial: cfg.Dial, kick: make(chan struct{}, 1),
		content: newContentCache(contentCacheBytes),
		session: cfg.Session, baseline: cfg.Baseline,
		listed: map[string]ahp.SessionSummary{}, refused: map[string]Reason{},
		followed: map[string]*followed{}, channels: map[string]channel{}, oversized: map[string]bool{},
		lists: make(chan struct{}, 1), noticed: map[string]bool{},
	}
	c.setRoots(cfg.Roots)
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
func (c *Client) warn(format string, args ...any) { c.log.Warningf(format, args...) }

// SetRoots replaces the workspace's folders (file URIs on this machine) and
// follows the sessions that now match.
func (c *Client) SetRoots(roots []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := slices.Clone(c.roots)
	c.setRoots(roots)
	clear(c.refused) // what works elsewhere may work here now
	c.choose()
	if len(c.followed) == 0 && c.conn != nil && c.pinned() == "" && !slices.Equal(before, c.roots) {
		c.conn.finish(errNoSession) // another host may have one
	}
}

func (c *Client) setRoots(roots []string) {
	c.roots = c.roots[:0]
	for _, r := range roots {
		c.roots = append(c.roots, prefixURI(r))
	}
	c.paths.Store(newPaths(c.cfg.PathMap, c.roots))
}

// Select pins one session by URI, or follows all (SessionAll) or the newest
// ("") of the workspace.
func (c *Client) Select(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = session
	clear(c.refused)
	c.choose()
}

// Reconnect drops the connection, if there is one, and tries again at once.
// Channels that were too large to be read are asked for again.
func (c *Client) Reconnect() {
	c.mu.Lock()
	conn := c.conn
	clear(c.oversized)
	c.mu.Unlock()
	if conn != nil {
		conn.end(errReconnect)
	}
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// Connection tells how the connection is.
func (c *Client) Connection() Connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connection
}

// Version is the negotiated protocol version, "" before the first handshake.
func (c *Client) Version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// ToLocal translates a resource of the host's into a canonical URI on this
// machine, by Config.PathMap and the symbolic links in the roots. What neither
// covers is called the same on both sides.
func (c *Client) ToLocal(resource string) string { return c.paths.Load().local(resource) }

// ToHost translates a URI on this machine into the host's.
func (c *Client) ToHost(uri string) string { return c.paths.Load().host(uri) }

// ErrNotConnected: there is no connection to a host; nothing was sent.
var ErrNotConnected = errors.New("not connected to an agent host")

var errReconnect = errors.New("connecting anew, as asked")

// live returns the connection to send on.
func (c *Client) live() (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.conn != nil:
		return c.conn, nil
	case c.connection.Err != nil:
		// Not wrapped: it may be an ErrDisconnected, and this request is not lost.
		return nil, fmt.Errorf("%w: %v", ErrNotConnected, c.connection.Err)
	}
	return nil, ErrNotConnected
}

// Sessions asks the host for all of its sessions (listSessions), newest first.
// Errors: ErrNotConnected, ErrDisconnected, the host's own as *ahp.Error, ctx's.
func (c *Client) Sessions(ctx context.Context) ([]SessionInfo, error) {
	if err := c.list(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.choose()
	return c.sessionInfos(), nil
}
