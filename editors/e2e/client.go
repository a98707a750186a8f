package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const rootChannel = "ahp-root://"

// A Frame is a notification of the host, most often an action.
type Frame struct {
	Method  string // "action", "root/sessionAdded", …
	Channel string
	Type    string          // of an action, e.g. "annotations/updated"
	Body    json.RawMessage // the action; for other notifications their params
}

// Decode reads the frame's body into a value.
func (f Frame) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(f.Body, into); err != nil {
		t.Fatalf("%s %s: %v", f.Method, f.Type, err)
	}
}

// A Client is a small AHP client: the second one, which proves that what the editor did has
// reached the host. It is written straight from the specification and shares nothing with the
// server. All frames are kept, so that a wait also sees what came before it.
type Client struct {
	t    testing.TB
	conn *websocket.Conn
	log  *wireLog

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when a frame arrives
	frames  []Frame
	answers map[int]chan answer
	ids     int
	seq     int
	err     error // why reading ended
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Dial connects, does the handshake as version 0.9.0 and signs in.
func (h *Host) Dial(t testing.TB) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, h.URL+"/?tkn="+url.QueryEscape(h.Token), nil)
	if err != nil {
		t.Fatal("dial the agent host: ", err)
	}
	conn.SetReadLimit(-1)
	c := &Client{t: t, conn: conn, log: newWireLog(t, "client"), changed: make(chan struct{}), answers: map[int]chan answer{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.read()
	}()
	t.Cleanup(func() {
		conn.CloseNow()
		<-done
	})
	c.Request("initialize", map[string]any{
		"channel": rootChannel, "protocolVersions": []string{"0.9.0"},
		"clientId": "second-client-" + rand.Text(), "clientInfo": map[string]string{"name": "e2e"},
		"initialSubscriptions": []string{rootChannel},
	}, nil)
	// Any token will do: the stand-in for GitHub does not look at it.
	c.Request("authenticate", map[string]any{"channel": rootChannel, "resource": "https://api.github.com", "token": "scripted"}, nil)
	return c
}

func (c *Client) read() {
	var message struct {
		ID     *int            `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		answer
	}
	for {
		_, data, err := c.conn.Read(context.Background())
		c.mu.Lock()
		if err != nil {
			c.err = err
			close(c.changed)
			c.mu.Unlock()
			return
		}
		c.log.add("received", data)
		message.ID, message.Method, message.Params, message.answer = nil, "", nil, answer{}
		switch err := json.Unmarshal(data, &message); {
		case err != nil:
			c.err = fmt.Errorf("the host sent %.200q: %w", data, err)
		case message.Method == "" && message.ID != nil:
			if waiting := c.answers[*message.ID]; waiting != nil {
				delete(c.answers, *message.ID)
				waiting <- message.answer
			}
		case message.Method != "" && message.ID == nil:
			c.frames = append(c.frames, newFrame(message.Method, message.Params))
		} // the host's own requests (resourceRead…) are not for a client that offers nothing
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
	}
}

func newFrame(method string, params json.RawMessage) Frame {
	frame := Frame{Method: method, Body: params}
	var fields struct {
		Channel string          `json:"channel"`
		Action  json.RawMessage `json:"action"`
	}
	json.Unmarshal(params, &fields)
	frame.Channel = fields.Channel
	if fields.Action != nil {
		var action struct {
			Type string `json:"type"`
		}
		json.Unmarshal(fields.Action, &action)
		frame.Type, frame.Body = action.Type, fields.Action
	}
	return frame
}

func (c *Client) send(message map[string]any) {
	c.t.Helper()
	message["jsonrpc"] = "2.0"
	data, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	c.log.add("sent", data)
	if err := c.conn.Write(context.Background(), websocket.MessageText, data); err != nil {
		c.t.Fatalf("send %v: %v", message["method"], err)
	}
}

// Request sends a request and waits for its answer; an error answer fails the test. The result
// is decoded into result unless that is nil.
func (c *Client) Request(method string, params any, result any) {
	c.t.Helper()
	got := make(chan answer, 1)
	c.mu.Lock()
	c.ids++
	id := c.ids
	c.answers[id] = got
	c.mu.Unlock()
	c.send(map[string]any{"id": id, "method": method, "params": params})
	select {
	case a := <-got:
		if a.Error != nil {
			c.t.Fatalf("%s: error %d: %s", method, a.Error.Code, a.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				c.t.Fatalf("%s: %v in %.500s", method, err, a.Result)
			}
		}
	case <-time.After(2 * Patience):
		c.t.Fatalf("%s: no answer", method)
	}
}

// Dispatch sends an action.
func (c *Client) Dispatch(channel string, action map[string]any) {
	c.t.Helper()
	c.seq++
	c.send(map[string]any{"method": "dispatchAction", "params": map[string]any{
		"channel": channel, "clientSeq": c.seq, "action": action,
	}})
}

// Subscribe subscribes to a channel and decodes its state. Subscribing again is the way to ask
// for the state as it is now.
func (c *Client) Subscribe(channel string, state any) {
	c.t.Helper()
	var result struct {
		Snapshot struct {
			State json.RawMessage `json:"state"`
		} `json:"snapshot"`
	}
	c.Request("subscribe", map[string]any{"channel": channel}, &result)
	if state != nil {
		if err := json.Unmarshal(result.Snapshot.State, state); err != nil {
			c.t.Fatalf("state of %s: %v in %.500s", channel, err, result.Snapshot.State)
		}
	}
}

// Frames returns all notifications so far. Its length is a place to wait from.
func (c *Client) Frames() []Frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames[:len(c.frames):len(c.frames)]
}

// WaitFor waits for the first notification that fits, among those that came already too.
func (c *Client) WaitFor(what string, fits func(Frame) bool) Frame {
	c.t.Helper()
	frame, _ := c.waitFrom(0, what, fits)
	return frame
}

// waitFrom is WaitFor among the frames from an index on; it also returns the index after the one found.
func (c *Client) waitFrom(from int, what string, fits func(Frame) bool) (Frame, int) {
	c.t.Helper()
	deadline := time.After(2 * Patience)
	for next := from; ; {
		c.mu.Lock()
		frames, changed, err := c.frames, c.changed, c.err
		c.mu.Unlock()
		for ; next < len(frames); next++ {
			if fits(frames[next]) {
				return frames[next], next + 1
			}
		}
		if err != nil {
			c.t.Fatalf("waiting for %s: %v", what, err)
		}
		select {
		case <-changed:
		case <-deadline:
			seen := ""
			for _, frame := range frames[from:] {
				seen += fmt.Sprintf("\n  %s %s %s", frame.Method, frame.Type, frame.Channel)
			}
			c.t.Fatalf("waited in vain for %s; came:%s", what, seen)
		}
	}
}

// WaitState waits until a channel's state fits: it asks for the state, and asks again after each
// action on the channel. The state that fits is returned.
func WaitState[State any](c *Client, channel, what string, fits func(State) bool) State {
	c.t.Helper()
	for from := len(c.Frames()); ; {
		var state State
		c.Subscribe(channel, &state)
		if fits(state) {
			return state
		}
		last, _ := json.Marshal(state)
		_, from = c.waitFrom(from, fmt.Sprintf("%s in %s, which is %.1000s", what, channel, last), func(f Frame) bool {
			return f.Channel == channel
		})
	}
}

// fileURI returns the URI of a file.
func fileURI(path ...string) string {
	return (&url.URL{Scheme: "file", Path: filepath.Join(path...)}).String()
}
