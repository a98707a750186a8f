package githost

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

// client is a connection that speaks in raw frames. Every frame that comes is
// held against the schemas.
type client struct {
	t      testing.TB
	ws     *websocket.Conn
	nextID int

	mu      sync.Mutex
	frames  []ahp.Message // notifications not taken yet
	answers map[string]ahp.Message
	kinds   map[string]bool // of notifications and actions that have come
	arrived chan struct{}   // holds a token when something has come
	ended   chan struct{}
	// lax: frames are not held against the schemas, where time is measured.
	lax bool
}

// raw connects without a handshake.
func raw(t testing.TB, h *Host) *client {
	t.Helper()
	conn, err := h.Dial(context.Background(), "", "")
	require.NoError(t, err)
	return rawOver(t, "ws://localhost/", pipeClient(conn))
}

func rawOver(t testing.TB, url string, o *websocket.DialOptions) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, url, o)
	require.NoError(t, err)
	ws.SetReadLimit(-1)
	_, lax := t.(*testing.B)
	c := &client{t: t, ws: ws, lax: lax, answers: map[string]ahp.Message{}, kinds: map[string]bool{}, arrived: make(chan struct{}, 1), ended: make(chan struct{})}
	go c.run()
	t.Cleanup(c.close)
	return c
}

func (c *client) close() {
	c.ws.CloseNow()
	<-c.ended
}

func (c *client) run() {
	defer close(c.ended)
	for {
		kind, data, err := c.ws.Read(context.Background())
		if err != nil {
			return
		}
		var m ahp.Message
		if kind != websocket.MessageText || json.Unmarshal(data, &m) != nil {
			c.t.Errorf("not a JSON-RPC text frame: %s", data)
			return
		}
		c.mu.Lock()
		if m.Method != "" {
			c.frames = append(c.frames, m)
			c.kinds[kindOf(m)] = true
			if !c.lax {
				checkNotification(c.t, data, m)
			}
		} else {
			c.answers[string(m.ID)] = m
		}
		c.mu.Unlock()
		select {
		case c.arrived <- struct{}{}:
		default:
		}
	}
}

// kindOf is an action's type, or a notification's method.
func kindOf(m ahp.Message) string {
	var e ahp.Envelope
	if m.Method == "action" && json.Unmarshal(m.Params, &e) == nil {
		return e.Action.Type
	}
	return m.Method
}

func (c *client) sendRaw(frame string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(c.t, c.ws.Write(ctx, websocket.MessageText, []byte(frame)))
}

func (c *client) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	data, err := ahp.Marshal(m)
	require.NoError(c.t, err)
	c.sendRaw(string(data))
}

// until waits until a condition on what has come holds.
func (c *client) until(what string, ok func() bool) {
	c.t.Helper()
	waitUntil(c.t, what, &c.mu, ok, c.arrived, c.ended)
}

// call asks and returns the answer.
func (c *client) call(method string, params map[string]any) ahp.Message {
	c.t.Helper()
	c.nextID++
	id := fmt.Sprint(c.nextID)
	c.send(map[string]any{"id": c.nextID, "method": method, "params": params})
	return c.answer(id)
}

func (c *client) answer(id string) (m ahp.Message) {
	c.t.Helper()
	c.until("an answer to "+id, func() (ok bool) {
		m, ok = c.answers[id]
		delete(c.answers, id)
		return ok
	})
	return m
}

// result asks and decodes the result.
func (c *client) result(method string, params map[string]any, into any) {
	c.t.Helper()
	m := c.call(method, params)
	require.Nil(c.t, m.Error, "%s", method)
	if !c.lax {
		checkResult(c.t, method, m.Result)
	}
	if into != nil {
		require.NoError(c.t, json.Unmarshal(m.Result, into))
	}
}

func (c *client) refused(method string, params map[string]any) *ahp.Error {
	c.t.Helper()
	m := c.call(method, params)
	require.NotNil(c.t, m.Error, "%s: %s", method, m.Result)
	return m.Error
}

