package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
)

// The benchmarks measure processes of their own: the test binary started again,
// as a server or as the bare relay it is compared with, on real pipes.

const (
	childEnv   = "AHP_LSP_BENCH_CHILD"
	childHost  = "AHP_LSP_BENCH_HOST"
	childFrame = "AHP_LSP_BENCH_FRAME"
	childState = "AHP_LSP_BENCH_STATE"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "server":
		code, _ := New(Config{Version: "bench", Flags: Settings{Host: os.Getenv(childHost)}, StateDir: os.Getenv(childState)}).Run(context.Background(), os.Stdin, os.Stdout)
		os.Exit(code)
	case "relay":
		if err := relay(os.Getenv(childHost), os.Getenv(childFrame)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// relay subscribes to a channel and writes, for each action, the bytes that a
// server would: what carrying them costs without looking at them.
func relay(host, frameFile string) error {
	frame, err := os.ReadFile(frameFile)
	if err != nil {
		return err
	}
	ctx := context.Background()
	ws, _, err := websocket.Dial(ctx, host, nil)
	if err != nil {
		return err
	}
	ws.SetReadLimit(-1)
	for i, request := range []any{
		ahp.InitializeParams{Channel: ahp.RootURI, ProtocolVersions: []string{"0.9.0"}, ClientID: "relay"},
		ahp.ChannelParams{Channel: annotations},
	} {
		method := []string{"initialize", "subscribe"}[i]
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": method, "params": request})
		if err := ws.Write(ctx, websocket.MessageText, body); err != nil {
			return err
		}
		if _, _, err := ws.Read(ctx); err != nil {
			return err
		}
	}
	if _, err := os.Stdout.Write(frame); err != nil { // ready
		return err
	}
	for {
		if _, _, err := ws.Read(ctx); err != nil {
			return nil
		}
		if _, err := os.Stdout.Write(frame); err != nil {
			return err
		}
	}
}

// child is such a process and the editor's end of its pipes.
type child struct {
	b         *testing.B
	cmd       *exec.Cmd
	in        io.WriteCloser
	ids       int
	published chan string   // the sets for the watched document, as they were sent
	answers   chan struct{} // answers to the editor's requests
	watched   string
	others    chan struct{} // sets for other documents
}

func startChild(b *testing.B, kind, host, watched string, env ...string) *child {
	b.Helper()
	c := &child{b: b, watched: watched, published: make(chan string, 1024), answers: make(chan struct{}, 1024), others: make(chan struct{}, 1<<20)}
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), append(env, childEnv+"="+kind, childHost+"="+host, childState+"="+b.TempDir())...)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	require.NoError(b, err)
	c.in, err = c.cmd.StdinPipe()
	require.NoError(b, err)
	require.NoError(b, c.cmd.Start())
	go c.read(bufio.NewReaderSize(out, 1<<20))
	b.Cleanup(func() {
		c.in.Close()
		if kind == "relay" {
			_ = c.cmd.Process.Kill()
		}
		_ = c.cmd.Wait()
	})
	return c
}

// read sorts what comes by a look at its beginning: decoding it is not what is
// measured.
func (c *child) read(r *bufio.Reader) {
	for {
		body, err := readBody(r)
		if err != nil {
			return
		}
		head := string(body[:min(len(body), 400)])
		switch {
		case strings.Contains(head, `"textDocument/publishDiagnostics"`):
			if strings.Contains(head, c.watched) {
				c.published <- string(body)
			} else {
				c.others <- struct{}{}
			}
		case strings.Contains(head, `"method"`):
			var m message
			if json.Unmarshal(body, &m) == nil && m.ID != nil {
				c.write(map[string]any{"id": m.ID, "result": nil})
			}
		default:
			c.answers <- struct{}{}
		}
	}
}

func (c *child) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (c *child) notify(method string, params any) {
	c.write(map[string]any{"method": method, "params": params})
}

// request sends a request and waits for the answer.
func (c *child) request(method string, params any) {
	c.ids++
	c.write(map[string]any{"id": c.ids, "method": method, "params": params})
	select {
	case <-c.answers:
	case <-time.After(time.Minute):
		c.b.Fatal(method + ": no answer")
	}
}

// awaits waits for a set for the watched document.
func (c *child) awaits() string {
	select {
	case raw := <-c.published:
		return raw
	case <-time.After(time.Minute):
		c.b.Fatal("nothing is published")
		return ""
	}
}

// memory is what the process holds, and held at most, in MB.
func (c *child) memory() (resident, peak float64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		c.b.Skip("resident memory is read from /proc")
	}
	for line := range strings.Lines(string(data)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f", &kb); n == 1 {
			resident = kb / 1024
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %f", &kb); n == 1 {
			peak = kb / 1024
		}
	}
	return resident, peak
}
