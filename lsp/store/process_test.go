package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test binary is also the other process: its arguments after childMark are
// what it is to do.
const childMark = "AHP_LSP_STORE_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childMark); what != "" {
		if err := child(what, os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child begins when its input ends, and says on a line each what it has stored.
func child(what, dir, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	s := New(dir)
	s.wait = 5 * time.Minute // the machine may be busy
	ctx := context.Background()
	if what == "hold" {
		if _, err := s.lock(ctx, keptFolder); err != nil {
			return err
		}
		fmt.Println("locked")
		select {} // until it is killed
	}
	for i := 0; i < n; i++ {
		id, last := fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("%s-%d", name, i-1)
		// Every second record is taken back by the next step.
		changes, forget, sent := keep(id), []string(nil), []json.RawMessage(nil)
		if i%2 == 1 {
			changes, forget, sent = keep(id, "-"+last), []string{last}, []json.RawMessage{action(last)}
		}
		if err := s.Keep(ctx, one, changes); err != nil {
			return err
		}
		if err := s.SaveAnchors(ctx, one, map[string]Anchor{id: about(id)}, forget, named(id)); err != nil {
			return err
		}
		if err := s.AddUnsent(ctx, one, action(id)); err != nil {
			return err
		}
		if err := s.DropUnsent(ctx, one, sent); err != nil {
			return err
		}
		fmt.Println(id)
	}
	return nil
}

type process struct {
	*exec.Cmd
	start io.Closer
	lines *bufio.Scanner
}

func startChild(t *testing.T, what, dir, name string, n int) process {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	p := process{Cmd: exec.CommandContext(t.Context(), exe, dir, name, strconv.Itoa(n))}
	p.Env = append(os.Environ(), childMark+"="+what)
	p.Stderr = os.Stderr
	p.start, err = p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	p.lines = bufio.NewScanner(out)
	require.NoError(t, p.Start())
	return p
}

// Processes that write to the same records at the same time lose none, neither
// their own nor the others'.
func TestProcesses(t *testing.T) {
	const processes, each = 3, 16
	dir := t.TempDir()
	var all []process
	var want []string
	for i := range processes {
		name := strconv.Itoa(i)
		all = append(all, startChild(t, "write", dir, name, each))
		for n := 1; n < each; n += 2 {
			want = append(want, fmt.Sprintf("%s-%d", name, n))
		}
	}
	for _, p := range all {
		require.NoError(t, p.start.Close())
	}
	for _, p := range all {
		for p.lines.Scan() {
		}
		require.NoError(t, p.Wait())
	}
	s := New(dir)
	require.ElementsMatch(t, want, kept(t, s, one)[uri])
	texts := map[string]string{}
	var actions []string
	for _, id := range want {
		texts[id] = id
		actions = append(actions, string(action(id)))
	}
	require.Equal(t, texts, anchored(t, s, one))
	require.ElementsMatch(t, actions, unsent(t, s, one))
}

// What a process said to be stored is there after it was killed while it wrote,
// and others go on.
func TestProcessesAreKilled(t *testing.T) {
	const processes, each = 2, 4
	dir := t.TempDir()
	s := New(dir)
	s.wait = time.Minute
	var all []process
	for i := range processes {
		all = append(all, startChild(t, "write", dir, strconv.Itoa(i), 1<<30))
	}
	for _, p := range all {
		require.NoError(t, p.start.Close())
	}
	var said []string
	for _, p := range all {
		for range each {
			require.True(t, p.lines.Scan())
		}
		require.NoError(t, p.Process.Kill())
		last := p.lines.Text()
		for p.lines.Scan() {
			last = p.lines.Text()
		}
		require.Error(t, p.Wait(), "killed")
		said = append(said, last)
		require.NoError(t, s.Keep(t.Context(), one, keep("parent")))
	}
	files := kept(t, s, one)[uri]
	anchors, actions := anchored(t, s, one), unsent(t, s, one)
	require.Contains(t, files, "parent")
	for _, id := range said {
		// The step after the last that was said may have begun: it takes an even one back.
		name, number, _ := strings.Cut(id, "-")
		i, err := strconv.Atoi(number)
		require.NoError(t, err)
		if i%2 == 0 {
			i--
		}
		id = fmt.Sprintf("%s-%d", name, i)
		require.Contains(t, files, id)
		require.Equal(t, id, anchors[id])
		require.Contains(t, actions, string(action(id)))
	}
}

// A lock does not outlive the process that held it.
func TestLockOfADeadProcess(t *testing.T) {
	s := New(t.TempDir())
	p := startChild(t, "hold", s.dir, "", 0)
	require.NoError(t, p.start.Close())
	require.True(t, p.lines.Scan())
	s.wait = time.Nanosecond
	require.ErrorIs(t, s.Keep(t.Context(), one, keep("x")), ErrBusy)
	require.NoError(t, p.Process.Kill())
	require.Error(t, p.Wait())
	s.wait = time.Minute
	require.NoError(t, s.Keep(t.Context(), one, keep("x")))
	require.Equal(t, map[string][]string{uri: {"x"}}, kept(t, s, one))
}
