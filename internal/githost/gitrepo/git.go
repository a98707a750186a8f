package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// command is one run of git. The zero value reads only: optional locks are off,
// no hook runs, nothing asks the user, paths are taken literally.
type command struct {
	args  []string
	stdin io.Reader
	out   io.Writer // instead of the returned bytes
	// index is a temporary index file; "" is the user's own, which must then
	// only be read, but for commit.
	index string
	// own is git run as the user would: in the work tree, with hooks.
	own bool
	// magic allows pathspec magic.
	magic bool
	// durable makes git sync the objects and refs it writes.
	durable bool
	config  []string // more key=value settings
	env     []string // more variables
	dir     string   // another folder, whose repository git finds by itself
}

// gitError is git's own account of a failure.
type gitError struct {
	verb   string
	code   int
	stderr string
	kind   error // a sentinel of this package, or nil
}

func (e *gitError) Error() string {
	text := e.stderr
	if text == "" {
		text = fmt.Sprintf("exit code %d without a word", e.code)
	}
	if hint := hints[e.kind]; hint != "" {
		text += "; " + hint
	}
	return "git " + e.verb + ": " + text
}

func (e *gitError) Unwrap() error { return e.kind }

var hints = map[error]string{
	ErrIndexLocked: "another git command is at work in this repository: try again when it is done, or remove the lock file if none is",
	ErrReadOnly:    "check the permissions and whether the file system is mounted read-only",
	ErrNoSpace:     "free some disk space or quota and try again",
}

// keptEnv are the variables of git's own that are passed on: whose commits they
// are and where the configuration is. All others could lead git elsewhere.
var keptEnv = []string{
	"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM=",
	"GIT_EXEC_PATH=", "GIT_CEILING_DIRECTORIES=", "GIT_DISCOVERY_ACROSS_FILESYSTEM=", "GIT_SSH", "GIT_TEMPLATE_DIR=",
}

// baseEnv is the environment of git. In the user's own name it keeps their
// locale, which their hooks may need; messages are English in any case.
func baseEnv(own bool) []string {
	env := make([]string, 0, len(os.Environ())+10)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			switch key, _, _ := strings.Cut(v, "="); {
			case key == "LANGUAGE", key == "LC_ALL" && !own:
				continue
			}
			env = append(env, v)
			continue
		}
		for _, keep := range keptEnv {
			if strings.HasPrefix(v, keep) {
				env = append(env, v)
				break
			}
		}
	}
	env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_MERGE_AUTOEDIT=no", "LANGUAGE=en")
	if !own {
		env = append(env, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	}
	return env
}

// git runs a command and returns what it printed.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return r.run(ctx, command{args: args})
}

// gitIn runs a command on a temporary index.
func (r *Repo) gitIn(ctx context.Context, index string, stdin []byte, args ...string) ([]byte, error) {
	c := command{args: args, index: index}
	if stdin != nil {
		c.stdin = bytes.NewReader(stdin)
	}
	return r.run(ctx, c)
}

func (r *Repo) run(ctx context.Context, c command) ([]byte, error) {
	cmd := r.command(ctx, c)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, &out, &limitedWriter{w: &errOut, left: 64 << 10}
	if c.out != nil {
		cmd.Stdout = c.out
	}
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	return out.Bytes(), commandError(ctx, c, err, errOut.String())
}

func (r *Repo) command(ctx context.Context, c command) *exec.Cmd {
	config := []string{"core.quotePath=false", "core.splitIndex=false",
		"diff.orderFile=" + os.DevNull, "diff.autoRefreshIndex=true", "i18n.commitEncoding=UTF-8", "gc.auto=0", "maintenance.auto=false"}
	if c.own {
		config = []string{"core.quotePath=false"}
	} else {
		config = append(config, "core.hooksPath="+os.DevNull)
	}
	if c.durable {
		config = append(config, "core.fsync=loose-object,pack,pack-metadata,reference", "core.fsyncMethod=batch")
	}
	args := []string{"--no-pager"}
	for _, kv := range append(config, c.config...) {
		args = append(args, "-c", kv)
	}
	cmd := exec.CommandContext(ctx, "git", append(args, c.args...)...)
	cmd.Env = baseEnv(c.own)
	if !c.magic && !c.own {
		cmd.Env = append(cmd.Env, "GIT_LITERAL_PATHSPECS=1")
	}
	if c.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+c.index)
	}
	cmd.Env = append(cmd.Env, c.env...)
	switch {
	case c.dir != "":
		cmd.Dir = c.dir
	case c.own:
		cmd.Dir = r.root
	default:
		// Named outright, so that a vanished repository is an error and never
		// the one around it.
		cmd.Dir = r.root
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.gitDir, "GIT_WORK_TREE="+r.root)
	}
	// An interrupted git removes its lock files; a killed one does not.
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 3 * time.Second
	return cmd
}

func commandError(ctx context.Context, c command, err error, stderr string) error {
	verb := c.args[0]
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", verb, context.Cause(ctx))
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("git %s: %w: install git 2.31 or newer and put it in the PATH (%v)", verb, ErrNoGit, err)
		}
		return fmt.Errorf("git %s: %w", verb, classify(err))
	}
	stderr = tidy(stderr)
	return &gitError{verb: verb, code: exit.ExitCode(), stderr: stderr, kind: kindOf(stderr)}
}

// exitCode is the code git ended with; -1 if it did not come that far.
func exitCode(err error) int {
	var e *gitError
	if errors.As(err, &e) {
		return e.code
	}
	return -1
}

// tidy makes one line of git's messages, without hints and, if there is anything
// else, without warnings.
func tidy(stderr string) string {
	var lines, warnings []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "hint:"):
		case strings.HasPrefix(line, "warning:"):
			warnings = append(warnings, line)
		default:
			lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: "))
		}
	}
	if len(lines) == 0 {
		lines = warnings
	}
	const most = 12
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %d more lines", len(lines)-most))
	}
	return strings.Join(lines, "; ")
}

// kindOf reads the cause from git's English messages.
func kindOf(stderr string) error {
	has := func(s string) bool { return strings.Contains(stderr, s) }
	switch {
	case has(".lock': File exists"), has(".lock': file exists"):
		return ErrIndexLocked
	case has("No space left on device"), has("Out of diskspace"), has("Disk quota exceeded"), has("File too large"):
		return ErrNoSpace
	case has("Read-only file system"), has("Permission denied"), has("insufficient permission"):
		return ErrReadOnly
	case has("not a git repository"), has("detected dubious ownership"):
		return ErrNotRepository
	}
	return nil
}

// limitedWriter keeps the first bytes and drops the rest.
type limitedWriter struct {
	w    io.Writer
	left int
}

func (l *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// classify adds the sentinel that fits a failed system call.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("%w: %w; %s", ErrNoSpace, err, hints[ErrNoSpace])
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w: %w; %s", ErrReadOnly, err, hints[ErrReadOnly])
	}
	return err
}
