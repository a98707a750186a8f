package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// foundEditor is an editor on the PATH.
type foundEditor struct {
	name    string // nvim, hx or code
	title   string
	path    string // "" if it is not there
	version string // "" if it does not say
	old     bool   // too old to be used
}

// knownEditors are the editors we know how to start, most wanted first.
var knownEditors = []struct{ name, title string }{{"nvim", "Neovim"}, {"hx", "Helix"}, {"code", "VS Code"}}

var versionPattern = regexp.MustCompile(`\d+(\.\d+)+`)

// lookEditor looks for an editor on the PATH and asks for its version.
func lookEditor(ctx context.Context, name string) foundEditor { return lookEditorAt(ctx, name, "") }

// lookEditorAt looks for an editor in this place, unless that is "".
func lookEditorAt(ctx context.Context, name, path string) foundEditor {
	e := foundEditor{name: name}
	for _, known := range knownEditors {
		if known.name == name {
			e.title = known.title
		}
	}
	names := []string{name}
	if name == "hx" {
		names = append(names, "helix") // on Arch Linux and others
	}
	if path != "" {
		names = []string{path}
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			e.path = path
			break
		}
	}
	if e.path == "" {
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return e
	}
	first, _, _ := strings.Cut(string(out), "\n")
	e.version = versionPattern.FindString(first)
	e.old = name == "nvim" && !atLeast(e.version, 0, 11)
	return e
}

// atLeast compares a version such as 0.11.2 with major.minor.
func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version+".0", ".", 3)
	if len(parts) < 2 {
		return false
	}
	have := make([]int, 2)
	for i := range have {
		have[i], _ = strconv.Atoi(parts[i])
	}
	return slices.Compare(have, []int{major, minor}) >= 0
}

// configured looks for a configuration of the user's that mentions ahp-lsp. It
// is where it was found; looked is where it would be.
func (e foundEditor) configured(home string) (file, looked string) {
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	if e.name == "nvim" {
		name := os.Getenv("NVIM_APPNAME")
		if name == "" {
			name = "nvim"
		}
		looked = filepath.Join(config, name)
		if file = mentions(looked); file == "" {
			file = neovimPackage(home, name)
		}
		return file, looked
	}
	return "", looked
}

// neovimPackages is where Neovim looks for packages; name is that of its
// configuration.
func neovimPackages(home, name string) string {
	data := os.Getenv("XDG_DATA_HOME")
	if data == "" {
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, name, "site", "pack")
}

// neovimPackage looks for the plugin among Neovim's packages, where it needs no
// configuration: linked there, or with all of its repository.
func neovimPackage(home, name string) string {
	for _, inside := range []string{"", "editors/neovim"} {
		pattern := filepath.Join(neovimPackages(home, name), "*", "*", "*", filepath.FromSlash(inside), "plugin", "ahp.lua")
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// maxConfigFiles bounds how many files of a configuration are looked at.
const maxConfigFiles = 2000

// mentions looks for a Lua or Vim file below dir that is called ahp*.lua or
// mentions ahp-lsp.
func mentions(dir string) (found string) {
	left := maxConfigFiles
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		name := ""
		if d != nil {
			name = d.Name()
		}
		switch left--; {
		case left < 0:
			return filepath.SkipAll
		case err != nil, d.IsDir() && name == ".git":
			return filepath.SkipDir
		case d.IsDir(), filepath.Ext(name) != ".lua" && filepath.Ext(name) != ".vim":
			return nil
		}
		if !strings.HasPrefix(name, "ahp") {
			data, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(data), "ahp-lsp") {
				return nil
			}
		}
		found = path
		return filepath.SkipAll
	})
	return found
}

func (e foundEditor) String() string {
	if e.version == "" {
		return fmt.Sprintf("%s (%s)", e.title, e.path)
	}
	return fmt.Sprintf("%s %s (%s)", e.title, e.version, e.path)
}
