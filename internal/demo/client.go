package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp"
	"ahp-lsp/mapping"
)

// stepTimeout bounds how long a step of the tour waits for the server, on a busy
// machine too.
const stepTimeout = time.Minute

// client is the smallest editor that can show what the language server
// does: it holds open documents, takes what is published, applies edits and
// answers questions. Positions are in UTF-8.
type client struct {
	root string
	conn *jsonrpc2.Conn

	mu          sync.Mutex // guards what follows; never held while the server is waited for
	docs        map[string]*document
	diagnostics map[string][]diagnostic
	asked       []question    // what the server asked, answered with its first choice
	news        chan struct{} // holds a token after each message
}

type document struct {
	text    *mapping.Text
	version int
}

type diagnostic struct {
	Range    ahp.Range `json:"range"`
	Severity int       `json:"severity"`
	Message  string    `json:"message"`
}

type question struct {
	Message string `json:"message"`
	Actions []struct {
		Title string `json:"title"`
	} `json:"actions"`
}

type call struct {
	Title     string            `json:"title"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type lens struct {
	Range   ahp.Range `json:"range"`
	Command call      `json:"command"`
}

type action struct {
	Title   string          `json:"title"`
	Kind    string          `json:"kind"`
	Command *call           `json:"command"`
	Edit    json.RawMessage `json:"edit"`
}

// startClient runs a language server in this process and opens root with
// it. end stops the server and waits for it.
func startClient(ctx context.Context, cfg lsp.Config, root string) (c *client, end func(), err error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	run, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = lsp.New(cfg).Run(run, fromClient, toClient)
		_ = toClient.Close()
	}()
	c = &client{root: root, docs: map[string]*document{}, diagnostics: map[string][]diagnostic{}, news: make(chan struct{}, 1)}
	stream := jsonrpc2.NewBufferedStream(pipes{fromServer, toServer}, jsonrpc2.VSCodeObjectCodec{})
	c.conn = jsonrpc2.NewConn(run, stream, jsonrpc2.HandlerWithError(c.handle))
	end = func() {
		_ = c.conn.Close()
		stop()
		<-ended
	}
	folder := map[string]string{"uri": ahp.FileURI(filepath.ToSlash(root)), "name": filepath.Base(root)}
	err = c.call(ctx, "initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": folder["uri"], "workspaceFolders": []any{folder},
		"capabilities": map[string]any{
			"general":      map[string]any{"positionEncodings": []string{"utf-8"}},
			"textDocument": map[string]any{"codeLens": map[string]any{}, "publishDiagnostics": map[string]any{}},
			"window":       map[string]any{"showMessage": map[string]any{"messageActionItem": map[string]any{}}},
			"workspace":    map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true}},
		},
	}, nil)
	if err == nil {
		err = c.conn.Notify(ctx, "initialized", map[string]any{})
	}
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("start the language server: %w", err)
	}
	return c, end, nil
}

// pipes is a connection made of two pipes.
type pipes struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipes) Close() error { return errors.Join(p.WriteCloser.Close(), p.ReadCloser.Close()) }

func (c *client) uri(name string) string {
	return ahp.FileURI(filepath.ToSlash(filepath.Join(c.root, name)))
}

// handle takes what the server sends, one message after the other.
func (c *client) handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	defer c.wake()
	var params []byte
	if r.Params != nil {
		params = *r.Params
	}
	switch r.Method {
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string       `json:"uri"`
			Diagnostics []diagnostic `json:"diagnostics"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.diagnostics[p.URI] = p.Diagnostics
	case "window/showMessageRequest":
		var q question
		if err := json.Unmarshal(params, &q); err != nil || len(q.Actions) == 0 {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked = append(c.asked, q)
		return q.Actions[0], nil
	case "workspace/applyEdit":
		var p struct {
			Edit json.RawMessage `json:"edit"`
		}
		err := json.Unmarshal(params, &p)
		if err == nil {
			err = c.apply(ctx, p.Edit)
		}
		if err != nil {
			return map[string]any{"applied": false, "failureReason": err.Error()}, nil
		}
		return map[string]any{"applied": true}, nil
	}
	return nil, nil
}

