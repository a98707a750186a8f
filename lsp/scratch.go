package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/command"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/workspace"
)

// scissors separates, in a file that asks for a text, what is only shown from
// what will be sent.
const scissors = "<!-- Write below this line, then save the file to send. Save it empty to cancel. -->"

// scratchPoll is how often a file that waits for a text is looked at: an
// editor tells this server of a save only for the languages it is set up for.
const scratchPoll = 300 * time.Millisecond

// scratchFiles are the files that the editor opens to show or ask for text. It
// belongs to the loop, but for dir.
type scratchFiles struct {
	s       *Server
	waiting map[string]*scratch // files that wait for a text, by canonical URI
	dir     scratchDir
}

// scratch is a file that the editor opened to ask the user for a text.
type scratch struct {
	path    string
	written string // what we wrote: unchanged means not answered yet
	send    func(ctx context.Context, text string) (command.Result, error)
	stop    context.CancelFunc
}

func newScratchFiles(s *Server) *scratchFiles {
	return &scratchFiles{s: s, waiting: map[string]*scratch{}, dir: scratchDir{fixed: s.cfg.ScratchDir}}
}

// has reports whether a file is one of ours.
func (sf *scratchFiles) has(uri string) bool {
	dir := sf.dir.made()
	return sf.waiting[uri] != nil || dir != "" && workspace.InsideURI(uri, ahp.FileURI(filepath.ToSlash(dir)))
}

// ask asks for a text through a file. It leaves the loop until the editor shows
// the file.
func (sf *scratchFiles) ask(ctx context.Context, r command.TextRequest) (uri string, err error) {
	body := "<!-- " + r.Intro + " (ahp-lsp) -->\n"
	for _, line := range strings.Split(strings.TrimRight(r.Quoted, "\n"), "\n") {
		if r.Quoted != "" {
			body += "> " + line + "\n"
		}
	}
	body += scissors + "\n" + r.Initial + "\n"
	var path string
	outside(ctx, func() { path, err = sf.dir.write("ahp-"+r.Name+".md", body, 0o600) })
	if err != nil {
		return "", err
	}
	uri = ahp.FileURI(filepath.ToSlash(path))
	sf.await(uri, &scratch{path: path, written: body, send: r.Send})
	line := protocol.UInteger(strings.Count(body, "\n") - strings.Count(r.Initial, "\n") - 1)
	at := protocol.Position{Line: line}
	outside(ctx, func() {
		err = sf.s.editor.showDocument(ctx, protocol.ShowDocumentParams{URI: uri, TakeFocus: true, Selection: &protocol.Range{Start: at, End: at}})
	})
	if err != nil {
		sf.forget(uri)
		return "", err
	}
	return uri, nil
}

// await begins to look for a text in a file.
func (sf *scratchFiles) await(uri string, sc *scratch) {
	var ctx context.Context
	ctx, sc.stop = context.WithCancel(sf.s.ctx)
	sf.waiting[uri] = sc
	go sf.s.guarded(func() {
		if body, err, saved := sc.watch(ctx); saved {
			sf.submitLater(uri, sc, body, err)
		}
	})
}

// watch waits for the file to be saved. Editors write in several steps: what was
// found counts when it is found again. saved is false if ctx ended before; err
// says that the file is gone.
func (sc *scratch) watch(ctx context.Context) (body string, err error, saved bool) {
	tick := time.NewTicker(scratchPoll)
	defer tick.Stop()
	last, times := sc.written, 0
	for {
		select {
		case <-ctx.Done():
			return "", nil, false
		case <-tick.C:
		}
		data, err := os.ReadFile(sc.path)
		now := string(data)
		if err != nil {
			now = ""
		}
		if now != last {
			last, times = now, 0
			continue
		}
		if now == sc.written {
			continue
		}
		if times++; times > 1 || err == nil {
			return now, err, true
		}
	}
}

// saved says that the editor has saved a file.
func (sf *scratchFiles) saved(uri string) {
	sc := sf.waiting[uri]
	if sc == nil {
		return
	}
	go sf.s.guarded(func() {
		data, err := os.ReadFile(sc.path)
		sf.submitLater(uri, sc, string(data), err)
	})
}

// submitLater is submit from outside the loop.
func (sf *scratchFiles) submitLater(uri string, sc *scratch, body string, err error) {
	sf.s.loop.post(func() {
		sf.s.loop.begin(sf.s.ctx, func(ctx context.Context) { sf.submit(ctx, uri, sc, body, err) }, func() {})
	})
}

