package setup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"ahp-lsp/editors/emacs"
)

// Marks around what is ours in an init file.
const (
	emacsBegin = ";; ahp-lsp setup: begin\n"
	emacsEnd   = ";; ahp-lsp setup: end\n"
)

var emacsRequired = regexp.MustCompile(`(?m)^[^;\n]*\(require 'ahp\b`)

// planEmacs puts ahp.el into a folder of its own, and has the init file load it.
func planEmacs(_ context.Context, c Command) (plan, error) {
	p := plan{next: "Start Emacs again: with lsp-mode that is all, with Eglot there is M-x ahp-review."}
	init := emacsInit(c.Home)
	old, err := read(init)
	if err != nil {
		return p, err
	}
	before, after, err := cutBlock(init, old)
	if err != nil {
		return p, err
	}
	users := slices.Concat(before, after)
	folder := filepath.Join(dataFolder(c.Home), "ahp-lsp", "emacs")
	library := filepath.Join(folder, "ahp.el")
	if c.Remove {
		if err := p.set(library, nil, isOurEmacs); err != nil {
			return p, err
		}
		p.editInit(init, old, users, len(bytes.TrimSpace(users)) == 0 && len(before)+len(after) < len(old))
		p.prune = folder
		return p, nil
	}
	if emacsRequired.Match(users) {
		p.notes = append(p.notes, init+" requires ahp already")
		return p, nil
	}
	server, err := serverCommand()
	if err != nil {
		return p, err
	}
	if err := p.set(library, emacs.Library, isOurEmacs); err != nil {
		return p, err
	}
	block := emacsBegin + fmt.Sprintf("(add-to-list 'load-path %s)\n", lispString(folder))
	if server != serverName {
		block += fmt.Sprintf("(setq ahp-program '(%s \"--stdio\"))\n", lispString(server))
	}
	block += "(require 'ahp)\n" + emacsEnd
	if len(before) > 0 && !bytes.HasSuffix(before, []byte("\n")) {
		block = "\n" + block
	}
	p.editInit(init, old, slices.Concat(before, []byte(block), after), false)
	return p, nil
}

// editInit has the init file hold this text, or removes it.
func (p *plan) editInit(path string, old, text []byte, remove bool) {
	if remove {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			p.files = append(p.files, change{path: path, old: old, ours: true})
			return
		}
	}
	if !bytes.Equal(old, text) {
		p.files = append(p.files, change{path: path, old: old, text: text, edit: true})
	}
}

// cutBlock is the text around our block, which is at the end if there is none.
func cutBlock(path string, text []byte) (before, after []byte, err error) {
	before, rest, found := bytes.Cut(text, []byte(emacsBegin))
	if !found {
		return text, nil, nil
	}
	_, after, ended := bytes.Cut(rest, []byte(emacsEnd))
	if !ended {
		return nil, nil, fmt.Errorf("%s has a line %q but none that is %q\nhint: remove that line and what belongs to it", path, strings.TrimSpace(emacsBegin), strings.TrimSpace(emacsEnd))
	}
	return before, after, nil
}

func isOurEmacs(old []byte) bool { return bytes.Equal(old, emacs.Library) }

// lispString quotes a text for Emacs Lisp.
func lispString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// emacsInit is the file that Emacs reads first.
func emacsInit(home string) string {
	config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	xdg := filepath.Join(config, "emacs")
	if runtime.GOOS == "windows" && os.Getenv("HOME") == "" {
		home = cmp.Or(os.Getenv("APPDATA"), home)
	}
	dotted := filepath.Join(home, ".emacs.d")
	for _, path := range []string{filepath.Join(home, ".emacs.el"), filepath.Join(home, ".emacs"), filepath.Join(dotted, "init.el")} {
		if exists(path) {
			return path
		}
	}
	if !exists(dotted) && exists(xdg) {
		return filepath.Join(xdg, "init.el")
	}
	return filepath.Join(dotted, "init.el")
}

// dataFolder is where programs keep files of a user.
func dataFolder(home string) string {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return data
	}
	if runtime.GOOS == "windows" {
		return cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
	}
	return filepath.Join(home, ".local", "share")
}