// wake makes wait look again.
func (c *client) wake() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// apply carries a workspace edit out, as an editor does.
func (c *client) apply(ctx context.Context, raw json.RawMessage) error {
	var edit struct {
		DocumentChanges []struct {
			TextDocument struct {
				URI string `json:"uri"`
			} `json:"textDocument"`
			Edits []struct {
				Range   ahp.Range `json:"range"`
				NewText string    `json:"newText"`
			} `json:"edits"`
		} `json:"documentChanges"`
	}
	if err := json.Unmarshal(raw, &edit); err != nil {
		return err
	}
	for _, change := range edit.DocumentChanges {
		c.mu.Lock()
		d := c.docs[change.TextDocument.URI]
		if d == nil {
			c.mu.Unlock()
			return fmt.Errorf("%s is not open", change.TextDocument.URI)
		}
		text := d.text
		for _, e := range slices.Backward(change.Edits) { // in order, as this server sends them
			text = text.Edit(text.Span(mappingRange(e.Range), mapping.UTF8), e.NewText)
		}
		c.mu.Unlock()
		if err := c.setText(ctx, change.TextDocument.URI, text.String()); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) setText(ctx context.Context, uri, text string) error {
	c.mu.Lock()
	d := c.docs[uri]
	d.text, d.version = mapping.NewText(text), d.version+1
	version := d.version
	c.mu.Unlock()
	return c.conn.Notify(ctx, "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": version},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

// open reads a file of the work tree and opens it.
func (c *client) open(ctx context.Context, name string) error {
	data, err := os.ReadFile(filepath.Join(c.root, name))
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.docs[c.uri(name)] = &document{text: mapping.NewText(string(data)), version: 1}
	c.mu.Unlock()
	return c.conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": c.uri(name), "languageId": strings.TrimPrefix(filepath.Ext(name), "."), "version": 1, "text": string(data),
	}})
}

// save writes a document to the disk.
func (c *client) save(ctx context.Context, name string) error {
	if err := os.WriteFile(filepath.Join(c.root, name), []byte(c.text(name).String()), 0o644); err != nil {
		return err
	}
	return c.conn.Notify(ctx, "textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": c.uri(name)}})
}

// reload takes the text that is on the disk, as an editor does that notices a
// change there.
func (c *client) reload(ctx context.Context, name string) error {
	data, err := os.ReadFile(filepath.Join(c.root, name))
	if err != nil || string(data) == c.text(name).String() {
		return err
	}
	return c.setText(ctx, c.uri(name), string(data))
}

func (c *client) text(name string) *mapping.Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.docs[c.uri(name)].text
}

func (c *client) published(name string) []diagnostic {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.diagnostics[c.uri(name)]
}

func (c *client) questions() []question {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

func (c *client) lenses(ctx context.Context, name string) (list []lens, err error) {
	err = c.call(ctx, "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": c.uri(name)}}, &list)
	return list, err
}

// actions are the code actions at a line, counted from zero.
func (c *client) actions(ctx context.Context, name string, line int) (list []action, err error) {
	at := ahp.Position{Line: line}
	err = c.call(ctx, "textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": c.uri(name)}, "range": ahp.Range{Start: at, End: at},
		"context": map[string]any{"diagnostics": []any{}},
	}, &list)
	return list, err
}

// run has the server execute a command. What the server was not able to do is
// an error.
func (c *client) run(ctx context.Context, command string, arguments ...any) (string, error) {
	var r struct {
		OK      bool   `json:"ok"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	err := c.call(ctx, "workspace/executeCommand", map[string]any{"command": command, "arguments": arguments}, &r)
	if err == nil && !r.OK {
		err = fmt.Errorf("%s: %s", command, r.Reason)
	}
	return r.Message, err
}

func (c *client) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	return c.conn.Call(ctx, method, params, result)
}

// wait asks until what is to be shown is there; messages of the server's make
// it ask again.
func (c *client) wait(ctx context.Context, what string, there func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := there(ctx)
		if ok {
			return nil
		}
		if err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		case <-c.news:
		case <-tick.C:
		}
	}
}

func mappingRange(r ahp.Range) mapping.Range {
	return mapping.Range{Start: mapping.Position(r.Start), End: mapping.Position(r.End)}
}
