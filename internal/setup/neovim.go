package setup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"ahp-lsp/editors/neovim"
	"ahp-lsp/internal/doctor"
	"ahp-lsp/internal/editor"
)

// planNeovim puts the plugin among Neovim's packages, which are loaded without any
// configuration.
func planNeovim(ctx context.Context, c Command) (plan, error) {
	p := plan{next: "Open a file in a repository where an agent worked; :help ahp has the rest."}
	e := editor.Find(ctx, editor.Neovim)
	switch {
	case c.Remove:
	case e.Path == "":
		p.notes = append(p.notes, "Neovim (nvim) is not on the PATH")
	case e.TooOld():
		return p, fmt.Errorf("%s is too old: it has to be 0.11 or newer", e)
	}
	p.prune = filepath.Join(neovimSite(c.Home), "pack", "ahp")
	p.folder = filepath.Join(p.prune, "start", "ahp")
	if to, err := os.Readlink(p.folder); err == nil {
		if c.Remove {
			p.files = append(p.files, change{path: p.folder, link: true})
		} else {
			p.notes = append(p.notes, fmt.Sprintf("%s is a link to %s", p.folder, to))
		}
		return p, nil
	}
	wanted := map[string][]byte{}
	if !c.Remove {
		if found, _ := doctor.NeovimConfigured(c.Home); found != "" && !inside(p.folder, found) {
			p.notes = append(p.notes, fmt.Sprintf("%s mentions ahp-lsp: if it loads the plugin too, one of the two is enough", found))
		}
		server, err := serverCommand()
		if err != nil {
			return p, err
		}
		if wanted, err = neovimFiles(server); err != nil {
			return p, err
		}
	}
	return p, p.planFolder(wanted)
}

// neovimSite is the folder for what a user installs.
func neovimSite(home string) string {
	name, data := cmp.Or(os.Getenv("NVIM_APPNAME"), "nvim"), os.Getenv("XDG_DATA_HOME")
	switch {
	case data == "" && runtime.GOOS == "windows":
		data = cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
	case data == "":
		data = filepath.Join(home, ".local", "share")
	}
	if runtime.GOOS == "windows" {
		name += "-data"
	}
	return filepath.Join(data, filepath.FromSlash(name), "site")
}

// neovimFiles are the files of the plugin by their slash-separated names.
func neovimFiles(server string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(neovim.Plugin, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(neovim.Plugin, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	files["doc/tags"] = helpTags("ahp.txt", files["doc/ahp.txt"])
	if server != serverName { // read after the plugin's own lsp/ahp.lua, whose members it replaces
		files["after/lsp/ahp.lua"] = fmt.Appendf(nil, "-- Written by \"ahp-lsp setup nvim\": ahp-lsp was not on the PATH.\nreturn { cmd = { %s, '--stdio' } }\n", luaString(server))
	}
	return files, nil
}

// luaString quotes a text for Lua.
func luaString(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(text) + "'"
}

var helpTag = regexp.MustCompile(`(?:^|\s)\*([^*\s|]+)\*(?:\s|$)`)

// helpTags is what :helptags makes of a help file.
func helpTags(name string, text []byte) []byte {
	var lines []string
	for line := range strings.Lines(string(text)) {
		// Neighbouring tags share the blank between them.
		for m := helpTag.FindStringSubmatchIndex(line); m != nil; m = helpTag.FindStringSubmatchIndex(line) {
			tag := line[m[2]:m[3]]
			lines = append(lines, fmt.Sprintf("%s\t%s\t/*%s*\n", tag, name, strings.NewReplacer(`\`, `\\`, `/`, `\/`).Replace(tag)))
			line = line[m[3]+1:]
		}
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, ""))
}

// manifestName is the file in a folder of ours that lists what was put there.
const manifestName = ".ahp-lsp"

// planFolder makes p.folder hold these files. What else is in it stays, apart from what
// an earlier version put there.
func (p *plan) planFolder(wanted map[string][]byte) error {
	manifest, err := read(filepath.Join(p.folder, manifestName))
	if err != nil {
		return err
	}
	sums := map[string]string{} // of the files that are there, by name
	for line := range strings.Lines(string(manifest)) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && filepath.IsLocal(filepath.FromSlash(name)) {
			sums[name] = sum
		}
	}
	names := map[string]bool{}
	for name := range wanted {
		names[name] = true
	}
	for name := range sums {
		names[name] = true
	}
	var written bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text := wanted[name]
		err := p.set(filepath.Join(p.folder, filepath.FromSlash(name)), text, func(old []byte) bool { return sumOf(old) == sums[name] })
		if err != nil {
			return err
		}
		if text != nil {
			fmt.Fprintf(&written, "%s  %s\n", sumOf(text), name)
		}
	}
	return p.set(filepath.Join(p.folder, manifestName), written.Bytes(), func([]byte) bool { return true })
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
