package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/ahptest"
)

// refused sends a request and wants an error with a code.
func (r *rig) refused(code int, method string, params any) {
	r.t.Helper()
	got, text := r.fails("", method, params)
	require.Equal(r.t, code, got, "%s: %s", method, text)
	require.NotEmpty(r.t, text)
}

// alive is true as long as requests are answered.
func (r *rig) alive() {
	r.t.Helper()
	out := r.commands("ahp.status")
	require.Equal(r.t, true, out["ok"])
}

func quiet(t *testing.T, test func(*rig)) {
	t.Helper()
	bubble(t, "neovim", ahptest.Options{}, test)
}

func TestRefusals(t *testing.T) {
	quiet(t, func(r *rig) {
		r.reviewed()
		r.handshake()
		r.opens("greet.go")
		method, params := int(jsonrpc2.CodeMethodNotFound), int(jsonrpc2.CodeInvalidParams)
		for _, c := range []struct {
			code   int
			method string
			params string
		}{
			{method, "no/such/method", `{}`},
			{method, "$/noSuchRequest", `{}`},
			{method, "textDocument/completion", `{"textDocument":{"uri":"file:///x"},"position":{"line":0,"character":0}}`},
			{params, "textDocument/hover", `{"textDocument":5}`},
			{params, "textDocument/hover", `[]`},
			{params, "textDocument/codeAction", `{"textDocument":{"uri":{}},"range":3}`},
			{params, "textDocument/codeLens", `{"textDocument":"file:///x"}`},
			{params, "textDocument/inlayHint", `{"textDocument":1}`},
			{params, "textDocument/diagnostic", `"x"`},
			{params, "workspace/executeCommand", `{"command":"ahp.juggle"}`},
			{params, "workspace/executeCommand", `{"command":5}`},
			{params, "workspace/executeCommand", `{}`},
			{params, "workspace/executeCommand", `{"command":"ahp.annotation.resolve","arguments":[{},{}]}`},
			{params, "workspace/executeCommand", `{"command":"ahp.annotation.resolve","arguments":["a1"]}`},
			{params, "workspace/executeCommand", `{"command":"ahp.annotation.resolve","arguments":[{"session":1}]}`},
			{params, "workspace/executeCommand", `{"command":"ahp.annotation.create","arguments":[{"uri":"file:///not/open","text":"x"}]}`},
			{params, "workspace/executeCommand", `{"command":"ahp.hunk.revert","arguments":[{"uri":"file:///not/open"}]}`},
			{params, "workspace/executeCommand", `{"command":"ahp.operation.invoke","arguments":[{"channel":[]}]}`},
		} {
			t.Log(c.method, c.params)
			r.refused(c.code, c.method, json.RawMessage(c.params))
		}
		for _, command := range New(Config{}).commands.Names() {
			// Without an argument: an answer, whatever it is, and no fault.
			r.step("", func() { r.ask("workspace/executeCommand", map[string]any{"command": command}) })
		}
		r.notify("no/such/notification", map[string]any{})
		r.notify("$/noSuchNotification", map[string]any{})
		r.notify("textDocument/didSave", json.RawMessage(`{"textDocument":7}`))
		r.notify("workspace/didChangeWatchedFiles", json.RawMessage(`{"changes":[{"uri":5}]}`))
		r.raw("Content-Length: 9\r\n\r\nnot JSON!")
		r.raw("Content-Length: 2\r\n\r\n[]")
		r.raw("Content-Length: 2\r\n\r\n{}")
		r.raw("Content-Length: 41\r\n\r\n" + `{"jsonrpc":"2.0","id":{},"method":"ping"}`)
		synctest.Wait()
		r.alive()
	})
}

