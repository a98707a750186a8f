package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
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

var update = flag.Bool("update", false, "write the golden conversations in testdata/bridge")

// TestConversations compares what goes over the wire, and what the client
// reports, with testdata/bridge, in every form that a reconnect has. The frames
// of each direction are in their order; the two directions are written apart,
// for they run side by side.
func TestConversations(t *testing.T) {
	away := func(h *ahptest.Host) { // what happens while the client is away
		h.Do(notes, must(ahp.ResolveAnnotation("a", true)))
		h.Do(cs+"uncommitted", `{"type":"changeset/fileSet","file":{"id":"b","edit":{"after":{"uri":"file:///ws/b","content":{"uri":"x:b"}}}}}`)
	}
	recovering := func(r ahptest.Recovery) func(*conversation) {
		return func(v *conversation) {
			v.host.SetRecovery(r)
			v.dispatch("mine", true)
			v.reconnect(func() { away(v.host) })
		}
	}
	for name, play := range map[string]func(*conversation){
		"reconnect-replay":      recovering(ahptest.Replay),
		"reconnect-snapshot":    recovering(ahptest.Snapshots),
		"reconnect-per-channel": recovering(ahptest.PerChannel),
		"reconnect-forgotten": func(v *conversation) { // -32008
			v.host.ForgetClients()
			v.reconnect(func() { away(v.host) })
		},
		"reconnect-refused": func(v *conversation) { // -32602
			v.host.Intercept(func(method string, _ json.RawMessage) (any, *ahp.Error, bool) {
				return nil, &ahp.Error{Code: ahp.CodeInvalidParams, Message: "Invalid params"}, method == "reconnect"
			})
			v.reconnect(func() { away(v.host) })
		},
		"reconnect-restarted": func(v *conversation) { // the sequence begins at 0 again
			v.host.Do(notes, must(ahp.ResolveAnnotation("a", true)))
			synctest.Wait()
			fresh := ahptest.New(ahptest.Options{})
			v.t.Cleanup(fresh.Close)
			v.furnish(fresh)
			old := v.host
			v.host = fresh
			v.now.Store(fresh)
			v.record(old)
			old.DropConnections()
			time.Sleep(time.Minute)
			fresh.Do(notes, must(ahp.ResolveAnnotation("a", false)))
			fresh.Do(notes, set(annotation("b", "new")))
		},
		"reconnect-missing": func(v *conversation) {
			v.reconnect(func() { v.host.RemoveSession(one) })
		},
		"session-comes-back": func(v *conversation) {
			v.host.RemoveSession(one)
			synctest.Wait()
			v.furnish(v.host)
		},
		"over-limit": func(v *conversation) {
			v.host.SetAnnotations(one, annotation("a", strings.Repeat("x", 20_000)))
			v.host.SetRecovery(ahptest.Snapshots)
			v.reconnect(func() {})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := ahptest.New(ahptest.Options{})
				t.Cleanup(h.Close)
				v := &conversation{t: t, host: h, root: makeFolders(t)}
				v.now.Store(h)
				v.furnish(h)
				v.rig = start(t, h, func(c *Config) {
					c.Roots, c.ReadLimit = []string{v.root}, 10_000
					c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
						return v.now.Load().Dial(ctx, network, address)
					}
				})
				synctest.Wait()
				play(v)
				synctest.Wait()
				v.record(v.host)
				text := v.text()
				if name == "over-limit" {
					// Sessions are listed and subscribed to at the same time: which is asked
					// for first, and so every id behind it, differs from run to run.
					_, text, _ = strings.Cut(text, "# what the client reports")
				}
				compareGolden(t, filepath.Join("..", "testdata", "bridge", name+".txt"), text)
			})
		})
	}
}

// conversation is a client and a host, and what went between them.
type conversation struct {
	*rig
	t    *testing.T
	host *ahptest.Host
	now  atomic.Pointer[ahptest.Host] // the one that is dialled
	root string
	out  bytes.Buffer
}

// furnish gives a host a session with a comment and a changeset, which are there
// when the session is.
func (v *conversation) furnish(h *ahptest.Host) {
	h.SetAnnotations(one, annotation("a", "first"))
	h.SetChangeset(cs+"uncommitted", ready("a"))
	h.AddSession(ahptest.Session{
		URI: one, Title: "One", Directories: []string{v.root}, Turns: []ahp.Turn{{ID: "t1", Text: "Go", State: ahp.TurnComplete}},
		Changesets: []ahp.CatalogueEntry{{Kind: KindUncommitted}},
	})
}

// dispatch sends a comment of the client's; deaf: the host does not hear it.
func (v *conversation) dispatch(id string, deaf bool) {
	v.host.Deaf(deaf)
	require.NoError(v.t, v.c.Dispatch(notes, set(annotation(id, "mine"))))
	synctest.Wait()
	v.host.Deaf(false)
}

