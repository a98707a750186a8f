package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A Tap is a wire between the server under test and the host that remembers what it carried. It
// is how a test knows that something was not sent.
type Tap struct {
	URL string // the server connects here

	t    testing.TB
	log  *wireLog
	mu   sync.Mutex
	sent map[string][]string // params by method
}

// Tap opens such a wire. Everything that it carries is also kept as the artefact wire-*.jsonl.
func (h *Host) Tap(t testing.TB) *Tap {
	t.Helper()
	tap := &Tap{t: t, log: newWireLog(t, "wire"), sent: map[string][]string{}}
	ctx, stop := context.WithCancel(context.Background())
	var connections sync.WaitGroup
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connections.Add(1)
		defer connections.Done()
		host, refused, err := websocket.Dial(ctx, h.URL+"/?"+r.URL.RawQuery, nil)
		if err != nil {
			status := http.StatusBadGateway
			if refused != nil {
				status = refused.StatusCode
			}
			w.WriteHeader(status)
			return
		}
		defer host.CloseNow()
		server, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
		if err != nil {
			return
		}
		defer server.CloseNow()
		var directions sync.WaitGroup
		directions.Go(func() { tap.carry(ctx, "to the host", server, host) })
		directions.Go(func() { tap.carry(ctx, "to the server", host, server) })
		directions.Wait()
	}))
	tap.URL = "ws" + strings.TrimPrefix(listener.URL, "http")
	t.Cleanup(func() {
		stop()
		listener.CloseClientConnections()
		listener.Close()
		connections.Wait()
	})
	return tap
}

func (tap *Tap) carry(ctx context.Context, direction string, from, to *websocket.Conn) {
	from.SetReadLimit(-1)
	defer to.CloseNow() // an end of one side is an end of both
	for {
		kind, data, err := from.Read(ctx)
		if err != nil {
			return
		}
		tap.record(direction, data)
		if err := to.Write(ctx, kind, data); err != nil {
			return
		}
	}
}

func (tap *Tap) record(direction string, data []byte) {
	tap.log.add(direction, data)
	tap.mu.Lock()
	defer tap.mu.Unlock()
	var request struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(data, &request); direction == "to the host" && request.Method != "" {
		tap.sent[request.Method] = append(tap.sent[request.Method], string(request.Params))
	}
}

// Sent returns the params of the server's requests and notifications with this method, so far.
func (tap *Tap) Sent(method string) []string {
	tap.mu.Lock()
	defer tap.mu.Unlock()
	return tap.sent[method]
}

// A wireLog is an artefact with one message per line.
type wireLog struct {
	mu   sync.Mutex
	file *os.File
}

func newWireLog(t testing.TB, name string) *wireLog {
	t.Helper()
	file, err := os.CreateTemp(Artefacts(t), name+"-*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &wireLog{file: file}
}

func (w *wireLog) add(direction string, data []byte) {
	line := map[string]any{"time": time.Now(), "dir": direction}
	if json.Valid(data) {
		line["msg"] = json.RawMessage(data)
	} else { // that is worth a look, too
		line["text"] = string(data)
	}
	encoded, _ := json.Marshal(line)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.file.Write(append(encoded, '\n'))
}
