package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/stretchr/testify/require"
	protocol "github.com/tliron/glsp/protocol_3_16"
)

// The words that scripts are written in. Each is a step of its own.

// opens opens a file with its text on disk.
func (r *rig) opens(name string) {
	r.t.Helper()
	data, err := os.ReadFile(r.path(name))
	require.NoError(r.t, err)
	r.opensWith(name, strings.TrimPrefix(string(data), "\uFEFF"))
}

func (r *rig) opensWith(name, text string) {
	r.step("open "+name, func() { r.open(r.uri(name), "go", text) })
}

func (r *rig) closes(name string) {
	r.step("close "+name, func() { r.close(r.uri(name)) })
}

// types replaces a text of an open file, which stands there once.
func (r *rig) types(name, old, text string) {
	r.step(fmt.Sprintf("in %s, replace %q by %q", name, old, text), func() {
		from, to := r.find(r.uri(name), old)
		r.splice(r.uri(name), from, to, text)
	})
}

// saves writes a buffer to the disk and tells so.
func (r *rig) saves(name string) {
	r.step("save "+name, func() {
		r.write(name, r.buffer(name))
		r.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": r.uri(name)}})
	})
}

func (r *rig) buffer(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.docs[r.uri(name)].text
}

// does lets the host itself change a channel.
func (r *rig) does(title, channel string, action any) {
	r.step("the host: "+title, func() { r.host.Do(channel, action) })
}

// asks sends a request and returns the answer.
func (r *rig) asks(title, method string, params any) json.RawMessage {
	r.t.Helper()
	var id string
	r.step(title, func() { id = r.ask(method, params) })
	return r.result(id)
}

// fails sends a request that is answered with an error.
func (r *rig) fails(title, method string, params any) (code int, text string) {
	r.t.Helper()
	var id string
	r.step(title, func() { id = r.ask(method, params) })
	r.mu.Lock()
	defer r.mu.Unlock()
	var e struct {
		Code    int
		Message string
	}
	require.NotEmpty(r.t, r.errors[id], "%s was not refused", method)
	require.NoError(r.t, json.Unmarshal(r.errors[id], &e))
	return e.Code, e.Message
}

func (r *rig) document(name string) map[string]any { return map[string]any{"uri": r.uri(name)} }

// rangeIn is the range of a text that stands once in an open file.
func (r *rig) rangeIn(name, text string) map[string]any {
	from, to := r.find(r.uri(name), text)
	buffer := r.buffer(name)
	return rangeJSON(placeOf(buffer, from, r.encoding), placeOf(buffer, to, r.encoding))
}

// cursorAt is the empty range at the beginning of a text.
func (r *rig) cursorAt(name, text string) map[string]any {
	at := r.rangeIn(name, text)
	return map[string]any{"start": at["start"], "end": at["start"]}
}

func (r *rig) hovers(name, at string) json.RawMessage {
	r.t.Helper()
	return r.asks("hover over "+at, "textDocument/hover", map[string]any{
		"textDocument": r.document(name), "position": r.cursorAt(name, at)["start"],
	})
}

func (r *rig) lensesOf(name string) []protocol.CodeLens {
	r.t.Helper()
	if r.caps.TextDocument.CodeLens == nil {
		return nil
	}
	return decodeAs[[]protocol.CodeLens](r, r.asks("the lenses of "+name, "textDocument/codeLens", map[string]any{"textDocument": r.document(name)}))
}

func (r *rig) hintsOf(name string) json.RawMessage {
	r.t.Helper()
	return r.asks("the inlay hints of "+name, "textDocument/inlayHint", map[string]any{
		"textDocument": r.document(name), "range": rangeJSON([2]int{0, 0}, [2]int{1000, 0}),
	})
}

func (r *rig) pulls(name, previous string) (resultID string) {
	r.t.Helper()
	params := map[string]any{"textDocument": r.document(name)}
	if previous != "" {
		params["previousResultId"] = previous
	}
	report := decodeAs[struct{ ResultID string }](r, r.asks("pull the diagnostics of "+name, "textDocument/diagnostic", params))
	return report.ResultID
}

// offered asks for the code actions at the cursor before a text.
func (r *rig) offered(name, at string, only ...string) []protocol.CodeAction {
	r.t.Helper()
	return r.actionsOf("code actions at "+at, name, r.cursorAt(name, at), only...)
}

// selected asks for those on a selected text.
func (r *rig) selected(name, text string, only ...string) []protocol.CodeAction {
	r.t.Helper()
	return r.actionsOf(fmt.Sprintf("code actions on the selection %q", text), name, r.rangeIn(name, text), only...)
}

func (r *rig) actionsOf(title, name string, at map[string]any, only ...string) []protocol.CodeAction {
	r.t.Helper()
	context := map[string]any{"diagnostics": []any{}}
	if len(only) > 0 {
		context["only"] = only
	}
	raw := r.asks(title, "textDocument/codeAction", map[string]any{"textDocument": r.document(name), "range": at, "context": context})
	return decodeAs[[]protocol.CodeAction](r, raw)
}

// chooses carries out the action of a list whose title begins so.
func (r *rig) chooses(list []protocol.CodeAction, title string) {
	r.t.Helper()
	for _, a := range list {
		if !strings.HasPrefix(a.Title, title) {
			continue
		}
		require.Nil(r.t, a.Disabled, a.Title)
		r.step("choose "+a.Title, func() {
			if a.Edit != nil {
				require.Empty(r.t, r.applyEdit(encodeJSON(a.Edit)))
			}
			if a.Command != nil {
				r.ask("workspace/executeCommand", map[string]any{"command": a.Command.Command, "arguments": a.Command.Arguments})
			}
		})
		return
	}
	require.Fail(r.t, "no such action", "%s", title)
}

// commands runs a command and returns its answer, nil if it has none yet.
func (r *rig) commands(command string, args ...any) map[string]any {
	r.t.Helper()
	var id string
	r.step(command, func() {
		id = r.ask("workspace/executeCommand", map[string]any{"command": command, "arguments": args})
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Empty(r.t, string(r.errors[id]))
	var out map[string]any
	_ = json.Unmarshal(r.results[id], &out)
	return out
}

// answers decides the question that the server asks.
func (r *rig) answers(title string) {
	r.step("the user answers "+title, func() {
		if title == "" {
			r.decide(nil)
			return
		}
		r.decide(map[string]any{"title": title})
	})
}

func decodeAs[T any](r *rig, raw json.RawMessage) (v T) {
	r.t.Helper()
	require.NoError(r.t, json.Unmarshal(raw, &v), "%s", raw)
	return v
}

// startTold starts, and shows what the editor is told about closed files.
func (r *rig) startTold() {
	r.t.Helper()
	r.started(func(e entry) bool { return e.class >= classEditorSetup && e.class <= classEditorState })
}

// started starts and keeps a part of what was recorded.
func (r *rig) started(keep func(entry) bool) {
	r.t.Helper()
	r.rec.off = false
	r.handshake()
	r.rec.mu.Lock()
	var kept []entry
	for _, e := range r.rec.entries {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	r.rec.entries = kept
	r.rec.mu.Unlock()
	r.rec.flush("start")
}
