package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"
	"go.uber.org/goleak"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	one = "ahp-session:/1"
	two = "ahp-session:/2"
)

// rig is a Client on an in-memory Host, inside a synctest bubble.
type rig struct {
	t    *testing.T
	host *ahptest.Host
	c    *Client
	log  *logRecorder

	mu      sync.Mutex
	changes []Change
	all     []Change
}

// bubble runs a test in a bubble of testing/synctest, with a Host that is closed at
// its end. Time is the bubble's there: time.Sleep moves the clock once everybody is
// idle, and waits for nothing real.
func bubble(t *testing.T, o ahptest.Options, test func(*testing.T, *ahptest.Host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := ahptest.New(o)
		t.Cleanup(h.Close)
		test(t, h)
	})
}

// start runs a Client on the host; adjust may change its configuration.
func start(t *testing.T, h *ahptest.Host, adjust func(*Config)) *rig {
	t.Helper()
	r := &rig{t: t, host: h, log: &logRecorder{}}
	cfg := Config{
		Hosts: func() []Host { return []Host{{URL: ahptest.MemoryURL}} }, Dial: h.Dial, Log: r.log,
		OnChange: func(ch Change) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.changes, r.all = append(r.changes, ch), append(r.all, ch)
		},
	}
	if adjust != nil {
		adjust(&cfg)
	}
	r.c = New(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.c.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	synctest.Wait()
	return r
}

// take returns the changes since the last call, once everything is at rest.
func (r *rig) take() []Change {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.changes
	r.changes = nil
	return out
}

// these picks the changes of one kind.
func these[T Change](changes []Change) (out []T) {
	for _, ch := range changes {
		if c, ok := ch.(T); ok {
			out = append(out, c)
		}
	}
	return out
}

// last is the newest change of a kind; the zero value if there is none.
func last[T Change](changes []Change) (out T) {
	if list := these[T](changes); len(list) > 0 {
		out = list[len(list)-1]
	}
	return out
}

func (r *rig) everything() []Change {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

// shown replays every AnnotationsChanged into the annotations a user sees, and
// checks on the way that Old is what was shown before.
func (r *rig) shown(session string) map[string]*ahp.Annotation {
	r.t.Helper()
	out := map[string]*ahp.Annotation{}
	for _, ch := range these[AnnotationsChanged](r.everything()) {
		if ch.Session != session {
			continue
		}
		for _, a := range ch.Changed {
			var id string
			if a.New != nil {
				id = a.New.ID
			} else {
				require.NotNil(r.t, a.Old, "a change from nothing to nothing")
				id = a.Old.ID
			}
			require.Same(r.t, out[id], a.Old, "Old of %s is not what was shown", id)
			if a.New == nil {
				delete(out, id)
			} else {
				out[id] = a.New
			}
		}
	}
	return out
}

// sessions is the newest list of sessions by URI.
func (r *rig) sessions() map[string]SessionInfo {
	out := map[string]SessionInfo{}
	for _, s := range last[SessionsChanged](r.everything()).Sessions {
		out[s.URI] = s
	}
	return out
}

// changesets are the followed ones as they were last told.
func (r *rig) changesets() map[string]*ChangesetView {
	out := map[string]*ChangesetView{}
	for _, ch := range these[ChangesetChanged](r.everything()) {
		if out[ch.Channel] = ch.View; ch.View == nil {
			delete(out, ch.Channel)
		}
	}
	return out
}

// sent are the params of what the client sent with a method, in order.
func sent(h *ahptest.Host, method string) (out []json.RawMessage) {
	for _, f := range h.Frames() {
		var m ahp.Message
		if f.Dir == ahptest.Send && json.Unmarshal(f.Data, &m) == nil && m.Method == method {
			out = append(out, m.Params)
		}
	}
	return out
}

// channelsOf are the channels in a list of params.
func channelsOf(params []json.RawMessage) (out []string) {
	for _, raw := range params {
		var p struct{ Channel string }
		_ = json.Unmarshal(raw, &p)
		out = append(out, p.Channel)
	}
	return out
}

func annotation(id, text string) *ahp.Annotation {
	return &ahp.Annotation{ID: id, Resource: "file:///w/a.go", Entries: []ahp.Entry{{ID: id + ".1", Text: ahp.Plain(text)}}}
}

type jsonRaw = json.RawMessage

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// logRecorder keeps what is logged.
type logRecorder struct {
	commonlog.Logger
	mu    sync.Mutex
	lines []string
}

func (l *logRecorder) Warningf(format string, args ...any) { l.add(fmt.Sprintf(format, args...)) }

func (l *logRecorder) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *logRecorder) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
