package lsp

import (
	"ahp-lsp/lsp/protocol"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
	"testing"
)

// editor is the other end of a Server's streams: it speaks LSP, keeps the
// documents it has open, answers what editors answer by themselves, and checks
// what every editor may count on.
type editor struct {
	t        *testing.T
	rec      *recorder
	name     string // neovim, helix or vscode; "" says nothing about it
	encoding string
	caps     protocol.Capabilities
	config   func() any // the section "ahp"
	onDisk   func(uri string) (string, bool)

	w  io.Writer
	wm sync.Mutex // one frame at a time

	mu        sync.Mutex // guards everything below
	docs      map[string]*editorDoc
	nextID    int
	asked     map[string]string          // id → method of our requests
	about     map[string]string          // id → the document it is about
	results   map[string]json.RawMessage // id → answer
	errors    map[string]json.RawMessage
	questions []message // of the server's, waiting for the script
	manual    map[string]bool
	refuse    map[string]string // method → the error it is answered with
	busy      map[string]bool   // refreshes under way
	published map[string]string // uri → the last set, as it was sent
	has       map[string]string // uri → the set the editor shows: see drops
	left      map[string]int    // uri → the version it was closed with
}

type editorDoc struct {
	uri     string
	text    string
	version int
	told    bool // a set has come since it was opened
	// reopened: it was open before, and what was sent then may still come.
	reopened bool
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

func newEditor(t *testing.T, rec *recorder, w io.Writer) *editor {
	return &editor{
		t: t, rec: rec, w: w, encoding: "utf-16", docs: map[string]*editorDoc{},
		config: func() any { return nil }, onDisk: func(string) (string, bool) { return "", false },
		asked: map[string]string{}, about: map[string]string{}, results: map[string]json.RawMessage{}, errors: map[string]json.RawMessage{},
		manual: map[string]bool{"window/showMessageRequest": true}, refuse: map[string]string{},
		busy: map[string]bool{}, published: map[string]string{}, has: map[string]string{}, left: map[string]int{},
	}
}

// read takes the server's messages until the stream ends.
func (e *editor) read(r io.Reader) {
	br := bufio.NewReader(r)
	for {
		body, err := readBody(br)
		if err != nil {
			if err != io.EOF {
				e.t.Errorf("the server's output is no LSP: %v", err)
			}
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.t.Errorf("the server sent no JSON: %v\n%s", err, body)
			return
		}
		switch {
		case m.Method != "" && m.ID != nil:
			e.request(m)
		case m.Method != "":
			e.notification(m)
		default:
			e.answer(m)
		}
	}
}

func readBody(br *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(br).ReadMIMEHeader()
	if err != nil {
		if err == io.EOF && len(header) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || len(header) != 1 {
		return nil, fmt.Errorf("header %v", header)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(br, body)
	return body, err
}

// send writes one message to the server.
func (e *editor) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (e *editor) raw(frame string) {
	e.wm.Lock()
	defer e.wm.Unlock()
	_, _ = io.WriteString(e.w, frame) // fails once the server has ended
}

// renderer shows ranges of the editor's messages with their texts; uri is the
// document that a message is about without naming it.
func (e *editor) renderer(uri string) *renderer {
	return &renderer{uri: steady(e.rec.replace.Replace(uri)), quote: func(uri string, start, end [2]int) (string, bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, d := range e.docs {
			if steady(e.rec.replace.Replace(d.uri)) == uri {
				return sliceOf(d.text, start, end, e.encoding)
			}
		}
		if text, ok := e.onDisk(steadyScratch.ReplaceAllString(uri, "/scratch/")); ok {
			return sliceOf(text, start, end, e.encoding)
		}
		return "", false
	}}
}

func (e *editor) notify(method string, params any) {
	raw := encodeJSON(params)
	e.rec.add(classScript, "", e.rec.message(e.renderer(""), "editor→ ", method, raw))
	e.send(map[string]any{"method": method, "params": raw})
}

// ask sends a request; the answer is in result once everything is at rest.
func (e *editor) ask(method string, params any) (id string) {
	raw := encodeJSON(params)
	e.rec.add(classScript, "", e.rec.message(e.renderer(""), "editor→ ", method, raw))
	e.mu.Lock()
	e.nextID++
	id = strconv.Itoa(e.nextID)
	e.asked[id] = method
	var p struct{ TextDocument struct{ URI string } }
	_ = json.Unmarshal(raw, &p)
	e.about[id] = p.TextDocument.URI
	e.mu.Unlock()
	e.send(map[string]any{"id": e.nextID, "method": method, "params": raw})
	return id
}

func (e *editor) answer(m message) {
	id := string(m.ID)
	e.mu.Lock()
	method, ok := e.asked[id]
	if !ok && id != "null" {
		e.t.Errorf("an answer with an unknown id: %s", m.ID)
	}
	_, again := e.results[id]
	if _, failed := e.errors[id]; (again || failed) && id != "null" {
		e.t.Errorf("%s (%s) was answered twice", method, id)
	}
	uri := e.about[id]
	if m.Error != nil {
		e.errors[id] = m.Error
	} else {
		e.results[id] = m.Result
	}
	e.mu.Unlock()
	if m.Error != nil {
		e.rec.add(classAnswer, "", e.rec.message(e.renderer(uri), "→editor ", method+" !", m.Error))
		return
	}
	e.rec.add(classAnswer, "", e.rec.message(e.renderer(uri), "→editor ", method+" =", m.Result))
}

// reply answers a request of the server's.
func (e *editor) reply(m message, result any, problem string) {
	body := map[string]any{"id": m.ID}
	if problem != "" {
		code := -32603
		if problem == "not served" {
			code = -32601
		}
		body["error"] = map[string]any{"code": code, "message": problem}
	} else {
		body["result"] = result
	}
	e.send(body)
}

func encodeJSON(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	if s, ok := v.(string); ok {
		return json.RawMessage(s)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
