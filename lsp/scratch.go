package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
)

// scissors separates, in a file that asks for a text, what is only shown from
// what will be sent.
const scissors = "<!-- Write below this line, then save the file to send. Save it empty to cancel. -->"

// scratchPoll is how often a file that waits for a text is looked at: an
// editor tells this server of a save only for the languages it is set up for.
const scratchPoll = 300 * time.Millisecond

// scratch is a file that the editor opened to ask the user for a text.
type scratch struct {
	path    string
	written string                         // what we wrote: unchanged means not answered yet
	send    func(text string) (any, error) // in the loop; never answers later
	stop    context.CancelFunc
}

type scratchRequest struct {
	name, intro, quoted, initial string
	send                         func(text string) (any, error) // runs in the loop, never answers later
}

// askText asks for a text through a file: for editors without a plugin that
// asks by itself.
func (s *Server) askText(r scratchRequest) error {
	return later{func(ctx context.Context) (any, error) {
		if !s.client.showsDocuments() {
			return s.sorry("this editor cannot ask for a text; write a line \"ahp: your text\" and choose its code action instead")
		}
		body := "<!-- " + r.intro + " (ahp-lsp) -->\n"
		for _, line := range strings.Split(strings.TrimRight(r.quoted, "\n"), "\n") {
			if r.quoted != "" {
				body += "> " + line + "\n"
			}
		}
		body += scissors + "\n" + r.initial + "\n"
		path, err := s.scratchFile("ahp-"+r.name+".md", body, 0o600)
		if err != nil {
			return s.sorry("cannot ask for a text: %v", err)
		}
		uri := ahp.FileURI(filepath.ToSlash(path))
		s.loop.post(func() { s.awaitScratch(uri, &scratch{path: path, written: body, send: r.send}) })
		line := protocol.UInteger(strings.Count(body, "\n") - strings.Count(r.initial, "\n") - 1)
		at := protocol.Position{Line: line}
		if err := s.showDocument(ctx, showDocumentParams{URI: uri, TakeFocus: true, Selection: &protocol.Range{Start: at, End: at}}); err != nil {
			s.loop.post(func() { s.forgetScratch(uri) })
			return s.sorry("cannot ask for a text: %v", err)
		}
		return map[string]any{"ok": true, "asked": uri}, nil
	}}
}

// watchScratch waits for the file to be saved. Editors write in several steps:
// what was found counts when it is found again.
func (s *Server) watchScratch(ctx context.Context, uri string, sc *scratch) {
	tick := time.NewTicker(scratchPoll)
	defer tick.Stop()
	written := sc.written
	seen, times := written, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		data, err := os.ReadFile(sc.path)
		now := string(data)
		if err != nil {
			now = ""
		}
		if now != seen {
			seen, times = now, 0
			continue
		}
		if now == written {
			continue
		}
		if times++; times > 1 || err == nil {
			s.loop.post(func() { s.submitScratch(uri, sc, now, err) })
			return
		}
	}
}

// saveScratch is told that the editor has saved the file.
func (s *Server) saveScratch(uri string, sc *scratch) {
	type content struct {
		text string
		err  error
	}
	background(s, func(context.Context) content {
		data, err := os.ReadFile(sc.path)
		return content{string(data), err}
	}, func(c content) { s.submitScratch(uri, sc, c.text, c.err) })
}

// submitScratch sends what was written into the file.
func (s *Server) submitScratch(uri string, sc *scratch, body string, err error) {
	if s.scratch[uri] != sc {
		return // answered before
	}
	if err != nil {
		s.forgetScratch(uri)
		return
	}
	at := strings.LastIndex(body, scissors) // what is quoted above may have it too
	if at < 0 {
		s.tell(bridge.NoticeWarning, "the line that says where to write is gone from the file; put it back, or delete the file to cancel")
		next := &scratch{path: sc.path, written: body, send: sc.send}
		sc.stop()
		s.awaitScratch(uri, next)
		return
	}
	text := cleanText(body[at+len(scissors):])
	if text == "" {
		s.tell(bridge.NoticeInfo, "cancelled; nothing was sent")
		s.forgetScratch(uri)
		return
	}
	result, err := sc.send(text)
	if m, ok := result.(map[string]any); err != nil || ok && m["ok"] == false {
		// Not sent: keep the file, so that the text is not lost.
		s.tell(bridge.NoticeWarning, "your text is kept in "+sc.path)
		s.unsent = true
		delete(s.scratch, uri)
		sc.stop()
		return
	}
	s.tell(bridge.NoticeInfo, "sent; the file with your text can be closed")
	s.forgetScratch(uri)
}

// awaitScratch begins to look for a text in a file.
func (s *Server) awaitScratch(uri string, sc *scratch) {
	var ctx context.Context
	ctx, sc.stop = context.WithCancel(s.ctx)
	s.scratch[uri] = sc
	go s.guarded(func() { s.watchScratch(ctx, uri, sc) })
}

// forgetScratch removes a file that has been answered.
func (s *Server) forgetScratch(uri string) {
	sc := s.scratch[uri]
	if sc == nil {
		return
	}
	delete(s.scratch, uri)
	sc.stop()
	if err := os.Remove(sc.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.log.Infof("remove %s: %v", sc.path, err)
	}
}

// showText opens a text in the editor as a read-only file; not in the loop.
func (s *Server) showText(ctx context.Context, name, text string, selection *protocol.Range) (uri string, err error) {
	if !s.client.showsDocuments() {
		return "", errors.New("this editor cannot open files for a language server")
	}
	path, err := s.scratchFile(name, text, 0o400)
	if err != nil {
		return "", err
	}
	uri = ahp.FileURI(filepath.ToSlash(path))
	return uri, s.showDocument(ctx, showDocumentParams{URI: uri, TakeFocus: true, Selection: selection})
}

const scratchPrefix = "ahp-lsp-" // of the folder's name

// scratchFile writes a file of our own, in a folder only this user can read.
func (s *Server) scratchFile(name, text string, mode os.FileMode) (string, error) {
	v, err := s.inLoop(s.ctx, func() (any, error) {
		if s.dir != "" {
			return s.dir, nil
		}
		dir := s.cfg.ScratchDir
		var err error
		if dir == "" {
			dir, err = os.MkdirTemp("", scratchPrefix)
		} else {
			err = os.MkdirAll(dir, 0o700)
		}
		if err == nil {
			s.dir = dir
		}
		return dir, err
	})
	if err != nil {
		return "", fmt.Errorf("make a folder for texts: %w", err)
	}
	dir, err := os.MkdirTemp(v.(string), "")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		return "", err
	}
	return path, nil
}

// dropScratch removes the folder when the session ends, unless a text in it
// was written and not sent.
func (s *Server) dropScratch() {
	if s.dir == "" {
		return
	}
	for uri, sc := range s.scratch {
		sc.stop()
		if data, err := os.ReadFile(sc.path); err == nil && string(data) != sc.written {
			s.log.Warningf("a text that was not sent is kept in %s", sc.path)
			s.unsent = true
		}
		delete(s.scratch, uri)
	}
	if s.cfg.ScratchDir == "" && !s.unsent {
		if err := os.RemoveAll(s.dir); err != nil {
			s.log.Infof("remove %s: %v", s.dir, err)
		}
	}
}
