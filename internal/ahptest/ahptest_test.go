package ahptest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"ahp-lsp/bridge/ahp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const one = "ahp-session:/1"

// peer is a bare client.
type peer struct {
	t  *testing.T
	ws *websocket.Conn
}

func connect(t *testing.T, h *Host, url string) (*peer, *http.Response, error) {
	transport := &http.Transport{DialContext: h.Dial, DisableKeepAlives: true}
	ws, resp, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		return nil, resp, err
	}
	t.Cleanup(func() { ws.CloseNow() })
	return &peer{t, ws}, resp, nil
}

func (p *peer) send(frame string) {
	require.NoError(p.t, p.ws.Write(context.Background(), websocket.MessageText, []byte(frame)))
}

func (p *peer) next() (m ahp.Message) {
	_, data, err := p.ws.Read(context.Background())
	require.NoError(p.t, err)
	require.NoError(p.t, json.Unmarshal(data, &m))
	return m
}

// ask sends a request and returns the answer; code is 0 if it was no error.
func (p *peer) ask(method, params string) (result string, code int) {
	p.send(`{"jsonrpc":"2.0","id":"x","method":"` + method + `","params":` + params + `}`)
	for {
		m := p.next()
		switch {
		case m.Method != "":
			continue
		case m.Error != nil:
			return m.Error.Message, m.Error.Code
		}
		require.Equal(p.t, `"x"`, string(m.ID))
		return string(m.Result), 0
	}
}

func bubble(t *testing.T, o Options, test func(t *testing.T, h *Host)) {
	synctest.Test(t, func(t *testing.T) {
		h := New(o)
		t.Cleanup(h.Close)
		h.AddSession(Session{URI: one, Title: "One", Directories: []string{"file:///w"}})
		test(t, h)
	})
}

const hello = `{"channel":"ahp-root://","protocolVersions":["1.0.0","0.9.0"],"clientId":"me","initialSubscriptions":["ahp-root://","x:/none"]}`

// The handshake rules of protocol.md, as the recorded host keeps them.
func TestHandshakeRules(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, h *Host) {
		p, _, err := connect(t, h, MemoryURL)
		require.NoError(t, err)
		for _, tc := range []struct {
			method, params string
			code           int
			result         string
		}{
			{"ping", `{"channel":"ahp-root://"}`, 0, "null"},
			{"subscribe", `{"channel":"ahp-root://"}`, -32601, "Method not found: subscribe"},
			{"reconnect", `{"channel":"ahp-root://","clientId":"me","lastSeenServerSeq":0,"subscriptions":[]}`, -32008, "Reconnect client not found: me"},
			{"initialize", `{"channel":"ahp-root://","protocolVersions":["0.8.0"],"clientId":"me"}`, -32005, "[0.8.0]"},
			{"initialize", hello, 0, `"protocolVersion":"0.9.0"`},
			{"initialize", hello, -32601, "Method not found: initialize"},
			{"nope", `{"channel":"ahp-root://"}`, -32601, "Method not found: nope"},
			{"subscribe", `{}`, -32603, "TypeError"},
			{"subscribe", `{"channel":"ahp-session:/2"}`, -32001, "Session not found"},
			{"subscribe", `{"channel":"` + one + `"}`, 0, `"lifecycle":"ready"`},
			{"subscribe", `{"channel":"` + one + `/annotations"}`, 0, `{"annotations":[]}`},
			{"subscribe", `{"channel":"` + one + `/changeset/turn/nope"}`, 0, `"status":"ready"`},
			{"listSessions", `{"channel":"ahp-root://"}`, 0, `"workingDirectories":["file:///w"]`},
			{"resourceRead", `{"channel":"ahp-root://","uri":"x:/none"}`, -32008, "Content not found: x:/none"},
			{"invokeChangesetOperation", `{"channel":"` + one + `/changeset/x","operationId":"o"}`, -32602, "Unknown operation 'o'"},
		} {
			result, code := p.ask(tc.method, tc.params)
			require.Equal(t, tc.code, code, "%s: %s", tc.method, result)
			require.Contains(t, result, tc.result)
		}
		p.send(`{not json`)
		m := p.next()
		require.Equal(t, "null", string(m.ID))
		require.Equal(t, ahp.CodeParse, m.Error.Code)

		again, _, err := connect(t, h, MemoryURL)
		require.NoError(t, err)
		h.Do(one, `{"type":"session/titleChanged","title":"Uno"}`)
		result, code := again.ask("reconnect", `{"channel":"ahp-root://","clientId":"me","lastSeenServerSeq":0,"subscriptions":["`+one+`","x:/none"]}`)
		require.Zero(t, code)
		require.Contains(t, result, `"title":"Uno"`)
		require.Contains(t, result, `"missing":["x:/none"]`)
		_, code = again.ask("initialize", hello)
		require.Equal(t, -32601, code, "never after a reconnect that answered")
		require.Equal(t, 2, h.Subscribers(one))
	})
}

