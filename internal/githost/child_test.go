package githost

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// child is what this test binary does as a child process: it serves a work tree
// (own), and with annotate also writes comments as fast as they are
// acknowledged, and prints each one's id when it is.
func child(role string) int {
	if err := runChild(role); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		return 1
	}
	return 0
}

func runChild(role string) error {
	ctx := context.Background()
	repo, err := gitrepo.Open(ctx, os.Getenv("GITHOST_ROOT"))
	if err != nil {
		return err
	}
	defer repo.Close()
	s, err := Serve(ctx, repo, Options{Dir: os.Getenv("GITHOST_DIR"), Brief: true, Log: commonlog.MOCK_LOGGER})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println("serving", s.Owner() != nil)
	if role == "own" {
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	conn, err := s.Dial(ctx, "unix", addressOf(s))
	if err != nil {
		return err
	}
	ws, _, err := websocket.Dial(ctx, "ws://localhost/", pipeClient(conn))
	if err != nil {
		return err
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1)
	send := func(v any) error {
		data, err := ahp.Marshal(v)
		if err != nil {
			return err
		}
		return ws.Write(ctx, websocket.MessageText, data)
	}
	channel := "ahp-session:/" + repo.ID() + "/annotations"
	if err := send(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": map[string]any{
		"channel": ahp.RootURI, "clientId": "child", "protocolVersions": []string{"0.8.0"}, "initialSubscriptions": []string{channel},
	}}); err != nil {
		return err
	}
	if _, _, err := ws.Read(ctx); err != nil {
		return err
	}
	for i := 0; ; i++ {
		id := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if err := send(map[string]any{"jsonrpc": "2.0", "method": "dispatchAction", "params": map[string]any{
			"channel": channel, "clientSeq": i, "action": set(note(id)),
		}}); err != nil {
			return err
		}
		if i%8 != 7 {
			continue // a burst of eight, then their echoes
		}
		for range 8 {
			_, data, err := ws.Read(ctx)
			if err != nil {
				return err
			}
			var m struct{ Params ahp.Envelope }
			if err := json.Unmarshal(data, &m); err != nil || m.Params.RejectionReason != "" {
				return fmt.Errorf("%s: %w", data, err)
			}
			fmt.Printf("%d-%d\n", os.Getpid(), m.Params.Origin.ClientSeq)
		}
	}
}

// process is a child that runs.
type process struct {
	cmd *exec.Cmd
	out *bufio.Scanner
	in  io.WriteCloser
}

func spawn(t *testing.T, role, root, dir string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GITHOST_CHILD="+role, "GITHOST_ROOT="+root, "GITHOST_DIR="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{cmd, bufio.NewScanner(out), in}
	t.Cleanup(func() { p.kill() })
	require.True(t, p.out.Scan(), "the child said nothing")
	require.Equal(t, "serving true", p.out.Text())
	return p
}

// kill ends the child at once, as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// socketDir is a directory with a name short enough for a socket.
func socketDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gh")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// No comment that has been acknowledged is lost, whenever its host is killed.
func TestKilledAtAnyPoint(t *testing.T) {
	w := newTree(t, "a.txt", "1\n")
	dir := socketDir(t)
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	acknowledged := map[string]bool{}
	for round := range rounds {
		p := spawn(t, "annotate", w.root, dir)
		lines := make(chan string)
		go func() {
			defer close(lines)
			for p.out.Scan() {
				lines <- p.out.Text()
			}
		}()
		// The moment is a random one: it depends on how fast the child is. It
		// moves on from the first acknowledgement by a little every round.
		var killAt <-chan time.Time
		for open := true; open; {
			select {
			case id, ok := <-lines:
				if open = ok; ok {
					acknowledged[id] = true
					if killAt == nil {
						killAt = time.After(time.Duration(round*round) * time.Millisecond)
					}
				}
			case <-killAt:
				_ = p.cmd.Process.Kill()
				killAt = make(chan time.Time)
			}
		}
		p.kill()
	}
	t.Logf("%d comments were acknowledged in %d lives", len(acknowledged), rounds)
	h := w.host(brief)
	require.Empty(t, h.state.Notices())
	for id := range acknowledged {
		require.NotNil(t, h.state.Kept().Annotation(id), "%s is lost", id)
	}
}
