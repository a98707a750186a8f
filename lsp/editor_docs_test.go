package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The documents of an editor.

func (e *editor) open(uri, language, text string) {
	e.mu.Lock()
	d := &editorDoc{uri: uri, text: text, version: 1}
	_, d.reopened = e.left[uri]
	e.docs[uri] = d
	delete(e.published, uri)
	e.drops(uri)
	e.mu.Unlock()
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": language, "version": 1, "text": text,
	}})
}

func (e *editor) close(uri string) {
	e.mu.Lock()
	if d := e.docs[uri]; d != nil {
		e.left[uri] = d.version
	}
	delete(e.docs, uri)
	delete(e.published, uri)
	e.drops(uri)
	e.mu.Unlock()
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// splice replaces bytes of a document: one incremental change.
func (e *editor) splice(uri string, from, to int, insert string) {
	e.mu.Lock()
	d := e.docs[uri]
	start, end := placeOf(d.text, from, e.encoding), placeOf(d.text, to, e.encoding)
	d.text = d.text[:from] + insert + d.text[to:]
	d.version++
	version := d.version
	e.mu.Unlock()
	e.changed(uri, version, []any{map[string]any{"range": rangeJSON(start, end), "text": insert}})
}

// replace replaces the whole text of a document.
func (e *editor) replace(uri, text string) {
	e.mu.Lock()
	d := e.docs[uri]
	d.text = text
	d.version++
	version := d.version
	e.mu.Unlock()
	e.changed(uri, version, []any{map[string]any{"text": text}})
}

func (e *editor) changed(uri string, version int, changes []any) {
	raw := encodeJSON(map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": changes,
	})
	e.rec.add(classScript, "", e.rec.message(&renderer{}, "editor→ ", "textDocument/didChange", raw))
	e.send(map[string]any{"method": "textDocument/didChange", "params": raw})
}

func rangeJSON(start, end [2]int) map[string]any {
	return map[string]any{
		"start": map[string]int{"line": start[0], "character": start[1]},
		"end":   map[string]int{"line": end[0], "character": end[1]},
	}
}

type textEdit struct {
	Range   struct{ Start, End struct{ Line, Character int } }
	NewText string
}

// applyEdit carries out a workspace edit as editors do: checked against the
// version it was made for, and told back as one change. It returns why not.
func (e *editor) applyEdit(raw json.RawMessage) (why string) {
	var edit struct {
		Changes         map[string][]textEdit
		DocumentChanges []struct {
			TextDocument struct {
				URI     string
				Version *int
			}
			Edits []textEdit
		}
	}
	if err := json.Unmarshal(raw, &edit); err != nil {
		return err.Error()
	}
	for _, c := range edit.DocumentChanges {
		e.mu.Lock()
		d := e.docs[c.TextDocument.URI]
		e.mu.Unlock()
		if d == nil || c.TextDocument.Version != nil && *c.TextDocument.Version != d.version {
			return "the document changed"
		}
		if why := e.applyEdits(c.TextDocument.URI, c.Edits); why != "" {
			return why
		}
	}
	for uri, edits := range edit.Changes {
		if why := e.applyEdits(uri, edits); why != "" {
			return why
		}
	}
	return ""
}

func (e *editor) applyEdits(uri string, edits []textEdit) (why string) {
	e.mu.Lock()
	d := e.docs[uri]
	if d == nil {
		e.mu.Unlock()
		return uri + " is not open"
	}
	type splice struct {
		from, to int
		text     string
		change   any
	}
	var list []splice
	for _, x := range edits {
		start, end := [2]int{x.Range.Start.Line, x.Range.Start.Character}, [2]int{x.Range.End.Line, x.Range.End.Character}
		from, ok1 := offsetOf(d.text, start, e.encoding)
		to, ok2 := offsetOf(d.text, end, e.encoding)
		if !ok1 || !ok2 || from > to {
			e.mu.Unlock()
			return fmt.Sprintf("an edit of %v-%v is not in the text", start, end)
		}
		list = append(list, splice{from, to, x.NewText, map[string]any{"range": rangeJSON(start, end), "text": x.NewText}})
	}
	slices.SortStableFunc(list, func(a, b splice) int { return b.from - a.from })
	var changes []any
	last := len(d.text) + 1
	for _, s := range list {
		if s.to > last {
			e.mu.Unlock()
			return "edits overlap"
		}
		last = s.from
		d.text = d.text[:s.from] + s.text + d.text[s.to:]
		changes = append(changes, s.change)
	}
	d.version++
	version := d.version
	e.mu.Unlock()
	e.changed(uri, version, changes)
	return ""
}

// find is where a text stands in a document, once.
func (e *editor) find(uri, text string) (from, to int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[uri]
	if d == nil {
		panic(uri + " is not open")
	}
	if strings.Count(d.text, text) != 1 {
		panic(fmt.Sprintf("%q stands %d times in %s:\n%s", text, strings.Count(d.text, text), uri, d.text))
	}
	from = strings.Index(d.text, text)
	return from, from + len(text)
}
