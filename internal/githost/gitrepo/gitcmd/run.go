package gitcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"ahp-lsp/internal/githost/gitrepo/fault"
)

// Runner runs git in one repository, or, as long as it has no GitDir, where a
// Command's Dir says. The fields are set before it is used.
type Runner struct {
	Root   string // the work tree
	GitDir string
	// CommonDir is shared by all work trees of the repository.
	CommonDir string
	SHA256    bool // the repository's object format
	// MaxObject bounds what Blob reads, in bytes.
	MaxObject int64
	// Patience is how long git may take; 0 is defaultPatience. A commit may take as
	// long as its hooks want.
	Patience time.Duration
	// NoFiles: its commands read no files, so that no filter can run, whatever the
	// configuration says.
	NoFiles bool
	// Env are more variables for every run.
	Env []string
	// Trust reports whether the repository's programs with a hash may run; nil: none.
	Trust func(hash string) bool

	guard guard
	batch batch
}

// defaultPatience is enough for the first look at a very large work tree on a slow
// disk. What takes longer waits for something that will not come.
const defaultPatience = 2 * time.Minute

// Command is one run of git. The zero value reads only: optional locks are off,
// no hook runs, nothing asks the user, paths are taken literally.
type Command struct {
	Args  []string
	Stdin io.Reader
	Out   io.Writer // instead of the returned bytes
	// Index is a temporary index file; "" is the user's own, which must then
	// only be read, but for commit.
	Index string
	// Own is git run as the user would: in the work tree, with hooks.
	Own bool
	// Magic allows pathspec magic.
	Magic bool
	// Durable makes git sync the objects and refs it writes.
	Durable bool
	Config  []string // more key=value settings
	Env     []string // more variables
	// Dir is another folder, whose repository git finds by itself. Only for
	// commands that run nothing, such as rev-parse.
	Dir string
}

// Error is git's own account of a failure.
type Error struct {
	Verb   string
	Code   int
	Stderr string
	Kind   error // a sentinel of package fault, or nil
}

func (e *Error) Error() string {
	text := e.Stderr
	if text == "" {
		text = fmt.Sprintf("exit code %d without a message", e.Code)
	}
	if hint := fault.Hint(e.Kind); hint != "" {
		text += "; " + hint
	}
	return "git " + e.Verb + ": " + text
}

func (e *Error) Unwrap() error { return e.Kind }

// Output runs a command and returns what it printed.
func (r *Runner) Output(ctx context.Context, args ...string) ([]byte, error) {
	return r.Run(ctx, Command{Args: args})
}

// In runs a command on a temporary index.
func (r *Runner) In(ctx context.Context, index string, stdin []byte, args ...string) ([]byte, error) {
	c := Command{Args: args, Index: index}
	if stdin != nil {
		c.Stdin = bytes.NewReader(stdin)
	}
	return r.Run(ctx, c)
}

// Run runs a command and returns what it printed.
func (r *Runner) Run(ctx context.Context, c Command) ([]byte, error) {
	var settings []setting
	if r.GitDir != "" && c.Dir == "" && !r.NoFiles {
		var err error
		if settings, err = r.settings(ctx); err != nil {
			return nil, err
		}
	}
	out, err := r.run(ctx, c, settings)
	var g *Error
	if errors.As(err, &g) && g.Kind == nil && missingObject.MatchString(g.Stderr) && r.partial() {
		g.Kind = fault.ErrNotDownloaded
	}
	return out, err
}

// missingObject are git's words for an object that is not there.
var missingObject = regexp.MustCompile(`unable to read (tree )?\(?[0-9a-f]{40}|could not get object info|[Nn]ot a valid object name|bad object|missing (blob|tree|object)|unable to find`)

func (r *Runner) run(ctx context.Context, c Command, settings []setting) ([]byte, error) {
	patience := r.Patience
	if patience == 0 {
		patience = defaultPatience
	}
	if !c.Own {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, patience, fmt.Errorf("%w after %s; it may wait for a pipe, a program or a disk that does not answer", fault.ErrHangs, patience))
		defer cancel()
	}
	cmd := r.command(ctx, c, settings)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, &out, &limitedWriter{w: &errOut, left: 64 << 10}
	if c.Out != nil {
		cmd.Stdout = c.Out
	}
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	return out.Bytes(), commandError(ctx, c, err, errOut.String())
}

func (r *Runner) command(ctx context.Context, c Command, settings []setting) *exec.Cmd {
	config := append([]setting(nil), always...)
	if !c.Own {
		config = append(config, reading...)
	}
	if c.Durable {
		config = append(config, durable...)
	}
	config = append(config, settings...)
	for _, kv := range c.Config {
		k, v, _ := strings.Cut(kv, "=")
		config = append(config, setting{k, v})
	}
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager"}, c.Args...)...)
	cmd.Env = append(baseEnv(c.Own), configEnv(config)...)
	if !c.Magic && !c.Own {
		cmd.Env = append(cmd.Env, "GIT_LITERAL_PATHSPECS=1")
	}
	if c.Index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+c.Index)
	}
	cmd.Env = append(append(cmd.Env, r.Env...), c.Env...)
	switch {
	case c.Dir != "":
		cmd.Dir = c.Dir
	case c.Own:
		cmd.Dir = r.Root
	default:
		// Named outright, so that a vanished repository is an error and never
		// the one around it.
		cmd.Dir = r.Root
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.Root)
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

func commandError(ctx context.Context, c Command, err error, stderr string) error {
	verb := c.Args[0]
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", verb, context.Cause(ctx))
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("git %s: %w: install git 2.31 or newer and put it in the PATH (%v)", verb, fault.ErrNoGit, err)
		}
		return fmt.Errorf("git %s: %w", verb, fault.Classify(err))
	}
	stderr = tidy(stderr)
	return &Error{Verb: verb, Code: exit.ExitCode(), Stderr: stderr, Kind: kindOf(stderr)}
}

// ExitCode is the code git ended with; -1 if it did not come that far.
func ExitCode(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
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
		return fault.ErrIndexLocked
	case has("No space left on device"), has("Out of diskspace"), has("Disk quota exceeded"), has("File too large"):
		return fault.ErrNoSpace
	case has("Read-only file system"), has("Permission denied"), has("insufficient permission"):
		return fault.ErrReadOnly
	case has("lazy fetching disabled"), has("from promisor remote"), has("transport '") && has("' not allowed"):
		return fault.ErrNotDownloaded
	case has("not a git repository"), has("detected dubious ownership"):
		return fault.ErrNotRepository
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