// handshake starts the connection in a version.
func (c *client) handshake(version, id string) {
	c.t.Helper()
	c.result("initialize", map[string]any{"channel": ahp.RootURI, "protocolVersions": []string{version}, "clientId": id}, nil)
}

// connect is a connection with a handshake in 0.6.0, which the schemas are for.
func connect(t testing.TB, h *Host) *client {
	t.Helper()
	c := raw(t, h)
	c.handshake("0.6.0", "raw-"+t.Name())
	return c
}

// subscribe returns the state of a channel.
func (c *client) subscribe(uri string) json.RawMessage {
	c.t.Helper()
	var r ahp.SubscribeResult
	c.result("subscribe", map[string]any{"channel": uri}, &r)
	require.Equal(c.t, uri, r.Snapshot.Resource)
	return r.Snapshot.State
}

// action waits for an action of a type on a channel and takes it, and everything
// before it on that channel.
func (c *client) action(channel, kind string) (e ahp.Envelope) {
	c.t.Helper()
	c.until(kind+" on "+channel, func() bool {
		for i, m := range c.frames {
			if m.Method != "action" {
				continue
			}
			var got ahp.Envelope
			require.NoError(c.t, json.Unmarshal(m.Params, &got))
			if got.Channel == channel && got.Action.Type == kind {
				e = got
				c.drop(channel, i)
				return true
			}
		}
		return false
	})
	return e
}

// drop forgets the actions on a channel up to the one at i.
func (c *client) drop(channel string, i int) {
	var rest []ahp.Message
	for j, m := range c.frames {
		var p struct{ Channel string }
		_ = json.Unmarshal(m.Params, &p)
		if j > i || p.Channel != channel {
			rest = append(rest, m)
		}
	}
	c.frames = rest
}

// changesetMirror follows a changeset as a client does.
type changesetMirror struct {
	c     *client
	uri   string
	state *ahp.Changeset
	kinds []string // of the actions applied
}

func (c *client) mirror(uri string) *changesetMirror {
	c.t.Helper()
	s, err := ahp.DecodeChangeset(c.subscribe(uri))
	require.NoError(c.t, err)
	return &changesetMirror{c: c, uri: uri, state: s}
}

// until applies actions until a condition on the state holds.
func (m *changesetMirror) until(what string, ok func(*ahp.Changeset) bool) *ahp.Changeset {
	m.c.t.Helper()
	m.c.until(what, func() bool {
		var rest []ahp.Message
		for _, f := range m.c.frames {
			var e ahp.Envelope
			if f.Method != "action" || json.Unmarshal(f.Params, &e) != nil || e.Channel != m.uri {
				rest = append(rest, f)
				continue
			}
			m.kinds = append(m.kinds, e.Action.Type)
			_, _, err := m.state.Apply(e.Action)
			require.NoError(m.c.t, err)
		}
		m.c.frames = rest
		return ok(m.state)
	})
	return m.state
}

func (m *changesetMirror) ready() *ahp.Changeset {
	m.c.t.Helper()
	return m.until("ready "+m.uri, func(s *ahp.Changeset) bool { return s.Status == ahp.ChangesetReady })
}

// files waits until the changeset has just these files, by name.
func (m *changesetMirror) files(w *tree, names ...string) *ahp.Changeset {
	m.c.t.Helper()
	return m.until(fmt.Sprintf("%v in %s", names, m.uri), func(s *ahp.Changeset) bool {
		if s.Status != ahp.ChangesetReady || len(s.Files()) != len(names) {
			return false
		}
		for _, n := range names {
			if s.File(w.uri(n)) == nil {
				return false
			}
		}
		return true
	})
}

func (c *client) dispatch(channel string, seq int, action map[string]any) {
	c.t.Helper()
	c.send(map[string]any{"method": "dispatchAction", "params": map[string]any{"channel": channel, "clientSeq": seq, "action": action}})
}
