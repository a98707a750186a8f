package githost

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tliron/commonlog"
	"go.uber.org/goleak"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

func TestMain(m *testing.M) {
	if role := os.Getenv("GITHOST_CHILD"); role != "" {
		os.Exit(child(role))
	}
	// Nobody's own git configuration has a say.
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// waitUntil waits until a condition on what has come holds. mu guards what it looks at, arrived holds
// a token when something has come, and nothing comes any more once ended is closed.
func waitUntil(t testing.TB, what string, mu *sync.Mutex, ok func() bool, arrived, ended <-chan struct{}) {
	t.Helper()
	deadline := time.After(patience)
	for {
		mu.Lock()
		done := ok()
		mu.Unlock()
		if done {
			return
		}
		select {
		case <-arrived:
		case <-ended:
			require.FailNow(t, "the connection ended; waited for "+what)
		case <-deadline:
			require.FailNow(t, "waited in vain for "+what)
		}
	}
}

// tree is a git work tree to test on.
type tree struct {
	t    testing.TB
	root string
}

// newTree makes a repository with one commit on main that has the files, given
// as name and content in turns.
func newTree(t testing.TB, files ...string) *tree {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &tree{t, filepath.Join(root, "demo")}
	require.NoError(t, os.Mkdir(w.root, 0o755))
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "Ada")
	w.git("config", "user.email", "ada@example.org")
	w.git("config", "commit.gpgsign", "false")
	for i := 0; i+1 < len(files); i += 2 {
		w.write(files[i], files[i+1])
	}
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "first")
	return w
}

func (w *tree) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.root}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// recorded runs git where the refs of turns and operations are.
func (w *tree) recorded(args ...string) string {
	w.t.Helper()
	return w.git(append([]string{"--git-dir=.git/ahp/records.git"}, args...)...)
}

func (w *tree) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }
func (w *tree) uri(name string) string  { return ahp.FileURI(filepath.ToSlash(w.path(name))) }

func (w *tree) write(name, content string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(content), 0o644))
}

func (w *tree) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	require.NoError(w.t, err)
	return string(data)
}

func (w *tree) repo() *gitrepo.Repo {
	w.t.Helper()
	r, err := gitrepo.Open(context.Background(), w.root, gitrepo.Trust(func(string, string) bool { return true }))
	require.NoError(w.t, err)
	w.t.Cleanup(func() { r.Close() })
	return r
}

// host runs a Host on the work tree until the test ends.
func (w *tree) host(adjust ...func(*Options)) *Host {
	w.t.Helper()
	h, closeHost := w.startHost(adjust...)
	w.t.Cleanup(closeHost)
	return h
}

func (w *tree) startHost(adjust ...func(*Options)) (*Host, func()) {
	w.t.Helper()
	o := Options{Log: testLog(w.t), Info: ahp.Implementation{Name: "ahp-lsp", Version: "test"}}
	for _, f := range adjust {
		f(&o)
	}
	h, err := Open(context.Background(), w.repo(), o)
	require.NoError(w.t, err)
	if h.watch != nil {
		await(w.t, h.watch.ready)
	}
	return h, func() { require.NoError(w.t, h.Close()) }
}

// brief is a host that neither watches nor guesses.
func brief(o *Options) { o.Brief = true }

func await(t testing.TB, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		require.FailNow(t, "waited in vain")
	}
}

func testLog(t testing.TB) commonlog.Logger { return &logger{t: t} }

// logger writes to the test's log.
type logger struct {
	commonlog.Logger
	t  testing.TB
	mu sync.Mutex
	// ended: a test's log must not be written to any more.
	ended bool
}

func (l *logger) write(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.t.Logf(format, args...)
	}
}

func (l *logger) Criticalf(format string, args ...any) { l.t.Errorf(format, args...) }
func (l *logger) Errorf(format string, args ...any)    { l.write("error: "+format, args...) }
func (l *logger) Warningf(format string, args ...any)  { l.write("warning: "+format, args...) }
func (l *logger) Infof(format string, args ...any)     { l.write("info: "+format, args...) }
