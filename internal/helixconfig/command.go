package helixconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ahp-lsp/internal/editor"
	"ahp-lsp/internal/printable"
)

// Command is "ahp-lsp helix-config": it prints a languages.toml with ahp-lsp for
// every language or, with Remove, without it; with Write it writes that.
type Command struct {
	Write    bool
	Remove   bool
	Builtin  bool   // print what Helix gives each language, and no more
	File     string // the languages.toml; "" is the user's
	Program  string // the hx to ask for its languages; "" is the one on the PATH
	Shipped  bool   // without Helix, write the languages of the version known here
	Absolute bool   // name this program by its full path even if it is on the PATH

	Dir  string // the current folder
	Home string // the user's; "" if it is not known
}

// Run prints the file on stdout or writes it; notes go to stderr.
func (c Command) Run(ctx context.Context, stdout, stderr io.Writer) error {
	r := run{Command: c, helix: editor.FindAt(ctx, editor.Helix, c.Program), stdout: stdout, stderr: stderr}
	if c.Builtin {
		s, err := r.languages(ctx)
		if err != nil {
			return err
		}
		_, err = io.WriteString(stdout, printBuiltin(s.origin, s.languages))
		return err
	}
	if r.file = c.File; r.file == "" {
		if c.Home == "" {
			return errors.New("the home folder is not known\nhint: --file names the languages.toml")
		}
		r.file = UserFile(c.Home)
	}
	old, err := os.ReadFile(r.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := r.edited(ctx, old)
	if err != nil {
		if line := (*lineError)(nil); errors.As(err, &line) {
			return fmt.Errorf("%s, %w\nhint: it is left as it is; \"hx --health\" says what Helix makes of it", r.file, err)
		}
		return err
	}
	if c.Write {
		return r.write(old, text)
	}
	return r.print(old, text)
}

// run is one run of the command.
type run struct {
	Command
	file           string
	helix          editor.Editor
	stdout, stderr io.Writer
}

// shown is the file's name for the terminal.
func (r *run) shown() string { return printable.Line(r.file) }

// edited is the text of the file with ahp-lsp, or without it.
func (r *run) edited(ctx context.Context, old []byte) ([]byte, error) {
	if r.Remove {
		return remove(old)
	}
	var s setup
	var err error
	if !ofFolder(r.file) { // a folder's lists win over the user's: only those it has are added to
		if s, err = r.languages(ctx); err != nil {
			return nil, err
		}
	}
	if s.command, err = r.serverCommand(); err != nil {
		return nil, err
	}
	text, err := s.merge(old)
	if err != nil {
		return nil, err
	}
	return text, accepted(ctx, r.helix, text)
}

// ofFolder reports whether a languages.toml is a folder's, and not the user's.
func ofFolder(file string) bool { return filepath.Base(filepath.Dir(file)) == ".helix" }

// languages are those of the installed Helix, or the ones known here.
func (r *run) languages(ctx context.Context) (setup, error) {
	languages, err := installed(ctx, r.helix)
	if errors.Is(err, errNotInstalled) && (r.Shipped || !r.Write && !r.Builtin) {
		origin := "Helix " + shippedVersion()
		fmt.Fprintf(r.stderr, "note: %v: these are the languages of %s\n", err, origin)
		return setup{languages: languagesOf(shipped), origin: origin}, nil
	}
	if errors.Is(err, errNotInstalled) {
		return setup{}, fmt.Errorf("%w: its languages are not known\nhint: --helix names the program; --shipped takes the languages of Helix %s", err, shippedVersion())
	}
	return setup{languages: languages, origin: strings.TrimSpace("Helix " + r.helix.Version)}, err
}

// serverCommand is what Helix starts as the server: this program.
func (r *run) serverCommand() (string, error) {
	if _, err := exec.LookPath(serverName); err == nil && !r.Absolute {
		return serverName, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if strings.Contains(exe, string(filepath.Separator)+"go-build") { // go run
		return "", fmt.Errorf("ahp-lsp is not on the PATH, and %s is temporary\nhint: go install ./cmd/ahp-lsp, and put \"$(go env GOPATH)/bin\" on the PATH", exe)
	}
	return exe, nil
}

// helixTimeout bounds how long Helix may take to read a file.
const helixTimeout = 20 * time.Second

// accepted has Helix itself read a text before that takes the file's place: with one
// that it does not accept, Helix would ignore all that the user configured.
func accepted(ctx context.Context, e editor.Editor, text []byte) error {
	if e.Path == "" || runtime.GOOS == "windows" { // there Helix takes no other place for its configuration
		return nil
	}
	dir, err := os.MkdirTemp("", "ahp-helix-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "helix", fileName)
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, helixTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Path, "--health", "markdown")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "XDG_CONFIG_HOME=") }), "XDG_CONFIG_HOME="+dir)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput()
	said := colours.ReplaceAllString(string(out), "")
	if _, why, found := strings.Cut(said, "Error parsing user language config"); found {
		why, _, _ = strings.Cut(strings.TrimLeft(why, ": "), "\n\n")
		return fmt.Errorf("%s does not accept the file with ahp-lsp added to it: %s\nhint: nothing was changed; \"hx --health\" says whether it accepts yours as it is", e, strings.TrimSpace(why))
	}
	return nil
}

// print prints the text, and how to write it.
func (r *run) print(old, text []byte) error {
	if _, err := r.stdout.Write(text); err != nil {
		return err
	}
	switch {
	case bytes.Equal(old, text):
		fmt.Fprintf(r.stderr, "note: %s is so already\n", r.shown())
	case len(bytes.TrimSpace(text)) == 0:
		fmt.Fprintf(r.stderr, "note: nothing else is in %s; --remove --write deletes it\n", r.shown())
	default:
		fmt.Fprintf(r.stderr, "note: %s is unchanged; add --write to write this\n", r.shown())
	}
	return nil
}

// write writes the file, and says so.
func (r *run) write(old, text []byte) error {
	if bytes.Equal(old, text) {
		fmt.Fprintf(r.stdout, "%s is up to date\n", r.shown())
		r.noteFolder()
		return nil
	}
	backup, err := replace(r.file, old, text)
	if err != nil {
		return err
	}
	did, kept := "added ahp-lsp to", ""
	if r.Remove {
		did = "removed ahp-lsp from"
	}
	if backup != "" {
		kept = "; the old text is in " + printable.Line(backup)
	}
	fmt.Fprintf(r.stdout, "%s %s%s\n", did, r.shown(), kept)
	if ofFolder(r.file) && !r.Remove {
		fmt.Fprintln(r.stderr, "note: a Helix that knows workspace trust reads it only after :workspace-trust in that folder, and again after each change")
	}
	r.noteFolder()
	return nil
}

// noteFolder warns about a languages.toml of the current folder: its lists win.
func (r *run) noteFolder() {
	if r.Remove || r.File != "" {
		return
	}
	file, text := FolderFile(r.Dir)
	file = printable.Line(file)
	if missing := Unlisted(text); len(missing) > 0 {
		fmt.Fprintf(r.stderr, "note: %s wins over it in that folder, and has no ahp-lsp for %s\nhint: ahp-lsp helix-config --write --file %s\n", file, printable.Line(strings.Join(missing, ", ")), file)
	}
}
