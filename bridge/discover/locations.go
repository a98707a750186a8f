package discover

import (
	"os"
	"path"
	"strings"
)

// Where a host keeps its entries below its user data directory.
var entriesPath = []string{"agent-host", "local-endpoint", "entries"}

// products are the names of the editors' user data directories (VS Code's
// product.nameShort).
var products = []string{"Code", "Code - Insiders", "VSCodium", "Code - OSS"}

// servers are the names, below the home directory, of the folders of remote
// servers (VS Code's product.serverDataFolderName); a name that goes on after
// one of serverPrefixes is taken for another quality's.
var (
	servers        = []string{".vscode-server", ".vscode-server-insiders", ".vscode-server-oss", ".vscodium-server"}
	serverPrefixes = []string{".vscode-server", ".vscodium-server"}
)

// DefaultLocations returns the directories in which hosts publish themselves on
// an operating system (a GOOS) for a user's home directory: first those of
// editors, then those of servers. The rules are VS Code's (userDataPath.ts,
// without portable mode and --user-data-dir): the user data directory lies in
//   - Linux and other Unix systems: $XDG_CONFIG_HOME, else ~/.config;
//   - macOS: ~/Library/Application Support;
//   - Windows: %APPDATA%, else AppData\Roaming in the home directory;
//   - servers: ~/.vscode-server*/data itself.
//
// The home directory is listed to find the servers' names; the rest may or may
// not exist. Paths that are not absolute are left out: relative to the current
// directory they would lead into a workspace, which anyone may have written.
func DefaultLocations(getenv func(string) string, goos, home string) []string {
	l := layout{goos: goos}
	var configs string
	switch goos {
	case "windows":
		if configs = getenv("APPDATA"); !l.absolute(configs) {
			configs = l.join(home, "AppData", "Roaming")
		}
	case "darwin", "ios":
		configs = l.join(home, "Library", "Application Support")
	default:
		if configs = getenv("XDG_CONFIG_HOME"); !l.absolute(configs) {
			configs = l.join(home, ".config")
		}
	}
	var dirs []string
	add := func(userData string) {
		if l.absolute(userData) {
			dirs = append(dirs, l.join(userData, entriesPath...))
		}
	}
	for _, product := range products {
		add(l.join(configs, product))
	}
	for _, server := range l.servers(home) {
		add(l.join(home, server, "data"))
	}
	return dirs
}

// layout is how paths are written on an operating system, which need not be the
// one this runs on.
type layout struct{ goos string }

func (l layout) absolute(p string) bool {
	if l.goos != "windows" {
		return strings.HasPrefix(p, "/")
	}
	drive := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	return drive || strings.HasPrefix(p, `\\`)
}

func (l layout) join(first string, rest ...string) string {
	if l.goos != "windows" {
		return path.Join(append([]string{first}, rest...)...)
	}
	return strings.Join(append([]string{strings.TrimRight(first, `\/`)}, rest...), `\`)
}

// servers are the known names first, then those found in the home directory, in
// the order of their names.
func (l layout) servers(home string) []string {
	names := append([]string(nil), servers...)
	if !l.absolute(home) {
		return names
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	// Not filepath.Glob: the home directory's name may hold a wildcard.
	entries, err := os.ReadDir(home)
	if err != nil {
		return names
	}
	for _, entry := range entries {
		for _, prefix := range serverPrefixes {
			if name := entry.Name(); strings.HasPrefix(name, prefix) && !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
