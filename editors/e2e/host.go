package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A Host is a running agent host whose agent's model is scripted.
type Host struct {
	URL   string // ws://127.0.0.1:PORT
	Token string // what it wants as the query parameter tkn
}

var startedHost struct {
	once sync.Once
	host *Host
	err  error
}

// SharedHost returns the host of this test run, which it starts at the first call. Tests do not
// meet on it: each has its own workspace and session.
func SharedHost(t testing.TB) *Host {
	t.Helper()
	node := tool(t, "the agent host's Node.js", "host/bin/node", "get-host.sh")
	vscode := tool(t, "the agent host", "host/vscode", "get-host.sh")
	logs := artefactDir(t, "host")
	startedHost.once.Do(func() {
		startedHost.host, startedHost.err = startHost(node, vscode, logs)
	})
	if startedHost.err != nil {
		t.Fatal(startedHost.err)
	}
	return startedHost.host
}

func startHost(node, vscode, artefacts string) (*Host, error) {
	data, err := os.MkdirTemp("", "ahp-e2e-host-")
	if err != nil {
		return nil, err
	}
	// The logs, with the host's own record of the wire, belong to the artefacts.
	if err := os.Symlink(artefacts, filepath.Join(data, "logs")); err != nil {
		return nil, err
	}
	cmd := exec.Command(node, filepath.Join(Root(), "editors/e2e/host/start-host.mjs"), vscode, data)
	stdin, err := cmd.StdinPipe() // it ends when this closes, which it also does if this process dies
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the agent host: %w", err)
	}
	atExit(func() {
		stdin.Close()
		io.Copy(io.Discard, stdout)
		cmd.Wait()
		os.RemoveAll(data)
	})
	kill := time.AfterFunc(2*Patience, func() { cmd.Process.Kill() })
	defer kill.Stop()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the agent host did not start; see %s", artefacts)
	}
	host := &Host{}
	if err := json.Unmarshal([]byte(line), host); err != nil {
		return nil, fmt.Errorf("the agent host said %q: %w", line, err)
	}
	return host, nil
}

// removeWorkspace removes a folder that a host may still be writing to: it records what a turn did
// some time after the turn has ended, and says nothing when it is done.
func removeWorkspace(t testing.TB, dir string) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(Patience); ; <-tick.C {
		err := os.RemoveAll(dir)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("remove the workspace: %v", err)
			return
		}
	}
}

// NewWorkspace makes a git repository with these files (path → text), all committed. The path it
// returns has no symbolic links in it, since hosts and editors resolve them differently.
func NewWorkspace(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ahp-workspace-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeWorkspace(t, dir) })
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text, 0o644)
	}
	// The identity is the repository's own: the host, which commits too, has no other.
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "A Tester"},
		{"config", "user.email", "tester@example.invalid"},
		{"config", "commit.gpgsign", "false"},
		{"config", "core.autocrlf", "false"},
		{"add", "--all"},
		{"commit", "--quiet", "--message", "before the agent"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}
