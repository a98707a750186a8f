package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"ahp-lsp/editors/neovim"
	"ahp-lsp/internal/editor"
)

//go:embed testdata/editors/nvim.lua
var neovimConfig string

//go:embed testdata/editors/languages.toml
var helixConfig string

//go:embed testdata/editors/helix.txt
var helixKeys string

// findEditor finds the editor that was asked for.
func findEditor(ctx context.Context, name string) (editor.Editor, error) {
	e := editor.Find(ctx, editor.Canonical(name))
	switch {
	case e.Path == "":
		return e, fmt.Errorf("%s (%s) is not on the PATH\nhint: \"ahp-lsp demo --text\" needs no editor", e.Title(), e.Name)
	case e.Name == editor.Neovim && e.TooOld():
		return e, fmt.Errorf("%s is too old: it has to be 0.11 or newer\nhint: \"ahp-lsp demo --text\" needs no editor", e)
	case e.Name == editor.VSCode && extensionFolder() == "":
		return e, errors.New("the extension for VS Code is not here: it is in editors/vscode of the sources\nhint: run the demo in a checkout of the sources, after \"npm ci && npm run build\" in editors/vscode")
	}
	return e, nil
}

// anyEditor is $VISUAL if it can be used, or the first editor that can.
func anyEditor(ctx context.Context) (e editor.Editor, ok bool) {
	names := editor.Names
	if words := strings.Fields(os.Getenv("VISUAL")); len(words) > 0 {
		name := editor.Canonical(strings.TrimSuffix(filepath.Base(words[0]), ".exe"))
		if slices.Contains(names, name) {
			names = append([]string{name}, names...)
		}
	}
	for _, name := range names {
		if e, err := findEditor(ctx, name); err == nil {
			return e, true
		}
	}
	return editor.Editor{}, false
}

// extensionFolder is where the extension for VS Code is, built, in the sources
// around the current folder or those this program was built from; "" if it is
// not there.
func extensionFolder() string {
	dirs := []string{}
	if wd, err := os.Getwd(); err == nil {
		for dir := wd; ; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		dirs = append(dirs, filepath.Join(filepath.Dir(file), "..", ".."))
	}
	for _, dir := range dirs {
		dir = filepath.Join(dir, "editors", "vscode")
		if _, err := os.Stat(filepath.Join(dir, "dist", "extension.js")); err == nil {
			return dir
		}
	}
	return ""
}

// open opens the demo in an editor, with this program as its language server, and
// waits until the user leaves it.
func (d *demo) open(ctx context.Context, e editor.Editor) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	server := []string{exe, "serve", "--stdio", "--host", "git"}
	var args []string
	var env []string
	switch e.Name {
	case editor.Neovim:
		args, err = d.neovim(server)
	case editor.Helix:
		env = []string{"XDG_CONFIG_HOME=" + filepath.Join(d.dir, "config")}
		args, err = d.helix(server)
	case editor.VSCode:
		args, err = d.code(server)
	}
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, e.Path, args...)
	cmd.Dir = d.root
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AHP_") }), env...)
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+filepath.Join(d.dir, "state"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = d.Stdin, d.Stdout, d.Stderr
	if runtime.GOOS != "windows" {
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	}
	cmd.WaitDelay = 3 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	return nil
}

// neovim brings the plugin along: the demo needs nothing but this program.
func (d *demo) neovim(server []string) ([]string, error) {
	file, folder := filepath.Join(d.dir, "demo.lua"), filepath.Join(d.dir, "neovim")
	cmd, err := luaList(server)
	if err != nil {
		return nil, err
	}
	plugin, err := luaList([]string{folder})
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(folder, neovim.Plugin); err != nil {
		return nil, fmt.Errorf("unpack the plugin: %w", err)
	}
	config := strings.NewReplacer("{--[[SERVER]]}", cmd, "{--[[PLUGIN]]}", plugin).Replace(neovimConfig)
	err = os.WriteFile(file, []byte(config), 0o600)
	return []string{"--clean", "--cmd", "luafile " + strings.NewReplacer(`\`, `\\`, " ", `\ `).Replace(file), "price.go"}, err
}

// luaList is a list of strings as Lua, in long brackets, in which nothing has to
// be escaped.
func luaList(list []string) (string, error) {
	var b strings.Builder
	for _, s := range list {
		if strings.ContainsAny(s, "\r\n") || strings.Contains(s, "]==") || strings.HasSuffix(s, "]") {
			return "", fmt.Errorf("the path %q cannot be used", s)
		}
		fmt.Fprintf(&b, "[==[%s]==], ", s)
	}
	return "{ " + strings.TrimSuffix(b.String(), ", ") + " }", nil
}

func (d *demo) helix(server []string) ([]string, error) {
	dir := filepath.Join(d.dir, "config", "helix")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	command, err := json.Marshal(server[0]) // JSON's strings and lists are TOML's too
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(server[1:])
	if err != nil {
		return nil, err
	}
	keys := filepath.Join(d.dir, "keys.txt")
	return []string{"--vsplit", keys, "price.go"}, errors.Join(
		os.WriteFile(filepath.Join(dir, "languages.toml"), fmt.Appendf(nil, helixConfig, command, args), 0o600),
		os.WriteFile(filepath.Join(dir, "config.toml"), []byte("[editor]\npopup-border = \"all\"\n"), 0o600),
		os.WriteFile(keys, []byte(helixKeys), 0o600),
	)
}

// code uses folders of its own, so that an instance that runs already is left
// alone, and so are the user's settings.
func (d *demo) code(server []string) ([]string, error) {
	data := filepath.Join(d.dir, "code")
	if err := os.MkdirAll(filepath.Join(data, "User"), 0o700); err != nil {
		return nil, err
	}
	settings, err := json.Marshal(map[string]any{
		"ahp.server.path": server[0], "ahp.host": "git",
		"security.workspace.trust.enabled": false, "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off",
	})
	if err != nil {
		return nil, err
	}
	return []string{
		"--wait", "--new-window", "--user-data-dir", data, "--extensions-dir", filepath.Join(data, "extensions"),
		"--extensionDevelopmentPath=" + extensionFolder(), d.root, filepath.Join(d.root, "price.go"),
	}, os.WriteFile(filepath.Join(data, "User", "settings.json"), settings, 0o600)
}
