package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// editors says which editors are there, and whether they know of ahp-lsp.
func (c *checkup) editors(ctx context.Context) {
	found := make([]foundEditor, len(knownEditors))
	for i, known := range knownEditors {
		found[i] = lookEditor(ctx, known.name)
	}
	if !slices.ContainsFunc(found, func(e foundEditor) bool { return e.path != "" }) {
		c.add(levelWarn, "editor", "any editor with LSP can be used: its command is \"ahp-lsp serve --stdio\"", "neither Neovim (nvim), Helix (hx) nor VS Code (code) is on the PATH")
		return
	}
	if _, err := exec.LookPath("ahp-lsp"); err != nil {
		c.add(levelWarn, "editor", "go install ./cmd/ahp-lsp, and put \"$(go env GOPATH)/bin\" on the PATH", "ahp-lsp is not on the PATH, where editors look for it")
	}
	for _, e := range found {
		switch {
		case e.path == "":
		case e.name == "nvim":
			c.neovim(e)
		case e.name == "hx":
			c.helix(ctx, e)
		case e.name == "code":
			c.vscode(ctx, e)
		}
	}
}

func (c *checkup) neovim(e foundEditor) {
	if e.old {
		c.add(levelWarn, "editor", "install Neovim 0.11 or newer", "%s is too old", e)
		return
	}
	if file, looked := e.configured(c.home); file != "" {
		c.add(levelOK, "editor", "", "%s; configured in %s", e, file)
	} else {
		c.add(levelWarn, "editor", "link the plugin, editors/neovim in the sources, to "+neovimPackages(c.home, filepath.Base(looked))+"/ahp/start/ahp", "%s; nothing in %s mentions ahp-lsp", e, looked)
	}
}

// vscodeExtension is what the extension in editors/vscode is called.
const vscodeExtension = "ahp-lsp.ahp-lsp"

// vscodePatience is how long VS Code may take to list its extensions.
const vscodePatience = 10 * time.Second

func (c *checkup) vscode(ctx context.Context, e foundEditor) {
	const install = "cd editors/vscode && npm ci && npm run package && code --install-extension *.vsix"
	for _, folder := range []string{".vscode", ".vscode-server"} { // the latter on the far side of a remote workspace
		pattern := filepath.Join(c.home, folder, "extensions", vscodeExtension+"-*", "package.json")
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			c.add(levelOK, "editor", "", "%s; the extension is in %s", e, filepath.Dir(found[len(found)-1]))
			return
		}
	}
	// Extensions may be somewhere else: VS Code knows.
	ctx, cancel := context.WithTimeout(ctx, vscodePatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.path, "--list-extensions")
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "DONT_PROMPT_WSL_INSTALL=1")
	out, err := cmd.Output()
	switch {
	case slices.ContainsFunc(strings.Fields(string(out)), func(id string) bool { return strings.EqualFold(id, vscodeExtension) }):
		c.add(levelOK, "editor", "", "%s; the extension is installed", e)
	case err != nil:
		c.add(levelWarn, "editor", install, "%s; whether it has the extension is not known: code --list-extensions: %v", e, err)
	default:
		c.add(levelWarn, "editor", install, "%s; it lacks the extension %s", e, vscodeExtension)
	}
}
