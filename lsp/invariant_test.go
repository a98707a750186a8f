package lsp

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

// Whatever happened, and in whatever order, the editor has the diagnostics that
// a server that starts now would send it. (The files on disk stay as they are:
// a server that starts now cannot know what they were before.)
func TestPublishedIsWhatIs(t *testing.T) {
	seeds := 24
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		editor := allEditors[seed%len(allEditors)]
		t.Run(fmt.Sprintf("%s %d", editor, seed), func(t *testing.T) {
			bubble(t, editor, ahptest.Options{}, func(r *rig) {
				w := &chaos{rig: r, rand: rand.New(rand.NewPCG(uint64(seed), 7))}
				w.begin()
				for range 12 {
					for range 1 + w.rand.IntN(8) {
						w.event()
						if w.rand.IntN(2) == 0 {
							synctest.Wait()
							w.settled()
						}
					}
					time.Sleep(time.Second) // a lost connection comes back
					synctest.Wait()
					w.settled()
					w.compare()
				}
			})
		})
	}
}

type chaos struct {
	*rig
	rand     *rand.Rand
	settings atomic.Value // map[string]any
	log      []string
}

var chaosFiles = []string{"a.txt", "b.txt", "sub/c.txt"}

func (w *chaos) begin() {
	for i, name := range chaosFiles {
		var b strings.Builder
		for line := range 30 {
			fmt.Fprintf(&b, "line %d of 😀 file %d\n", line, i)
		}
		w.write(name, b.String())
	}
	w.host.AddSession(ahptest.Session{URI: one, Title: "Chaos", Directories: []string{w.uri("")}})
	w.config = func() any { return w.settings.Load() }
	w.cfg.StateDir = w.t.TempDir()
	w.handshake()
}

func (w *chaos) pick(names []string) string { return names[w.rand.IntN(len(names))] }

func (w *chaos) opened() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range chaosFiles {
		if w.docs[w.uri(name)] != nil {
			names = append(names, name)
		}
	}
	return names
}

func (w *chaos) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

func (w *chaos) event() {
	name := w.pick(chaosFiles)
	open := slices.Contains(w.opened(), name)
	id := fmt.Sprint("n", w.rand.IntN(8))
	switch w.rand.IntN(14) {
	case 0, 1, 2:
		line := w.rand.IntN(32) - 1
		a := map[string]any{"id": id, "resource": w.uri(name), "entries": []any{map[string]any{"id": "0", "text": fmt.Sprint(id, " ", w.rand.IntN(3))}}}
		if w.rand.IntN(6) > 0 {
			a["range"] = rangeJSON([2]int{line, w.rand.IntN(12)}, [2]int{line + w.rand.IntN(3), w.rand.IntN(20)})
		}
		w.note("set %s in %s line %d", id, name, line)
		w.host.Do(annotations, map[string]any{"type": ahp.TypeAnnotationsSet, "annotation": a})
	case 3:
		w.note("remove %s", id)
		w.host.Do(annotations, map[string]any{"type": ahp.TypeAnnotationsRemoved, "annotationId": id})
	case 4:
		w.note("resolve %s", id)
		w.host.Do(annotations, resolved(id, w.rand.IntN(2) == 0))
	case 5:
		w.note("move %s to %s", id, name)
		w.host.Do(annotations, map[string]any{"type": ahp.TypeAnnotationsUpdated, "annotationId": id, "resource": w.uri(name)})
	case 6:
		w.note("reply to %s", id)
		w.host.Do(annotations, entrySet(id, fmt.Sprint(w.rand.IntN(3)), "a reply", ""))
	case 7, 8:
		if open {
			w.note("close %s", name)
			w.close(w.uri(name))
			return
		}
		text, _ := w.onDisk("/ws/" + name)
		if w.rand.IntN(2) == 0 {
			text = "typed before it was opened\n" + text
		}
		w.note("open %s", name)
		w.open(w.uri(name), "text", text)
	case 9, 10, 11:
		if open {
			w.edit(name)
		}
	case 12:
		settings := map[string]any{"showResolved": w.rand.IntN(2) == 0, "severity": map[string]any{"open": w.pick([]string{"error", "hint"})}}
		w.settings.Store(settings)
		w.note("settings %v", settings)
		w.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	case 13:
		switch w.rand.IntN(4) {
		case 0:
			w.note("the connection is lost")
			w.host.DropConnections()
		case 1:
			w.note("the connection is lost, and the host forgot us")
			w.host.ForgetClients()
			w.host.DropConnections()
		case 2:
			w.note("the files are looked at again")
			w.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": w.uri(name), "type": 2}}})
		case 3:
			if open {
				w.note("reload %s", name)
				text := w.buffer(name)
				w.close(w.uri(name))
				w.open(w.uri(name), "text", text)
			}
		}
	}
}

