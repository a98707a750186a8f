package githost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
)

// recorded is a line of a recorded conversation.
type recorded struct {
	Conn, Dir string
	Msg       json.RawMessage
}

func recordings(t testing.TB) (out []recorded) {
	file, err := os.Open(filepath.Join("..", "..", "testdata", "ahp", "transcripts", "vscode-1.139.1-ahp-0.9.0.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		out = append(out, r)
	}
	require.NoError(t, lines.Err())
	return out
}

// TestRecordedClient sends what the recorded clients sent to the reference host,
// with this host's session in the place of theirs. Every request is answered,
// once; and where the conversation is about the protocol itself, with the code
// that the reference host gave.
func TestRecordedClient(t *testing.T) {
	w := newTree(t, "src/main.go", "package main\n", "README.md", "# demo\n")
	w.write("README.md", "# changed\n")
	h := w.host()
	const theirs = "ahp-session:/b24af53c-b8f8-431c-a20d-cbbe3505d994"
	ours := strings.NewReplacer(
		theirs, h.names.Session, "file:///home/dev/ws", h.names.Root,
		"ahp-chat://default/YWhwLXNlc3Npb246L2IyNGFmNTNjLWI4ZjgtNDMxYy1hMjBkLWNiYmUzNTA1ZDk5NA", h.names.Chat,
	)
	codes := map[string]int{} // conn and id → code of the reference host's error
	for _, r := range recordings(t) {
		if m, err := ahp.DecodeMessage(r.Msg); err == nil && r.Dir == "recv" && m.ID != nil && m.Error != nil {
			codes[r.Conn+" "+string(m.ID)] = m.Error.Code
		}
	}
	// Codes that must be the same, whatever the host offers.
	same := map[int]bool{ahp.CodeParse: true, ahp.CodeNoSession: true}
	clients := map[string]*client{}
	requests := 0
	for _, r := range recordings(t) {
		switch r.Dir {
		case "open":
			// Some names are used again for a connection that failed.
			delete(clients, r.Conn)
		case "send":
			c := clients[r.Conn]
			if c == nil {
				c = raw(t, h)
				c.lax = true // they negotiate 0.9
				clients[r.Conn] = c
			}
			var frame string
			if json.Unmarshal(r.Msg, &frame) != nil {
				frame = ours.Replace(string(bytes.TrimSpace(r.Msg)))
			}
			m, err := ahp.DecodeMessage([]byte(frame))
			c.sendRaw(frame)
			switch {
			case err != nil:
				require.Equal(t, ahp.CodeParse, c.answer("null").Error.Code)
			case len(m.ID) > 0 && m.Method != "":
				requests++
				got := c.answer(string(m.ID))
				if code := codes[r.Conn+" "+string(m.ID)]; same[code] && got.Error != nil && got.Error.Code != ahp.CodeMethodNotFound {
					require.Equal(t, code, got.Error.Code, "%s: %s", frame, got.Error.Message)
				}
			}
		}
	}
	require.Greater(t, requests, 100)
	// It is as it was: and still there.
	c := connect(t, h)
	c.mirror(h.names.Session + "/changeset/uncommitted").ready()
	s, err := ahp.DecodeAnnotations(c.subscribe(h.names.Annotations))
	require.NoError(t, err)
	for a := range s.All() {
		require.NotEmpty(t, a.Entries, "%s: what hosts let pass is refused here", a.ID)
	}
	require.Positive(t, s.Len())
}

// FuzzFrames sends anything to a host: it answers what is a request, and lives.
func FuzzFrames(f *testing.F) {
	for _, r := range recordings(f) {
		if r.Dir == "send" && len(r.Msg) < 1500 && bytes.HasPrefix(r.Msg, []byte("{")) {
			f.Add([]byte(r.Msg))
		}
	}
	w := newTree(f, "a.txt", "1\n")
	h := w.host(brief, func(o *Options) { o.Log = commonlog.MOCK_LOGGER })
	uris := strings.NewReplacer("ahp-session:/b24af53c-b8f8-431c-a20d-cbbe3505d994", h.names.Session)
	f.Fuzz(func(t *testing.T, frame []byte) {
		frame = []byte(uris.Replace(string(frame)))
		if bytes.Contains(frame, []byte("invokeChangesetOperation")) {
			return // git would be asked a thousand times a second
		}
		p := &peer{h: h, ctx: h.ctx, cut: func() {}, out: newOutgoing(), slow: make(chan struct{}, 1), subscribed: subscriptions{}}
		h.mu.Lock()
		p.id, p.version, p.shape, p.ready = "fuzz", "0.9.0", shapeOrigin, true
		h.mu.Unlock()
		p.receive(frame)
		h.mu.Lock()
		out := p.out.frames
		h.mu.Unlock()
		for _, o := range out {
			data := o.data
			if o.late != nil {
				data = o.late()
			}
			require.True(t, json.Valid(data), "%s", data)
		}
	})
}
