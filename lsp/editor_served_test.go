package lsp

import (
	"encoding/json"
	"slices"
)

// What an editor does with what the server sends by itself, and the rules that
// every server has to keep.

func (e *editor) notification(m message) {
	if m.Method == "textDocument/publishDiagnostics" {
		e.checkPublish(m.Params)
		var p struct{ URI string }
		_ = json.Unmarshal(m.Params, &p)
		e.rec.add(classEditorState, "publish "+p.URI, e.rec.message(e.renderer(p.URI), "→editor ", m.Method, m.Params))
		return
	}
	e.rec.add(classEditor, "", e.rec.message(e.renderer(""), "→editor ", m.Method, m.Params))
}

// checkPublish: the exact version of an open document, every place inside it,
// no set twice.
func (e *editor) checkPublish(raw json.RawMessage) {
	var p struct {
		URI         string
		Version     *int
		Diagnostics []struct {
			Range struct{ Start, End struct{ Line, Character int } }
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil || p.Diagnostics == nil {
		e.t.Errorf("publishDiagnostics: %v in %s", err, raw)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	text, known := e.onDisk(e.rec.replace.Replace(p.URI))
	d := e.docs[p.URI]
	if d != nil && d.reopened {
		d, known = nil, false // it may have been on its way since before
		delete(e.published, p.URI)
		e.has[p.URI] = string(raw)
	}
	switch {
	case e.docs[p.URI] != d:
	case d == nil && p.Version != nil && *p.Version != e.left[p.URI]: // else it was on its way
		e.t.Errorf("a set for %s, which is not open, names version %d", p.URI, *p.Version)
	case d != nil && p.Version == nil && !d.told:
		d = nil // it was on its way when the file was opened
		known = false
	case d != nil && p.Version == nil && !(e.caps.DiagnosticVersions() && len(p.Diagnostics) == 0):
		e.t.Errorf("a set for %s, which is open, names no version", p.URI)
	case d != nil && p.Version != nil && *p.Version > d.version:
		e.t.Errorf("a set for %s is for version %d, newer than %d", p.URI, *p.Version, d.version)
	}
	if d != nil {
		d.told = true
		text, known = d.text, p.Version != nil && *p.Version == d.version
	}
	for _, x := range p.Diagnostics {
		start, end := [2]int{x.Range.Start.Line, x.Range.Start.Character}, [2]int{x.Range.End.Line, x.Range.End.Character}
		if _, ok := sliceOf(text, start, end, e.encoding); known && !ok {
			e.t.Errorf("a diagnostic of %s is at %v-%v, which is not in the text", p.URI, start, end)
		}
	}
	if e.published[p.URI] == string(raw) {
		e.t.Errorf("the same set was published twice in a row: %s", raw)
	}
	e.published[p.URI] = string(raw)
	if d != nil && e.caps.DiagnosticVersions() && p.Version != nil && *p.Version != d.version {
		return // Helix drops a set for another version
	}
	e.has[p.URI] = string(raw)
}

// settled is called when everything has come to rest.
func (e *editor) settled() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.docs {
		d.reopened = false
	}
}

// drops is called when a file is opened or closed: Neovim then forgets what was
// published, the others keep it.
func (e *editor) drops(uri string) {
	if e.name == "neovim" {
		delete(e.has, uri)
	}
}

// request answers what the server asks, as editors do without a person.
func (e *editor) request(m message) {
	e.mu.Lock()
	manual, problem := e.manual[m.Method], e.refuse[m.Method]
	if manual {
		e.questions = append(e.questions, m)
	}
	e.mu.Unlock()
	c, key := classEditor, ""
	if m.Method == "workspace/configuration" || m.Method == "client/registerCapability" {
		c, key = classEditorSetup, m.Method
	}
	show := func() { e.rec.add(c, key, e.rec.message(e.renderer(""), "→editor ", m.Method, m.Params)) }
	answer := func(result any) {
		if problem == "" {
			e.rec.add(c, key, e.rec.message(e.renderer(""), "editor→ ", m.Method+" =", encodeJSON(result)))
		} else {
			e.rec.add(c, key, "editor→ "+m.Method+" ! "+problem)
		}
		e.reply(m, result, problem)
	}
	w := e.caps.Workspace
	switch m.Method {
	case "workspace/codeLens/refresh":
		e.refresh(m, w.CodeLens.RefreshSupport)
		return
	case "workspace/inlayHint/refresh":
		e.refresh(m, w.InlayHint.RefreshSupport)
		return
	case "workspace/diagnostic/refresh":
		e.refresh(m, e.caps.RefreshesDiagnostics())
		return
	}
	show()
	if manual {
		return
	}
	switch m.Method {
	case "workspace/configuration":
		e.must(m, w.Configuration)
		answer([]any{e.config()})
	case "client/registerCapability":
		answer(json.RawMessage("null"))
	case "window/workDoneProgress/create":
		e.must(m, e.caps.Window.WorkDoneProgress)
		answer(json.RawMessage("null"))
	case "window/showDocument":
		e.must(m, e.caps.ShowsDocuments())
		answer(map[string]any{"success": true})
	case "workspace/applyEdit":
		e.must(m, w.ApplyEdit)
		var p struct{ Edit json.RawMessage }
		_ = json.Unmarshal(m.Params, &p)
		if problem != "" {
			answer(nil)
			return
		}
		if why := e.applyEdit(p.Edit); why != "" {
			answer(map[string]any{"applied": false, "failureReason": why})
			return
		}
		answer(map[string]any{"applied": true})
	default:
		e.t.Errorf("the server asked for %s", m.Method)
		answer(nil)
	}
}

// refresh answers a request to ask again. Only where announced, and one at a
// time.
func (e *editor) refresh(m message, supported bool) {
	e.rec.add(classEditorState, m.Method, "→editor "+m.Method)
	e.must(m, supported)
	e.mu.Lock()
	if e.busy[m.Method] {
		e.t.Errorf("%s while one is under way", m.Method)
	}
	e.busy[m.Method] = slices.ContainsFunc(e.questions, func(q message) bool { return string(q.ID) == string(m.ID) })
	held := e.busy[m.Method]
	e.mu.Unlock()
	if !held {
		e.reply(m, json.RawMessage("null"), "")
	}
}

func (e *editor) must(m message, announced bool) {
	if !announced {
		e.t.Errorf("%s, which this editor has not announced", m.Method)
	}
}

// decide answers the oldest question that waits for the script.
func (e *editor) decide(result any) {
	e.mu.Lock()
	if len(e.questions) == 0 {
		e.mu.Unlock()
		e.t.Errorf("the server has asked nothing")
		return
	}
	m := e.questions[0]
	e.questions = e.questions[1:]
	delete(e.busy, m.Method)
	e.mu.Unlock()
	e.rec.add(classScript, "", e.rec.message(e.renderer(""), "editor→ ", m.Method+" =", encodeJSON(result)))
	e.reply(m, result, "")
}