func TestToken(t *testing.T) {
	bubble(t, Options{Token: "right"}, func(t *testing.T, h *Host) {
		for url, want := range map[string]int{MemoryURL: 403, MemoryURL + "?tkn=wrong": 403, MemoryURL + "?tkn=right": 101} {
			_, resp, _ := connect(t, h, url)
			require.Equal(t, want, resp.StatusCode, url)
		}
	})
}

// Echoes go to the subscribed, in the Host's order, with the rejections.
func TestDispatch(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, h *Host) {
		mine, _, _ := connect(t, h, MemoryURL)
		mine.ask("initialize", hello)
		other, _, _ := connect(t, h, MemoryURL)
		other.ask("initialize", strings.Replace(hello, "me", "other", 1))
		other.ask("subscribe", `{"channel":"`+one+`/annotations"}`)
		dispatch := func(seq, action string) {
			mine.send(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"` + one + `/annotations","clientSeq":` + seq + `,"action":` + action + `}}`)
			synctest.Wait()
		}
		set := `{"type":"annotations/set","annotation":{"id":"a","resource":"file:///w/a","resolved":false,"entries":[{"id":"e","text":"x"}]}}`
		dispatch("7", set)
		require.JSONEq(t, `{"channel":"`+one+`/annotations","serverSeq":1,"origin":{"clientId":"me","clientSeq":7},"action":`+set+`}`, string(other.next().Params))
		require.Equal(t, "x", h.Annotation(one, "a").Entries[0].Text.Value)
		h.Reject(func(string, ahp.Action) string { return "no" })
		dispatch("8", `{"type":"annotations/removed","annotationId":"a"}`)
		require.Contains(t, string(other.next().Params), `"rejectionReason":"no"`)
		require.NotNil(t, h.Annotation(one, "a"))
		for _, f := range h.Frames() {
			require.False(t, f.Conn == 1 && f.Dir == Recv && strings.Contains(string(f.Data), `"action"`), "who is not subscribed gets no echo")
		}
	})
}

// A Host that is mute holds everything up; nothing is lost when it goes on.
func TestMute(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, h *Host) {
		p, _, _ := connect(t, h, MemoryURL)
		p.ask("initialize", hello)
		p.ask("subscribe", `{"channel":"`+one+`"}`)
		h.Mute(true)
		h.Do(one, `{"type":"session/titleChanged","title":"Uno"}`)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"channel":"ahp-root://"}}`)
		synctest.Wait()
		h.Mute(false)
		require.Equal(t, "action", p.next().Method)
		require.Equal(t, "1", string(p.next().ID))
		h.Mute(true) // and it can be closed while it is
	})
}

func TestLoopback(t *testing.T) {
	h := New(Options{})
	defer h.Close()
	ws, _, err := websocket.Dial(t.Context(), h.URL(), &websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}})
	require.NoError(t, err)
	defer ws.CloseNow()
	p := &peer{t, ws}
	result, code := p.ask("initialize", hello)
	require.Zero(t, code)
	require.Contains(t, result, "0.9.0")
}
