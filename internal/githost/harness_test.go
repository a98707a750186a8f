package githost

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"
	"go.uber.org/goleak"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

func TestMain(m *testing.M) {
	if role := os.Getenv("GITHOST_CHILD"); role != "" {
		os.Exit(child(role))
	}
	// Nobody's own git configuration has a say.
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// tree is a git work tree to test on.
type tree struct {
	t    testing.TB
	root string
}

// newTree makes a repository with one commit on main that has the files, given
// as name and content in turns.
func newTree(t testing.TB, files ...string) *tree {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &tree{t, filepath.Join(root, "demo")}
	require.NoError(t, os.Mkdir(w.root, 0o755))
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "Ada")
	w.git("config", "user.email", "ada@example.org")
	w.git("config", "commit.gpgsign", "false")
	for i := 0; i+1 < len(files); i += 2 {
		w.write(files[i], files[i+1])
	}
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "first")
	return w
}

func (w *tree) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.root}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (w *tree) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }
func (w *tree) uri(name string) string  { return ahp.FileURI(filepath.ToSlash(w.path(name))) }

func (w *tree) write(name, content string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(content), 0o644))
}

func (w *tree) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	require.NoError(w.t, err)
	return string(data)
}

func (w *tree) repo() *gitrepo.Repo {
	w.t.Helper()
	r, err := gitrepo.Open(context.Background(), w.root)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { r.Close() })
	return r
}

// host runs a Host on the work tree until the test ends.
func (w *tree) host(adjust ...func(*Options)) *Host {
	w.t.Helper()
	h, closeHost := w.startHost(adjust...)
	w.t.Cleanup(closeHost)
	return h
}

func (w *tree) startHost(adjust ...func(*Options)) (*Host, func()) {
	w.t.Helper()
	o := Options{Log: testLog(w.t), Info: ahp.Implementation{Name: "ahp-lsp", Version: "test"}}
	for _, f := range adjust {
		f(&o)
	}
	h, err := Open(context.Background(), w.repo(), o)
	require.NoError(w.t, err)
	if h.watch != nil {
		await(w.t, h.watch.ready)
	}
	return h, func() { require.NoError(w.t, h.Close()) }
}

// brief is a host that neither watches nor guesses.
func brief(o *Options) { o.Brief = true }

func await(t testing.TB, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		require.FailNow(t, "waited in vain")
	}
}

// client is a connection that speaks in raw frames. Every frame that comes is
// held against the schemas.
type client struct {
	t      testing.TB
	ws     *websocket.Conn
	nextID int

	mu      sync.Mutex
	frames  []ahp.Message // notifications not taken yet
	answers map[string]ahp.Message
	arrived chan struct{} // holds a token when something has come
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
	c := &client{t: t, ws: ws, lax: lax, answers: map[string]ahp.Message{}, arrived: make(chan struct{}, 1), ended: make(chan struct{})}
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

func (c *client) sendRaw(frame string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(c.t, c.ws.Write(ctx, websocket.MessageText, []byte(frame)))
}

func (c *client) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	data, err := encode(m)
	require.NoError(c.t, err)
	c.sendRaw(string(data))
}

// until waits until a condition on what has come holds.
func (c *client) until(what string, ok func() bool) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		done := ok()
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-c.arrived:
		case <-c.ended:
			require.FailNow(c.t, "the connection ended; waited for "+what)
		case <-deadline:
			require.FailNow(c.t, "waited in vain for "+what)
		}
	}
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

func testLog(t testing.TB) commonlog.Logger { return &logger{t: t} }

// logger writes to the test's log.
type logger struct {
	commonlog.Logger
	t  testing.TB
	mu sync.Mutex
	// ended: a test's log must not be written to any more.
	ended bool
}

func (l *logger) write(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.t.Logf(format, args...)
	}
}

func (l *logger) Errorf(format string, args ...any)   { l.write("error: "+format, args...) }
func (l *logger) Warningf(format string, args ...any) { l.write("warning: "+format, args...) }
func (l *logger) Infof(format string, args ...any)    { l.write("info: "+format, args...) }