// submit sends what was written into the file.
func (sf *scratchFiles) submit(ctx context.Context, uri string, sc *scratch, body string, err error) {
	if sf.waiting[uri] != sc {
		return // answered before
	}
	if err != nil {
		sf.forget(uri)
		return
	}
	tell := sf.s.editor.tell
	at := strings.LastIndex(body, scissors) // what is quoted above may have it too
	if at < 0 {
		tell(remote.NoticeWarning, "the line that says where to write is gone from the file; put it back, or delete the file to cancel")
		sc.stop()
		sf.await(uri, &scratch{path: sc.path, written: body, send: sc.send})
		return
	}
	text := strings.TrimSpace(strings.ReplaceAll(body[at+len(scissors):], "\r\n", "\n"))
	if text == "" {
		tell(remote.NoticeInfo, "cancelled; nothing was sent")
		sf.forget(uri)
		return
	}
	delete(sf.waiting, uri) // once
	sc.stop()
	if r, err := sc.send(ctx, text); err != nil || !r.OK {
		// Not sent: keep the file, so that the text is not lost.
		tell(remote.NoticeWarning, "your text is kept in "+sc.path)
		sf.dir.keep()
		return
	}
	tell(remote.NoticeInfo, "sent; the file with your text can be closed")
	sf.remove(sc)
}

// forget removes a file that has been answered.
func (sf *scratchFiles) forget(uri string) {
	if sc := sf.waiting[uri]; sc != nil {
		delete(sf.waiting, uri)
		sc.stop()
		sf.remove(sc)
	}
}

// remove deletes the file, in the background.
func (sf *scratchFiles) remove(sc *scratch) {
	sf.s.atEnd(func() {
		if err := os.Remove(sc.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			sf.s.cfg.Log.Infof("remove %s: %v", sc.path, err)
		}
	})
}

// drop removes the folder when the session ends, unless a text in it was written
// and not sent.
func (sf *scratchFiles) drop() {
	waiting := sf.waiting
	sf.waiting = map[string]*scratch{}
	for _, sc := range waiting {
		sc.stop()
	}
	sf.s.atEnd(func() {
		for _, sc := range waiting {
			if data, err := os.ReadFile(sc.path); err == nil && string(data) != sc.written {
				sf.s.cfg.Log.Warningf("a text that was not sent is kept in %s", sc.path)
				sf.dir.keep()
			}
		}
		if err := sf.dir.remove(); err != nil {
			sf.s.cfg.Log.Infof("%v", err)
		}
	})
}

// show opens a text in the editor as a read-only file; outside the loop.
func (sf *scratchFiles) show(ctx context.Context, name, text string, selection *protocol.Range) (uri string, err error) {
	if !sf.s.editor.client.ShowsDocuments() {
		return "", errNoDocuments
	}
	path, err := sf.dir.write(name, text, 0o400)
	if err != nil {
		return "", err
	}
	uri = ahp.FileURI(filepath.ToSlash(path))
	return uri, sf.s.editor.showDocument(ctx, protocol.ShowDocumentParams{URI: uri, TakeFocus: true, Selection: selection})
}

const scratchPrefix = "ahp-lsp-" // of the folder's name

// scratchDir is a folder of our own that only this user can read, made when it is
// needed. It may be used from anywhere.
type scratchDir struct {
	fixed string // its path, if it was given; the folder then stays

	path  atomic.Value // string; none until it is made
	stays atomic.Bool  // a text in it was not sent
	mu    sync.Mutex   // held while it is made
}

// made is the folder's path, "" until it is made. It does not wait.
func (d *scratchDir) made() string {
	path, _ := d.path.Load().(string)
	return path
}

// keep says that a text in the folder was not sent.
func (d *scratchDir) keep() { d.stays.Store(true) }

// write makes a file in the folder.
func (d *scratchDir) write(name, text string, mode os.FileMode) (path string, err error) {
	root, err := d.make()
	if err != nil {
		return "", fmt.Errorf("make a folder for texts: %w", err)
	}
	dir, err := os.MkdirTemp(root, "")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(name))
	return path, os.WriteFile(path, []byte(text), mode)
}

func (d *scratchDir) make() (path string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if path = d.made(); path != "" {
		return path, nil
	}
	path = d.fixed
	if path == "" {
		path, err = os.MkdirTemp("", scratchPrefix)
	} else {
		err = os.MkdirAll(path, 0o700)
	}
	if err == nil {
		d.path.Store(path)
	}
	return path, err
}

// remove removes the folder, unless it was given or has a text that was not sent.
func (d *scratchDir) remove() error {
	path := d.made()
	if path == "" || d.fixed != "" || d.stays.Load() {
		return nil
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}
