package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

type helixCommand struct {
	Write    bool   `help:"Write it into your languages.toml, keeping what is there and a copy beside it." xor:"do"`
	Remove   bool   `help:"Take ahp-lsp out of your languages.toml again." xor:"do"`
	Builtin  bool   `help:"Print what the installed Helix gives each language, and no more." xor:"do"`
	File     string `help:"The languages.toml to work on; a folder's own is .helix/languages.toml in it." type:"path" placeholder:"F"`
	Helix    string `help:"The hx to ask for its languages." type:"path" placeholder:"PROGRAM"`
	Shipped  bool   `help:"Use the languages of the Helix version that this program knows, where no Helix is installed. Helix ignores the whole file if its own version lacks one of them."`
	Absolute bool   `help:"Name this program by its full path, even if it is on the PATH."`
}

// Help is the long text of --help.
func (helixCommand) Help() string {
	return "Helix starts language servers per language, and a list in languages.toml replaces the one that is built in. " +
		"This prints a languages.toml in which every language that the installed Helix knows has its own servers and ahp-lsp."
}

// Run prints a languages.toml, or writes it.
func (c *helixCommand) Run(ctx context.Context) error {
	if err := c.run(ctx); err != nil {
		return fmt.Errorf("helix-config: %w", err)
	}
	return nil
}

func (c *helixCommand) run(ctx context.Context) error {
	file, err := c.file()
	if err != nil {
		return err
	}
	if c.Builtin {
		setup, err := c.languages(ctx)
		if err != nil {
			return err
		}
		_, err = os.Stdout.WriteString(printBuiltin(setup.origin, setup.languages))
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var text []byte
	if c.Remove {
		text, err = removeHelix(old)
	} else {
		text, err = c.merged(ctx, file, old)
	}
	if err != nil {
		if line := (*helixError)(nil); errors.As(err, &line) {
			return fmt.Errorf("%s, %w\nhint: it is left as it is; \"hx --health\" tells what Helix makes of it", file, err)
		}
		return err
	}
	if !c.Write && !c.Remove {
		_, err := os.Stdout.Write(text)
		return err
	}
	return c.replace(file, old, text)
}

func (c *helixCommand) file() (string, error) {
	if c.File != "" {
		return c.File, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w\nhint: --file names the languages.toml", err)
	}
	return filepath.Join(helixFolder(home), "languages.toml"), nil
}

// ofFolder tells whether a languages.toml is a folder's, and not the user's.
func ofFolder(file string) bool { return filepath.Base(filepath.Dir(file)) == ".helix" }

func (c *helixCommand) merged(ctx context.Context, file string, old []byte) ([]byte, error) {
	var setup helixSetup
	if !ofFolder(file) { // a folder's lists win over the user's: only those it has are added to
		var err error
		if setup, err = c.languages(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if setup.command, err = c.command(); err != nil {
		return nil, err
	}
	text, err := setup.merge(old)
	if err != nil {
		return nil, err
	}
	return text, c.accepted(ctx, text)
}

// languages are those of the installed Helix, or the ones we know.
func (c *helixCommand) languages(ctx context.Context) (helixSetup, error) {
	e := c.helix(ctx)
	languages, err := installedHelix(ctx, e)
	if errors.Is(err, errNoHelix) && (c.Shipped || !c.Write && !c.Builtin) {
		origin := "Helix " + shippedVersion()
		fmt.Fprintf(os.Stderr, "ahp-lsp: %v: these are the languages of %s\n", err, origin)
		return helixSetup{languages: helixLanguages(shippedHelix), origin: origin}, nil
	}
	if errors.Is(err, errNoHelix) {
		return helixSetup{}, fmt.Errorf("%w: its languages are not known\nhint: --helix names the program; --shipped takes the languages of Helix %s", err, shippedVersion())
	}
	return helixSetup{languages: languages, origin: strings.TrimSpace("Helix " + e.version)}, err
}

func (c *helixCommand) helix(ctx context.Context) foundEditor {
	return lookEditorAt(ctx, "hx", c.Helix)
}

// command is how Helix is to start this program.
func (c *helixCommand) command() (string, error) {
	name := "ahp-lsp"
	if _, err := exec.LookPath(name); err == nil && !c.Absolute {
		return name, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("where this program is: %w", err)
	}
	if strings.Contains(exe, string(filepath.Separator)+"go-build") { // go run
		return "", fmt.Errorf("ahp-lsp is not on the PATH, and %s will not stay\nhint: go install ./cmd/ahp-lsp, and put \"$(go env GOPATH)/bin\" on the PATH", exe)
	}
	return exe, nil
}

// accepted has Helix itself read the file before it takes its place: with one
// that Helix does not accept, it would ignore all that the user configured.
func (c *helixCommand) accepted(ctx context.Context, text []byte) error {
	e := c.helix(ctx)
	if e.path == "" || runtime.GOOS == "windows" { // there it cannot be told where to look
		return nil
	}
	dir, err := os.MkdirTemp("", "ahp-helix-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "helix", "languages.toml")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.path, "--health", "markdown")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "XDG_CONFIG_HOME=") }), "XDG_CONFIG_HOME="+dir)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput()
	said := colours.ReplaceAllString(string(out), "")
	if _, why, found := strings.Cut(said, "Error parsing user language config"); found {
		why, _, _ = strings.Cut(strings.TrimLeft(why, ": "), "\n\n")
		return fmt.Errorf("%s does not accept the file with ahp-lsp added to it: %s\nhint: nothing was changed; \"hx --health\" tells whether it accepts yours as it is", e, strings.TrimSpace(why))
	}
	return nil
}

// replace writes the file, and says so.
func (c *helixCommand) replace(file string, old, text []byte) error {
	if bytes.Equal(old, text) {
		fmt.Printf("%s is as it should be\n", file)
		c.noteFolder()
		return nil
	}
	backup, err := writeHelix(file, old, text)
	if err != nil {
		return err
	}
	did, kept := "added ahp-lsp to", ""
	if c.Remove {
		did = "took ahp-lsp out of"
	}
	if backup != "" {
		kept = "; what was there is in " + backup
	}
	fmt.Printf("%s %s%s\n", did, file, kept)
	if ofFolder(file) {
		fmt.Fprintln(os.Stderr, "note: a Helix that knows workspace trust reads it only after :workspace-trust in that folder, and again after each change")
	}
	c.noteFolder()
	return nil
}

// noteFolder speaks of a languages.toml of the current folder's: its lists win.
func (c *helixCommand) noteFolder() {
	dir, err := os.Getwd()
	if err != nil || c.Remove || c.File != "" {
		return
	}
	file, text := folderLanguages(dir)
	if missing := withoutServer(text); len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "note: %s wins over it in that folder, and has no ahp-lsp for %s\nhint: ahp-lsp helix-config --write --file %s\n", file, strings.Join(missing, ", "), file)
	}
}

// withoutServer are the languages that have a list without ahp-lsp.
func withoutServer(text []byte) (names []string) {
	entries, _, _ := scanHelix(text)
	for _, e := range entries {
		if e.servers != nil && !slices.Contains(e.servers.names(text), helixServer) {
			names = append(names, e.name)
		}
	}
	return names
}