// reconnect cuts the connection; meanwhile runs before the client is back.
func (v *conversation) reconnect(meanwhile func()) {
	v.host.DropConnections()
	meanwhile()
	time.Sleep(time.Minute)
	synctest.Wait()
}

// record writes what a host saw.
func (v *conversation) record(h *ahptest.Host) {
	byConn := map[int][2][]ahptest.Frame{}
	for _, f := range h.Frames() {
		both := byConn[f.Conn]
		if f.Dir == ahptest.Send {
			both[0] = append(both[0], f)
		} else {
			both[1] = append(both[1], f)
		}
		byConn[f.Conn] = both
	}
	for conn := 1; conn <= len(byConn); conn++ {
		for i, dir := range []string{"client→", "host→"} {
			fmt.Fprintf(&v.out, "# connection %d, %s\n", conn, dir)
			pings := 0
			for _, f := range byConn[conn][i] {
				var m ahp.Message
				require.NoError(v.t, json.Unmarshal(f.Data, &m))
				if m.Method == "ping" || string(m.Result) == "null" {
					pings++ // one each few seconds
					continue
				}
				fmt.Fprintln(&v.out, dir, v.plain(f.Data))
			}
			if pings > 0 {
				fmt.Fprintln(&v.out, dir, "(pings)")
			}
		}
	}
}

// plain is a frame without what differs from run to run, and without long texts.
func (v *conversation) plain(frame []byte) string {
	s := strings.NewReplacer(v.c.id, "CLIENT", v.root, "file:///ws", `"jsonrpc":"2.0",`, "", `,"jsonrpc":"2.0"`, "").Replace(string(frame))
	if long := strings.Repeat("x", 20_000); strings.Contains(s, long) {
		s = strings.ReplaceAll(s, long, "x… (20000)")
	}
	return s
}

// text is the conversation. What the client reports is given kind by kind: lists,
// chats and comments come from goroutines of their own, so only the order within a
// kind is certain, and how often the same is said again is not.
func (v *conversation) text() string {
	fmt.Fprintln(&v.out, "# what the client reports, by kind")
	kinds := map[string][]string{}
	for _, ch := range v.everything() {
		if _, ok := ch.(CaughtUp); ok {
			continue // see TestCaughtUp
		}
		line := v.plain([]byte(describe(ch)))
		kind, _, _ := strings.Cut(line, " ")
		if said := kinds[kind]; len(said) == 0 || said[len(said)-1] != line {
			kinds[kind] = append(said, line)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintln(&v.out, strings.Join(kinds[kind], "\n"))
	}
	return v.out.String()
}

func describe(ch Change) string {
	switch ch := ch.(type) {
	case ConnectionChanged:
		return fmt.Sprintf("connection %s %v", ch.Connection.State, ch.Connection.Err)
	case OutageChanged:
		return fmt.Sprintf("outage over=%t", ch.Outage.Over)
	case SessionsChanged:
		out := "sessions"
		for _, s := range ch.Sessions {
			out += fmt.Sprintf(" %s followed=%t %s", s.URI, s.Followed, s.Reason)
		}
		return out
	case SessionChanged:
		if ch.View == nil {
			return "session " + ch.Session + " gone"
		}
		return fmt.Sprintf("session %s %q turns=%d known=%t", ch.Session, ch.View.State.Title, len(ch.View.Chat.Turns), ch.View.ChatKnown)
	case AnnotationsChanged:
		out := fmt.Sprintf("annotations live=%t gone=%t", ch.Live, ch.Gone)
		for _, c := range ch.Changed {
			out += " " + describeAnnotation(c.Old) + "→" + describeAnnotation(c.New)
		}
		return out
	case AnnotationsLost:
		return fmt.Sprintf("lost %v", ids(ch.Annotations))
	case ChangesetChanged:
		if ch.View == nil {
			return "changeset " + ch.Channel + " gone"
		}
		return fmt.Sprintf("changeset %s %s files=%v touched=%v", ch.Channel, ch.View.State.Status, fileIDs(ch.View.State.Files()), fileIDs(ch.Touched))
	case Rejected:
		return fmt.Sprintf("rejected %s %s", ch.Action.Type, ch.Reason)
	case Confirmed:
		return "confirmed " + ch.Action.Type
	case Notice:
		return "notice " + ch.Text
	}
	return fmt.Sprintf("%T", ch)
}

func describeAnnotation(a *ahp.Annotation) string {
	if a == nil {
		return "-"
	}
	return fmt.Sprintf("%s(%d,%t)", a.ID, len(a.Entries), a.Resolved)
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it with: go test ./bridge -run Conversations -update")
	if a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n"); !slices.Equal(a, b) {
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s:%d:\nwant %s\ngot  %s", path, i+1, a[i], b[i])
			}
		}
		t.Fatalf("%s: %d lines, got %d", path, len(a), len(b))
	}
}
