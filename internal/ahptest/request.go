package ahptest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ahp-lsp/bridge/ahp"
)

// request answers one request; h.mu is held.
func (c *client) request(m ahp.Message) {
	result, err := c.handle(m)
	if result == any(NoAnswer) {
		return
	}
	c.answer(m.ID, result, err)
}

func fail(code int, message string) (any, *ahp.Error) {
	return nil, &ahp.Error{Code: code, Message: message}
}

func (c *client) handle(m ahp.Message) (any, *ahp.Error) {
	h := c.h
	switch handshake := m.Method == "initialize" || m.Method == "reconnect"; {
	case m.Method == "ping":
		return nil, nil
	case handshake == c.ready:
		return fail(ahp.CodeMethodNotFound, "Method not found: "+m.Method)
	}
	var p struct{ Channel, URI, Cursor string }
	_ = json.Unmarshal(m.Params, &p)
	if p.Channel == "" {
		return fail(ahp.CodeInternal, "TypeError: Cannot read properties of undefined (reading 'toLowerCase')\n    at agentHostMain.js:302:14783")
	}
	switch m.Method {
	case "initialize":
		return c.initialize(m.Params)
	case "reconnect":
		return c.reconnect(m.Params)
	case "listSessions":
		return h.listSessions(p.Cursor), nil
	case "subscribe":
		s := h.channel(p.Channel)
		if s == nil {
			return fail(ahp.CodeNoSession, "Session not found: "+p.Channel)
		}
		c.subscribed[p.Channel] = true
		snapshot := h.snapshot(p.Channel, s)
		return ahp.SubscribeResult{Snapshot: &snapshot}, nil
	case "resourceRead":
		return h.read(p.URI)
	case "invokeChangesetOperation":
		return c.invoke(m)
	}
	return fail(ahp.CodeMethodNotFound, "Method not found: "+m.Method)
}

func (c *client) initialize(params json.RawMessage) (any, *ahp.Error) {
	var p ahp.InitializeParams
	_ = json.Unmarshal(params, &p)
	h := c.h
	i := slices.IndexFunc(p.ProtocolVersions, func(v string) bool { return slices.Contains(h.opts.Versions, v) })
	if i < 0 {
		return nil, &ahp.Error{
			Code: ahp.CodeVersion, Message: "Client offered protocol versions [" + strings.Join(p.ProtocolVersions, ", ") + "], none of which are compatible with this server's.",
			Data: encode(map[string]any{"supportedVersions": h.opts.Versions}),
		}
	}
	c.id, c.ready, h.known[p.ClientID] = p.ClientID, true, true
	r := ahp.InitializeResult{
		ProtocolVersion: p.ProtocolVersions[i], ServerSeq: h.seq, Snapshots: []ahp.Snapshot{},
		ServerInfo: &ahp.Implementation{Name: "ahptest", Version: "1"},
	}
	for _, uri := range p.InitialSubscriptions {
		if s := h.channel(uri); s != nil { // unknown ones are silently left out
			c.subscribed[uri] = true
			r.Snapshots = append(r.Snapshots, h.snapshot(uri, s))
		}
	}
	return r, nil
}

func (h *Host) listSessions(cursor string) ahp.ListSessionsResult {
	r := ahp.ListSessionsResult{Items: []json.RawMessage{}}
	start, _ := strconv.Atoi(cursor)
	listed := slices.DeleteFunc(slices.Clone(h.store.order), func(uri string) bool { return h.store.sessions[uri].Draft })
	for i, uri := range listed[min(start, len(listed)):] {
		if h.opts.PageSize > 0 && i == h.opts.PageSize {
			r.NextCursor = strconv.Itoa(start + i)
			break
		}
		r.Items = append(r.Items, encode(h.summary(h.store.sessions[uri])))
	}
	return r
}

// read answers resourceRead from what a test has set, else from the disk.
func (h *Host) read(uri string) (any, *ahp.Error) {
	if r, ok := h.store.contents[uri]; ok {
		return r, nil
	}
	if path, ok := ahp.FilePath(uri); ok {
		if data, err := os.ReadFile(filepath.FromSlash(path)); err == nil {
			return resource(data), nil
		}
	}
	return fail(ahp.CodeNotFound, "Content not found: "+uri)
}

func resource(data []byte) ahp.ResourceReadResult {
	if utf8.Valid(data) {
		return ahp.ResourceReadResult{Data: string(data), Encoding: "utf-8", ContentType: "text/plain"}
	}
	return ahp.ResourceReadResult{Data: base64.StdEncoding.EncodeToString(data), Encoding: "base64", ContentType: "application/octet-stream"}
}

// invoke checks an operation and carries it out on a goroutine of its own: on
// the wire come its status running, then idle or error, then the answer.
func (c *client) invoke(m ahp.Message) (any, *ahp.Error) {
	h := c.h
	var p ahp.InvokeParams
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return fail(ahp.CodeInvalidParams, err.Error())
	}
	cs, ok := h.channel(p.Channel).(*changesetState)
	if !ok {
		return fail(ahp.CodeNoSession, "Changeset not found: "+p.Channel)
	}
	i := slices.IndexFunc(cs.Operations, func(o *ahp.Operation) bool { return o.ID == p.OperationID })
	scope := ahp.ScopeChangeset
	if p.Target != nil {
		scope = p.Target.Kind
	}
	switch {
	case i < 0:
		return fail(ahp.CodeInvalidParams, fmt.Sprintf("Unknown operation '%s' on changeset %s", p.OperationID, p.Channel))
	case !cs.Operations[i].Allows(scope):
		return fail(ahp.CodeInvalidParams, fmt.Sprintf("Operation '%s' does not support scope '%s' (allowed: %s)", p.OperationID, scope, strings.Join(cs.Operations[i].Scopes, ", ")))
	case cs.Operations[i].Status == ahp.OperationDisabled:
		return fail(ahp.CodeInvalidParams, fmt.Sprintf("Operation '%s' is disabled on changeset %s", p.OperationID, p.Channel))
	}
	carryOut := h.hooks.invoke
	status := func(status string, info *ahp.ErrorInfo) {
		a := map[string]any{"type": ahp.TypeChangesetOperationStatusChanged, "operationId": p.OperationID, "status": status}
		if info != nil {
			a["error"] = info
		}
		h.publish(ahp.Envelope{Channel: p.Channel, Action: toAction(a)})
	}
	status(ahp.OperationRunning, nil)
	h.net.running.Go(func() {
		var r ahp.InvokeResult
		var failed *ahp.Error
		if carryOut != nil {
			r, failed = carryOut(p)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if failed != nil {
			status(ahp.OperationError, &ahp.ErrorInfo{Type: "error", Message: failed.Message})
		} else {
			status(ahp.OperationIdle, nil)
		}
		c.answer(m.ID, r, failed)
	})
	return NoAnswer, nil
}

// notification takes unsubscribe and dispatchAction; h.mu is held.
func (c *client) notification(m ahp.Message) {
	var p ahp.DispatchParams
	_ = json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "unsubscribe":
		delete(c.subscribed, p.Channel)
	case "dispatchAction":
		h := c.h
		if h.channel(p.Channel) == nil {
			return
		}
		e := ahp.Envelope{
			Channel: p.Channel, Action: p.Action, RejectionReason: h.refusal(p.Channel, p.Action),
			Origin: &ahp.ActionOrigin{ClientID: c.id, ClientSeq: p.ClientSeq},
		}
		h.publish(e)
		if e.RejectionReason == "" {
			h.answered(p.Action)
		}
	}
}
