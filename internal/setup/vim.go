package setup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ahp-lsp/editors/vim"
)

// vimServer is how ahp.vim names the server.
const vimServer = "'executable': 'ahp-lsp'"

// planVim puts ahp.vim where Vim loads plugins from.
func planVim(_ context.Context, c Command) (plan, error) {
	p := plan{next: "With ALE, open a file in a repository where an agent worked: :ALENext, :ALEHover, :ALECodeAction."}
	dir := vimFolder(c.Home)
	path := filepath.Join(dir, "plugin", "ahp.vim")
	if c.Remove {
		return p, p.set(path, nil, isOurVim)
	}
	if to, err := os.Readlink(path); err == nil {
		p.notes = append(p.notes, fmt.Sprintf("%s is a link to %s", path, to))
		return p, nil
	}
	server, err := serverCommand()
	if err != nil {
		return p, err
	}
	if !hasALE(dir) {
		p.notes = append(p.notes, fmt.Sprintf("the plugin ALE (version 4), which this needs, was not found in %s", dir))
	}
	return p, p.set(path, vimPlugin(server), isOurVim)
}

// vimPlugin is ahp.vim with what it starts as the server.
func vimPlugin(server string) []byte {
	quoted := strings.ReplaceAll(vimServer, serverName, strings.ReplaceAll(server, "'", "''"))
	return bytes.Replace(vim.Plugin, []byte(vimServer), []byte(quoted), 1)
}

// isOurVim reports whether a text is ahp.vim as this version writes it, for any server.
func isOurVim(old []byte) bool {
	before, rest, _ := bytes.Cut(vim.Plugin, []byte(vimServer))
	name, _, _ := strings.Cut(vimServer, "'ahp-lsp'")
	middle, ok := bytes.CutPrefix(old, append(bytes.Clone(before), name...))
	if !ok || !bytes.HasSuffix(middle, rest) {
		return false
	}
	return !bytes.Contains(middle[:len(middle)-len(rest)], []byte("\n"))
}

// vimFolder is where Vim keeps a user's files.
func vimFolder(home string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(home, "vimfiles")
	}
	old := filepath.Join(home, ".vim")
	config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	if new := filepath.Join(config, "vim"); !exists(old) && !exists(filepath.Join(home, ".vimrc")) && exists(filepath.Join(new, "vimrc")) {
		return new
	}
	return old
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// hasALE looks where the common plugin managers put it.
func hasALE(dir string) bool {
	for _, pattern := range []string{"pack/*/*/ale", "pack/*/*/vim-ale", "plugged/ale", "bundle/ale", "autoload/ale.vim"} {
		if found, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))); len(found) > 0 {
			return true
		}
	}
	return exists("/usr/share/vim/vimfiles/autoload/ale.vim") || exists("/usr/share/vim-ale")
}
