package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
	"ahp-lsp/lsp/protocol"
)

// rig is a Server between an editor and an agent host, all in memory and inside
// a synctest bubble; the workspace is a real folder. Everything is at rest
// between two steps.
type rig struct {
	*editor
	t      *testing.T
	host   *ahptest.Host
	server *Server
	cfg    Config
	params map[string]any // of initialize
	base   string         // holds the workspace and the folder of scratch files
	log    *testLog
	toSrv  *io.PipeReader // what the editor writes
	fromSv *io.PipeWriter
	input  *io.PipeWriter
	code   chan int // the exit code, once Run has returned

	operations chan operationEnd // see holdOperations
}

// bubble runs a test of a rig in a bubble. Nothing is started yet.
func bubble(t *testing.T, editor string, o ahptest.Options, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newRig(t, editor, o)) })
}

func newRig(t *testing.T, editor string, o ahptest.Options) *rig {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &rig{t: t, base: base, log: &testLog{Logger: commonlog.MOCK_LOGGER, t: t}, code: make(chan int, 1)}
	require.NoError(t, os.Mkdir(filepath.Join(base, "ws"), 0o755))
	rec := &recorder{replace: strings.NewReplacer(base, ""), ids: map[string]string{}, off: true}
	r.host = ahptest.New(o)
	t.Cleanup(r.host.Close)
	r.host.OnFrame(newFrameRecorder(rec).frame)

	r.toSrv, r.input = io.Pipe()
	var fromServer *io.PipeReader
	fromServer, r.fromSv = io.Pipe()
	r.editor = newEditor(t, rec, r.input)
	r.editor.name = editor
	r.editor.onDisk = r.onDisk
	r.params = initializeParamsOf(t, editor)
	r.params["rootPath"], r.params["rootUri"] = filepath.Join(base, "ws"), r.uri("")
	r.params["workspaceFolders"] = []any{map[string]any{"uri": r.uri(""), "name": "ws"}}
	r.cfg = Config{
		Version: "1", Log: r.log, Dial: r.host.Dial, ScratchDir: filepath.Join(base, "scratch"),
		Flags: Settings{Host: ahptest.MemoryURL},
	}
	go r.editor.read(fromServer)
	t.Cleanup(r.end)
	return r
}

// initializeParamsOf are a real editor's.
func initializeParamsOf(t testing.TB, editor string) (params map[string]any) {
	t.Helper()
	data, err := os.ReadFile("../testdata/editors/initialize-" + editor + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &params))
	return params
}

// capability sets a member of the client's capabilities; nil removes it.
func (r *rig) capability(path string, value any) {
	names := strings.Split(path, ".")
	m := r.params["capabilities"].(map[string]any)
	for _, n := range names[:len(names)-1] {
		m = m[n].(map[string]any)
	}
	if value == nil {
		delete(m, names[len(names)-1])
	} else {
		m[names[len(names)-1]] = value
	}
}

// run starts the Server.
func (r *rig) run() {
	r.server = New(r.cfg)
	go func() {
		code, err := r.server.Run(context.Background(), r.toSrv, r.fromSv)
		if err != nil {
			r.log.Errorf("run: %v", err)
		}
		r.code <- code
	}()
}

// start runs the Server and shakes hands; the transcript begins behind it.
func (r *rig) start() {
	r.t.Helper()
	r.handshake()
	r.rec.mu.Lock()
	r.rec.entries = nil
	r.rec.mu.Unlock()
	r.rec.off = false
}

func (r *rig) handshake() {
	r.t.Helper()
	r.run()
	raw := encodeJSON(r.params)
	var p protocol.InitializeParams
	require.NoError(r.t, json.Unmarshal(raw, &p))
	r.caps = p.Capabilities
	id := r.ask("initialize", raw)
	synctest.Wait()
	var result struct {
		Capabilities struct{ PositionEncoding string }
	}
	require.NoError(r.t, json.Unmarshal(r.result(id), &result))
	r.encoding = result.Capabilities.PositionEncoding
	r.notify("initialized", map[string]any{})
	synctest.Wait()
}

// step does something and lets everything come to rest.
func (r *rig) step(title string, do func()) {
	do()
	synctest.Wait()
	r.settled()
	r.rec.flush(title)
}

// passes lets time pass.
func (r *rig) passes(d time.Duration) {
	r.step(fmt.Sprintf("%s later", d), func() { time.Sleep(d) })
}

// result is the answer to a request; an error fails the test.
func (r *rig) result(id string) json.RawMessage {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Empty(r.t, string(r.errors[id]))
	raw, ok := r.results[id]
	require.True(r.t, ok, "%s has no answer", r.asked[id])
	return raw
}

// end shuts the Server down as editors do, unless that has been done.
func (r *rig) end() {
	if r.server == nil {
		r.fromSv.Close()
		return
	}
	select {
	case <-r.code:
		return
	default:
	}
	r.rec.off = true
	r.ask("shutdown", nil)
	synctest.Wait()
	r.notify("exit", nil)
	require.Zero(r.t, <-r.code, "exit code")
	r.server = nil
	r.input.Close()
}

// inLoop runs f in the server's loop and waits for it.
func (r *rig) inLoop(f func()) {
	done := make(chan struct{})
	r.server.loop.post(func() {
		defer close(done)
		f()
	})
	<-done
}

// comment names a comment to a command.
func comment(session, id string) protocol.ThreadArgs {
	return protocol.ThreadArgs{Session: session, Annotation: id}
}

// testLog fails the test when the server says that something is its own fault.
type testLog struct {
	commonlog.Logger
	t *testing.T

	mu      sync.Mutex
	lines   []string
	allowed bool // faults are part of the test
}

func (l *testLog) add(level, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, level+" "+fmt.Sprintf(format, args...))
}

func (l *testLog) Criticalf(format string, args ...any) { l.fault("critical", format, args...) }
func (l *testLog) Errorf(format string, args ...any)    { l.fault("error", format, args...) }
func (l *testLog) Warningf(format string, args ...any)  { l.add("warning", format, args...) }
func (l *testLog) Infof(format string, args ...any)     { l.add("info", format, args...) }
func (l *testLog) Debugf(format string, args ...any)    { l.add("debug", format, args...) }

func (l *testLog) fault(level, format string, args ...any) {
	l.add(level, format, args...)
	if !l.allowed {
		l.t.Errorf("log: "+format, args...)
	}
}

func (l *testLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// Files of the workspace.

func (r *rig) path(name string) string { return filepath.Join(r.base, "ws", filepath.FromSlash(name)) }

// uri is a file's as editors spell it; "" is the workspace.
func (r *rig) uri(name string) string {
	return strings.TrimSuffix(ahp.FileURI(filepath.ToSlash(r.path(name))), "/")
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	require.NoError(r.t, os.WriteFile(r.path(name), []byte(text), 0o644))
}

// onDisk is the text of a file by the URI that transcripts have.
func (r *rig) onDisk(uri string) (string, bool) {
	path, ok := ahp.FilePath(uri)
	if !ok {
		return "", false
	}
	data, err := os.ReadFile(filepath.Join(r.base, path))
	text := strings.TrimPrefix(string(data), "\uFEFF")
	return text, err == nil && utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

func (r *rig) remove(name string) { require.NoError(r.t, os.Remove(r.path(name))) }

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