func TestOddPositions(t *testing.T) {
	quiet(t, func(r *rig) {
		r.reviewed()
		r.handshake()
		r.opens("greet.go")
		uri := r.uri("greet.go")
		for _, at := range []string{
			`{"line":4000,"character":0}`, `{"line":0,"character":4000}`, `{"line":2147483647,"character":2147483647}`,
		} {
			r.asks("", "textDocument/hover", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"position":%s}`, uri, at)))
		}
		for _, rng := range []string{
			`{"start":{"line":-1,"character":-5},"end":{"line":4000,"character":-1}}`,
			`{"start":{"line":9,"character":0},"end":{"line":3,"character":0}}`,
			`{"start":{"line":1e30,"character":-1e30},"end":{"line":2.5,"character":1e10}}`,
			`{}`, `null`,
		} {
			r.asks("", "textDocument/codeAction", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"range":%s,"context":{"diagnostics":[]}}`, uri, rng)))
			r.asks("", "textDocument/inlayHint", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"range":%s}`, uri, rng)))
		}
		r.alive()
	})
}

func TestDocumentsOutOfStep(t *testing.T) {
	quiet(t, func(r *rig) {
		r.reviewed()
		r.handshake()
		text := func(name string) (text string) {
			r.inLoop(func() {
				text = "(none)"
				if f := r.server.ws.File(r.uri(name)); f != nil && f.Text() != nil {
					text = f.Text().String()
				}
			})
			return text
		}
		change := func(name, params string) {
			r.notify("textDocument/didChange", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q,"version":9},"contentChanges":%s}`, r.uri(name), params)))
			synctest.Wait()
		}
		r.write("a.txt", "one\n")
		change("a.txt", `[{"text":"never opened"}]`)
		require.Contains(t, r.log.text(), "which was never opened")
		require.Equal(t, "(none)", text("a.txt"))
		r.opens("a.txt")
		change("a.txt", `[{"range":{"start":{"line":70,"character":-3},"end":{"line":-2,"character":9}},"text":"x"}]`)
		require.Equal(t, "x", text("a.txt"), "clamped: everything was replaced")
		change("a.txt", `[{"range":{"start":{"line":0,"character":1e12},"end":{"line":1e12,"character":0}},"text":"y"},{"range":null,"text":"whole"}]`)
		require.Equal(t, "whole", text("a.txt"))
		change("a.txt", `[{"text":5}]`)
		require.Equal(t, "(none)", text("a.txt"), "what the editor has is not known")
		require.Empty(t, decodeAs[[]any](r, r.asks("", "textDocument/codeAction", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q},"range":{}}`, r.uri("a.txt"))))))
		out := r.commands("ahp.annotation.create", map[string]any{"uri": r.uri("a.txt"), "text": "x"})
		require.Equal(t, false, out["ok"])
		change("a.txt", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"z"}]`)
		require.Equal(t, "(none)", text("a.txt"))
		change("a.txt", `[{"text":"again"}]`)
		require.Equal(t, "again", text("a.txt"))
		r.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": r.uri("never.txt")}})
		r.notify("textDocument/didOpen", json.RawMessage(`{"textDocument":{"uri":5}}`))
		synctest.Wait()
		r.alive()
	})
}

