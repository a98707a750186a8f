package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
)

func TestLifecycle(t *testing.T) {
	t.Run("before initialize", func(t *testing.T) {
		quiet(t, func(r *rig) {
			r.run()
			r.refused(codeNotInitialized, "textDocument/hover", map[string]any{})
			r.refused(codeNotInitialized, "shutdown", nil)
			r.refused(codeNotInitialized, "no/such/method", nil)
			r.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": r.uri("a.go"), "text": "x"}})
			r.notify("initialized", map[string]any{})
			synctest.Wait()
			require.Contains(t, r.log.text(), "didOpen: dropped: the session is not initialized")
			r.asks("", "initialize", r.params)
			r.refused(int(jsonrpc2.CodeInvalidRequest), "initialize", r.params)
			r.inLoop(func() { require.Empty(t, slices.Collect(r.server.ws.Files()), "what came before does not count") })
		})
	})
	for _, c := range []struct {
		name string
		say  func(*rig)
		code int
	}{
		{"shutdown and exit", func(r *rig) { r.asks("", "shutdown", nil); r.notify("exit", nil) }, 0},
		{"exit alone", func(r *rig) { r.notify("exit", nil) }, 1},
		{"the stream ends", func(r *rig) { r.input.Close() }, 1},
		{"shutdown, then the stream ends", func(r *rig) { r.asks("", "shutdown", nil); r.input.Close() }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			quiet(t, func(r *rig) {
				r.reviewed()
				r.handshake()
				c.say(r)
				require.Equal(t, c.code, <-r.code)
				r.server = nil
			})
		})
	}
	t.Run("exit before initialize", func(t *testing.T) {
		quiet(t, func(r *rig) {
			r.run()
			r.notify("exit", nil)
			require.Equal(t, 1, <-r.code)
			r.server = nil
		})
	})
	t.Run("after shutdown", func(t *testing.T) {
		quiet(t, func(r *rig) {
			r.reviewed()
			r.handshake()
			r.asks("", "shutdown", nil)
			r.refused(int(jsonrpc2.CodeInvalidRequest), "textDocument/hover", map[string]any{})
			r.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": r.uri("a.go"), "text": "x"}})
			r.notify("exit", nil)
			require.Equal(t, 0, <-r.code)
			r.server = nil
		})
	})
}

// A process of its own writes nothing but LSP to its standard output, whatever
// it is told, and ends with the code that LSP wants.
func TestProcess(t *testing.T) {
	for _, c := range []struct {
		name, input string
		answers     int
		code        int
	}{
		{"regular", `{"id":1,"method":"initialize","params":{}}|{"method":"initialized"}|{"id":2,"method":"shutdown"}|{"method":"exit"}`, 2, 0},
		{"without shutdown", `{"id":1,"method":"initialize","params":{}}|{"method":"exit"}`, 1, 1},
		{"nonsense", `nonsense|[1]|{"id":1,"method":"no/such"}|{"id":2,"method":"initialize","params":7}|{"id":3,"method":"shutdown"}|{"method":"exit"}`, 5, 0},
		{"the end", ``, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"=server", childHost+"=ws://127.0.0.1:1/")
			var in strings.Builder
			for body := range strings.SplitSeq(c.input, "|") {
				if body != "" {
					fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(body), body)
				}
			}
			cmd.Stdin = strings.NewReader(in.String())
			var out, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &stderr
			_ = cmd.Run()
			require.Equal(t, c.code, cmd.ProcessState.ExitCode(), "%s", &stderr)
			r, answers := bufio.NewReader(&out), 0
			for {
				body, err := readBody(r)
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				var m message
				require.NoError(t, json.Unmarshal(body, &m), "%s", body)
				if m.Method == "" {
					answers++
				}
			}
			require.Equal(t, c.answers, answers)
		})
	}
}