// edit changes a line, or several, or everything.
func (w *chaos) edit(name string) {
	text := w.buffer(name)
	lines := strings.SplitAfter(text, "\n")
	from := w.rand.IntN(len(lines))
	to := min(from+w.rand.IntN(4), len(lines))
	start, end := len(strings.Join(lines[:from], "")), len(strings.Join(lines[:to], ""))
	switch w.rand.IntN(5) {
	case 0:
		disk, _ := w.onDisk("/ws/" + name)
		w.note("replace %s by what is on disk", name)
		w.replace(w.uri(name), disk)
	case 1:
		w.note("delete %s %d–%d", name, from, to)
		w.splice(w.uri(name), start, end, "")
	case 2:
		w.note("insert into %s at %d", name, from)
		w.splice(w.uri(name), start, start, "inserted é\nand more\n")
	default:
		w.note("type in %s at %d", name, from)
		w.splice(w.uri(name), start, start, "x")
	}
}

// compare starts another server on the same host and folder, for an editor with
// the same documents.
func (w *chaos) compare() {
	w.t.Helper()
	fresh := w.twin()
	fresh.handshake()
	for _, name := range w.opened() {
		fresh.open(w.uri(name), "text", w.buffer(name))
	}
	synctest.Wait()
	time.Sleep(time.Second)
	synctest.Wait()
	want, got := fresh.sets(), w.sets()
	require.Equal(w.t, fresh.comments(), w.comments(), "after:\n%s", strings.Join(w.log, "\n"))
	fresh.end()
	require.Equal(w.t, want, got, "after:\n%s", strings.Join(w.log, "\n"))
}

// comments is how many open comments the status says there are.
func (r *rig) comments() (n struct{ Comments int }) {
	id := r.ask("workspace/executeCommand", map[string]any{"command": "ahp.status"})
	synctest.Wait()
	require.NoError(r.t, json.Unmarshal(r.result(id), &n))
	return n
}

// twin is a rig of its own on the same host and workspace.
func (w *chaos) twin() *rig {
	r := &rig{t: w.t, host: w.host, params: w.params, base: w.base, log: w.rig.log, code: make(chan int, 1), cfg: w.cfg}
	r.toSrv, r.input = io.Pipe()
	var from *io.PipeReader
	from, r.fromSv = io.Pipe()
	r.editor = newEditor(w.t, &recorder{replace: w.rec.replace, ids: map[string]string{}, off: true}, r.input)
	r.editor.name, r.editor.onDisk, r.editor.config = w.name, w.rig.onDisk, w.config
	go r.editor.read(from)
	return r
}

// sets are the diagnostics that the editor has now, without the empty ones.
func (e *editor) sets() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := map[string]string{}
	for uri, raw := range e.has {
		var p struct{ Diagnostics []json.RawMessage }
		_ = json.Unmarshal([]byte(raw), &p)
		list := make([]string, len(p.Diagnostics))
		for i, d := range p.Diagnostics {
			list[i] = string(d)
		}
		if len(list) > 0 {
			out[e.rec.replace.Replace(uri)] = strings.Join(list, "\n")
		}
	}
	return out
}