// A change that could not be read leaves what the buffer holds unknown, and that is what commands on
// hunks say: the file is open, and its change is known.
func TestHunksOfADocumentOutOfStep(t *testing.T) {
	quiet(t, func(r *rig) {
		r.reviewed()
		r.greet(opRange)
		r.handshake()
		r.opens("greet.go")
		where := map[string]any{"uri": r.uri("greet.go"), "range": r.cursorAt("greet.go", helloCall)}
		r.notify("textDocument/didChange", json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q,"version":9},"contentChanges":[{"text":5}]}`, r.uri("greet.go"))))
		synctest.Wait()
		for _, command := range []string{"ahp.hunk.revert", "ahp.hunk.keep", "ahp.file.keep", "ahp.before.show"} {
			out := r.commands(command, where)
			require.Equal(t, false, out["ok"], command)
			require.Contains(t, out["reason"], "the buffer is out of step with the editor; close and open it again", command)
		}
		out := r.commands("ahp.operation.invoke", map[string]any{"channel": uncommitted, "operation": "revert-range", "target": where})
		require.Contains(t, out["reason"], "the buffer is out of step with the editor; close and open it again")
	})
}

func TestCancel(t *testing.T) {
	quiet(t, func(r *rig) {
		r.reviewed()
		r.greet(opDiscard)
		r.handshake()
		r.opens("greet.go")
		cancel := func(id string) {
			r.notify("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
			synctest.Wait()
		}
		wantCancelled := func(id string) {
			t.Helper()
			var e struct{ Code int }
			require.NoError(t, json.Unmarshal(r.errors[id], &e), "%s", r.errors[id])
			require.Equal(t, -32800, e.Code)
		}
		run := func(command string, args any) (id string) {
			id = r.ask("workspace/executeCommand", map[string]any{"command": command, "arguments": []any{args}})
			synctest.Wait()
			return id
		}
		// While a question is open.
		id := run("ahp.annotation.delete", comment(one, "a1"))
		cancel(id)
		wantCancelled(id)
		require.NotNil(t, r.host.Annotation(one, "a1"))
		// While an operation runs: it goes on.
		r.holdOperations()
		id = run("ahp.operation.invoke", map[string]any{"channel": uncommitted, "operation": "discard-changes", "target": map[string]any{"uri": r.uri("greet.go")}})
		r.questions = nil
		cancel(id)
		wantCancelled(id)
		// While contents are loaded that never come.
		r.host.Mute(true)
		r.opens("other.go")
		r.notify("textDocument/didSave", map[string]any{"textDocument": r.document("greet.go")})
		synctest.Wait()
		id = r.ask("textDocument/codeAction", map[string]any{"textDocument": r.document("greet.go"), "range": rangeJSON([2]int{6, 8}, [2]int{6, 8})})
		synctest.Wait()
		require.Empty(t, r.results[id], "it waits")
		cancel(id)
		wantCancelled(id)
		id = r.ask("textDocument/codeAction", map[string]any{"textDocument": r.document("greet.go"), "range": rangeJSON([2]int{6, 8}, [2]int{6, 8}), "context": map[string]any{"triggerKind": 2}})
		time.Sleep(viewTimeout + time.Millisecond)
		synctest.Wait()
		require.NotEmpty(t, r.results[id], "but not for ever: %s", r.errors[id])
		r.host.Mute(false)
		// Answered before.
		cancel(id)
		cancel("4711")
		r.alive()
	})
}

func TestPanics(t *testing.T) {
	for name, handle := range map[string]func(*Server) route{
		"loop": func(*Server) route {
			return func(context.Context, string, json.RawMessage) (any, error) { panic("deliberate") }
		},
		"outside": func(*Server) route {
			return func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
				outside(ctx, func() { panic("deliberate") })
				return nil, nil
			}
		},
		"in the loop again": func(*Server) route {
			return func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
				outside(ctx, func() {})
				panic("deliberate")
			}
		},
		"background": func(s *Server) route {
			return func(context.Context, string, json.RawMessage) (any, error) {
				background(s, func(context.Context) int { panic("deliberate") }, func(int) {})
				return nil, errInternal
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			quiet(t, func(r *rig) {
				r.reviewed()
				r.handshake()
				r.log.allowed = true
				r.inLoop(func() { r.server.routes.requests["test/panic"] = handle(r.server) })
				code, text := r.fails("", "test/panic", nil)
				require.Equal(t, int(jsonrpc2.CodeInternalError), code)
				require.NotContains(t, text, "deliberate")
				require.Contains(t, r.log.text(), "deliberate")
				require.Contains(t, r.log.text(), "badinput_test.go", "the stack")
				r.alive()
			})
		})
	}
}

// An editor that answers nothing, and a host that does not either, hold nothing
// up.
func TestSilentPeers(t *testing.T) {
	quiet(t, func(r *rig) {
		r.reviewed()
		for _, m := range []string{"workspace/configuration", "window/workDoneProgress/create", "window/showDocument", "workspace/applyEdit", "workspace/codeLens/refresh"} {
			r.manual[m] = true
		}
		r.greet(opCommit)
		r.handshake()
		require.Zero(t, r.host.Clients(), "the host is not started before the settings are known")
		time.Sleep(editorTimeout + time.Second)
		synctest.Wait()
		require.Equal(t, 1, r.host.Clients())
		r.opens("greet.go")
		id := r.ask("workspace/executeCommand", map[string]any{"command": "ahp.operation.invoke", "arguments": []any{map[string]any{"channel": uncommitted, "operation": "commit"}}})
		synctest.Wait()
		require.Contains(t, string(r.results[id]), `"ok":true`, "progress is not waited for")
		out := r.ask("workspace/executeCommand", map[string]any{"command": "ahp.hunk.revert", "arguments": []any{map[string]any{"uri": r.uri("greet.go"), "range": rangeJSON([2]int{6, 0}, [2]int{6, 0})}}})
		time.Sleep(editorTimeout + time.Second)
		synctest.Wait()
		require.Contains(t, string(r.results[out]), "the editor did not answer")
		require.Equal(t, greetAfter, r.buffer("greet.go"))
		r.host.Mute(true)
		out = r.ask("workspace/executeCommand", map[string]any{"command": "ahp.annotation.resolve", "arguments": []any{comment(one, "a1")}})
		synctest.Wait()
		require.Contains(t, string(r.results[out]), `"ok":true`)
		require.True(t, strings.Contains(r.published[r.uri("greet.go")], `"diagnostics":[]`), "shown before it is confirmed")
		r.alive()
	})
}
