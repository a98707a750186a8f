package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// Patience is how long a test waits for something that should take well under a second: long
// enough for a loaded machine, short enough to be told what is missing.
const Patience = 30 * time.Second

// Root is the repository's folder, the nearest one above that has a go.mod.
var Root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	panic("e2e: not started inside the repository")
})

// toolDir is where the editors and the host are, and where artefacts go.
var toolDir = sync.OnceValue(func() string {
	dir := os.Getenv("AHP_E2E_DIR")
	if dir == "" {
		return filepath.Join(Root(), ".e2e")
	}
	if !filepath.IsAbs(dir) { // the tests run in their own folder, the user's shell somewhere else
		dir = filepath.Join(Root(), dir)
	}
	return dir
})

// tool returns the path of a fetched file. Where it is missing the test is skipped, or fails if
// AHP_E2E=required.
func tool(t testing.TB, what, path, script string) string {
	t.Helper()
	full := filepath.Join(toolDir(), path)
	if _, err := os.Stat(full); err != nil {
		missing(t, fmt.Sprintf("%s is not here (%s): run editors/test.sh, or editors/e2e/%s %s",
			what, full, script, filepath.Join(toolDir(), strings.SplitN(path, "/", 2)[0])))
	}
	return full
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("AHP_E2E") == "required" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// program returns the path of something that the system must have.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is not installed: editors/e2e/get-editors.sh installs it on Debian")
	}
	return path
}

var (
	artefactsMu   sync.Mutex
	artefactsMade = map[string]bool{}
	unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9._/-]+`)
)

// Artefacts returns the test's folder for screens, logs and wire records. It is empty when a
// test run begins, and stays when it ends.
func Artefacts(t testing.TB) string {
	t.Helper()
	return artefactDir(t, t.Name())
}

func artefactDir(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(toolDir(), "artefacts", unsafeInNames.ReplaceAllString(name, "_"))
	artefactsMu.Lock()
	defer artefactsMu.Unlock()
	if !artefactsMade[dir] {
		artefactsMade[dir] = true
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFile(t testing.TB, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// ReadFile returns a file of the workspace as it is on disk.
func ReadFile(t testing.TB, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// builtServer builds the program under test once; $AHP_E2E_SERVER names another one to test.
// When the tests run with the race detector, so does the server.
var builtServer = sync.OnceValues(func() (string, error) {
	if binary := os.Getenv("AHP_E2E_SERVER"); binary != "" {
		return binary, nil
	}
	dir, err := os.MkdirTemp("", "ahp-e2e-server-")
	if err != nil {
		return "", err
	}
	atExit(func() { os.RemoveAll(dir) })
	args := []string{"build", "-o", filepath.Join(dir, "ahp-lsp")}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "-race" && setting.Value == "true" {
				args = append(args, "-race")
			}
		}
	}
	build := exec.Command("go", append(args, "./cmd/ahp-lsp")...)
	build.Dir = Root()
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the server does not build: %w\n%s", err, bytes.TrimSpace(out))
	}
	return filepath.Join(dir, "ahp-lsp"), nil
})

// Server returns a folder for the PATH of an editor. The program `ahp-lsp` in it is the server
// under test, told by flags to connect to this address with this token, and to log into the
// test's artefacts. That way the editors run with the configuration which a user would have.
func Server(t testing.TB, url, token string) string {
	t.Helper()
	binary, err := builtServer()
	if err != nil {
		t.Fatal(err)
	}
	dir, logs := t.TempDir(), Artefacts(t)
	tokenFile := writeFile(t, filepath.Join(dir, "token"), token+"\n", 0o600)
	races := filepath.Join(logs, "race")
	writeFile(t, filepath.Join(dir, "ahp-lsp"), fmt.Sprintf(`#!/bin/sh
GORACE='log_path=%s' exec '%s' --host '%s' --token-file '%s' --log-file '%s' --log-level debug "$@" 2>>'%s'
`, races, binary, url, tokenFile, filepath.Join(logs, "server.log"), filepath.Join(logs, "server.stderr")), 0o755)
	t.Cleanup(func() {
		if said, _ := os.ReadFile(filepath.Join(logs, "server.stderr")); bytes.Contains(said, []byte("panic: ")) {
			t.Errorf("the server panicked:\n%s", said)
		}
		found, _ := filepath.Glob(races + ".*")
		for _, report := range found {
			t.Errorf("the server has a data race:\n%s", ReadFile(t, report))
		}
	})
	return dir
}

var (
	exitMu    sync.Mutex
	exitFuncs []func()
)

// atExit registers something shared by all tests to be undone by [Main].
func atExit(undo func()) {
	exitMu.Lock()
	defer exitMu.Unlock()
	exitFuncs = append(exitFuncs, undo)
}

// Main runs the tests and then ends what they shared. Call it from TestMain.
func Main(m *testing.M) {
	// The host lets the tests wait five seconds at a time, in which others can go on; -parallel
	// on the command line comes later, and wins.
	flag.Set("test.parallel", "4")
	code := m.Run()
	for _, undo := range exitFuncs {
		undo()
	}
	os.Exit(code)
}
