package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A Terminal is a terminal that nobody sees, in which one program runs: a tmux of its own.
//
// All methods are for the test's own goroutine. One that fails ends the test, with the screen as
// it is.
type Terminal struct {
	t       testing.TB
	tmux    func(args ...string) *exec.Cmd
	screens int
}

// StartTerminal runs a command in a terminal, in dir, with these variables ("NAME=value") in
// place of the test's own environment.
func StartTerminal(t testing.TB, dir string, env []string, command ...string) *Terminal {
	t.Helper()
	tmux := program(t, "tmux")
	private, err := os.MkdirTemp("", "tmux-") // short: a socket's path has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(private) })
	// What a program said last stays on the screen.
	config := writeFile(t, filepath.Join(private, "conf"), "set -g remain-on-exit on\n", 0o644)
	// The tmux server is this terminal's alone.
	env = append(env, "TMUX_TMPDIR="+private, "LANG=C.UTF-8", "SHELL=/bin/sh", "TERM=xterm-256color")
	terminal := &Terminal{t: t, tmux: func(args ...string) *exec.Cmd {
		cmd := exec.Command(tmux, append([]string{"-u", "-f", config}, args...)...)
		cmd.Env = env
		return cmd
	}}
	start := terminal.tmux(append([]string{"new-session", "-d", "-x", "140", "-y", "45", "-c", dir}, command...)...)
	// The terminal has to end even if the test process is killed: then the pipe closes.
	keeper := exec.Command("/bin/sh", append([]string{"-c", `"$@" && echo started && cat; exec "$1" kill-server 2>/dev/null`, "sh"}, start.Args...)...)
	keeper.Env = env
	stdin, err := keeper.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := keeper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	keeper.Stderr = os.Stderr
	if err := keeper.Start(); err != nil {
		t.Fatal("start tmux: ", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			terminal.SaveScreen("at the end")
		}
		stdin.Close()
		io.Copy(io.Discard, stdout)
		keeper.Wait()
	})
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal("tmux did not start")
	}
	return terminal
}

// capture is what the terminal shows; with its colours as escape sequences, if wanted.
func (t *Terminal) capture(args ...string) string {
	t.t.Helper()
	out, err := t.tmux(append([]string{"capture-pane", "-p"}, args...)...).Output()
	if err != nil {
		t.t.Fatalf("the terminal is gone: %v", err)
	}
	return string(out)
}

// Screen is what the terminal shows now.
func (t *Terminal) Screen() string {
	t.t.Helper()
	return t.capture()
}

// SaveScreen keeps the screen among the artefacts.
func (t *Terminal) SaveScreen(name string) string {
	t.t.Helper()
	screen := t.Screen()
	t.screens++
	writeFile(t.t, filepath.Join(Artefacts(t.t), fmt.Sprintf("screen-%02d-%s.txt", t.screens, unsafeInNames.ReplaceAllString(name, "-"))), screen, 0o644)
	return screen
}

// wait polls the terminal: it has no event to wait for.
func (t *Terminal) wait(what string, fits func() bool) {
	t.t.Helper()
	t.waitLonger(Patience, what, fits)
}

func (t *Terminal) waitLonger(patience time.Duration, what string, fits func() bool) {
	t.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); ; <-tick.C {
		if fits() {
			return
		}
		if time.Now().After(deadline) || t.exited() && !fits() {
			t.t.Fatalf("waited in the terminal in vain for %s\n--- screen\n%s\n---", what, strings.TrimRight(t.Screen(), "\n"))
		}
	}
}

// WaitExit waits until the program has ended, and the terminal with it.
func (t *Terminal) WaitExit() {
	t.t.Helper()
	t.wait("the program's end", t.exited)
}

func (t *Terminal) exited() bool {
	dead, err := t.tmux("display-message", "-p", "#{pane_dead}").Output()
	return err != nil || strings.TrimSpace(string(dead)) == "1"
}

// WaitScreen waits until the screen matches a regular expression, and returns it.
func (t *Terminal) WaitScreen(pattern string) string {
	t.t.Helper()
	var screen string
	t.wait("/"+pattern+"/", func() bool {
		screen = t.Screen()
		return regexp.MustCompile(pattern).MatchString(screen)
	})
	return screen
}

// WaitNoScreen waits until the screen no longer matches.
func (t *Terminal) WaitNoScreen(pattern string) {
	t.t.Helper()
	t.wait("the end of /"+pattern+"/", func() bool {
		return !regexp.MustCompile(pattern).MatchString(t.Screen())
	})
}

// Keys presses keys, in tmux's notation: "Space", "a", "Escape", "C-c".
func (t *Terminal) Keys(keys ...string) {
	t.t.Helper()
	if out, err := t.tmux(append([]string{"send-keys", "--"}, keys...)...).CombinedOutput(); err != nil {
		t.t.Fatalf("press %q: %v %s", keys, err, out)
	}
}

// Type types a text as it is.
func (t *Terminal) Type(text string) {
	t.t.Helper()
	if out, err := t.tmux("send-keys", "-l", "--", text).CombinedOutput(); err != nil {
		t.t.Fatalf("type %q: %v %s", text, err, out)
	}
}
