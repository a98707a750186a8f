package doctor

import (
	"os"
	"path/filepath"
	"strings"
)

// NeovimConfigured looks for the plugin, or a configuration of the user's that
// mentions ahp-lsp. It is where that was found; looked is where it would be.
func NeovimConfigured(home string) (file, looked string) {
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
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
