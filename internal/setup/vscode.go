package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ahp-lsp/internal/doctor"
	"ahp-lsp/internal/editor"
)

// planVSCode has VS Code install the extension.
func planVSCode(ctx context.Context, c Command) (plan, error) {
	p := plan{next: "Reload its windows; \"Agent Review: Open Walkthrough\" shows what is there."}
	e := editor.Find(ctx, editor.VSCode)
	if e.Path == "" {
		return p, errors.New("VS Code (code) is not on the PATH\nhint: \"Shell Command: Install 'code' command in PATH\" in VS Code puts it there")
	}
	listed, err := code(ctx, e, "--list-extensions")
	if err != nil {
		return p, err
	}
	installed := slices.ContainsFunc(strings.Fields(listed), func(id string) bool { return strings.EqualFold(id, doctor.VSCodeExtension) })
	if c.Remove {
		if installed {
			p.actions = append(p.actions, action{"have VS Code uninstall the extension " + doctor.VSCodeExtension, func(ctx context.Context) (string, error) {
				return code(ctx, e, "--uninstall-extension", doctor.VSCodeExtension)
			}})
		}
		return p, nil
	}
	if installed && c.Extension == "" {
		return p, nil
	}
	vsix := c.Extension
	if vsix == "" {
		if vsix = shippedExtension(); vsix == "" {
			return p, errors.New("the extension did not come with this program\nhint: --extension names its .vsix file; in the sources, \"cd editors/vscode && npm ci && npm run package\" makes it")
		}
	}
	if _, err := os.Stat(vsix); err != nil {
		return p, err
	}
	p.actions = append(p.actions, action{"have VS Code install " + vsix, func(ctx context.Context) (string, error) {
		return code(ctx, e, "--install-extension", vsix, "--force")
	}})
	if _, err := exec.LookPath(serverName); err != nil {
		p.notes = append(p.notes, "ahp-lsp is not on the PATH: an extension that was made without a server needs the setting ahp.server.path")
	}
	return p, nil
}

// shippedExtension is a .vsix beside this program, or where packages have it.
func shippedExtension() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	for _, dir := range []string{".", "../share/ahp-lsp"} {
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(exe), filepath.FromSlash(dir), "ahp-lsp*.vsix"))
		if len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// codeTimeout bounds how long VS Code may take to install an extension.
const codeTimeout = 2 * time.Minute

func code(ctx context.Context, e editor.Editor, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, codeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Path, args...)
	cmd.Env = append(os.Environ(), "DONT_PROMPT_WSL_INSTALL=1")
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("code %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
