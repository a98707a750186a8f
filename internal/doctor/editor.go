package doctor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ahp-lsp/internal/editor"
)

// editors reports which editors are installed, and whether they are set up.
func (c *checkup) editors(ctx context.Context) {
	var found []editor.Editor
	for _, name := range editor.Names {
		if e := editor.Find(ctx, name); e.Path != "" {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		c.add(LevelWarn, "editor", "any editor with LSP works: its command is \"ahp-lsp serve --stdio\"", "neither Neovim (nvim), Helix (hx) nor VS Code (code) is on the PATH")
		return
	}
	if _, err := exec.LookPath("ahp-lsp"); err != nil {
		c.add(LevelWarn, "editor", "go install ./cmd/ahp-lsp, and put \"$(go env GOPATH)/bin\" on the PATH", "ahp-lsp is not on the PATH, where editors look for it")
	}
	for _, e := range found {
		switch e.Name {
		case editor.Neovim:
			c.neovim(e)
		case editor.Helix:
			c.helix(ctx, e)
		case editor.VSCode:
			c.vscode(ctx, e)
		}
	}
}

func (c *checkup) neovim(e editor.Editor) {
	if e.TooOld() {
		c.add(LevelWarn, "editor", "install Neovim 0.11 or newer", "%s is too old", e)
		return
	}
	if file, looked := NeovimConfigured(c.Home); file != "" {
		c.add(LevelOK, "editor", "", "%s; configured in %s", e, file)
	} else {
		c.add(LevelWarn, "editor", "run \"ahp-lsp setup nvim\"", "%s; nothing in %s mentions ahp-lsp", e, looked)
	}
}

// VSCodeExtension is what the extension in editors/vscode is called.
const VSCodeExtension = "ahp-lsp.ahp-lsp"

// vscodeTimeout bounds how long VS Code may take to list its extensions.
const vscodeTimeout = 10 * time.Second

func (c *checkup) vscode(ctx context.Context, e editor.Editor) {
	const install = "cd editors/vscode && npm ci && npm run package && code --install-extension *.vsix"
	for _, folder := range []string{".vscode", ".vscode-server"} { // the latter on the far side of a remote workspace
		pattern := filepath.Join(c.Home, folder, "extensions", VSCodeExtension+"-*", "package.json")
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			c.add(LevelOK, "editor", "", "%s; the extension is in %s", e, filepath.Dir(found[len(found)-1]))
			return
		}
	}
	// Extensions may be elsewhere: VS Code knows.
	ctx, cancel := context.WithTimeout(ctx, vscodeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Path, "--list-extensions")
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "DONT_PROMPT_WSL_INSTALL=1")
	out, err := cmd.Output()
	switch {
	case slices.ContainsFunc(strings.Fields(string(out)), func(id string) bool { return strings.EqualFold(id, VSCodeExtension) }):
		c.add(LevelOK, "editor", "", "%s; the extension is installed", e)
	case err != nil:
		c.add(LevelWarn, "editor", install, "%s; whether it has the extension is not known: code --list-extensions: %v", e, err)
	default:
		c.add(LevelWarn, "editor", install, "%s; it lacks the extension %s", e, VSCodeExtension)
	}
}
