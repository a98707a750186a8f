package discover

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/winetest"
)

func TestDefaultLocations(t *testing.T) {
	const (
		unixTail    = "/agent-host/local-endpoint/entries"
		windowsTail = `\agent-host\local-endpoint\entries`
	)
	home := "/nowhere/me"
	unixServers := []string{
		home + "/.vscode-server/data", home + "/.vscode-server-insiders/data",
		home + "/.vscode-server-oss/data", home + "/.vscodium-server/data",
	}
	unixEditors := func(dir string) []string {
		return []string{dir + "/Code", dir + "/Code - Insiders", dir + "/VSCodium", dir + "/Code - OSS"}
	}
	windowsEditors := func(dir string) []string {
		return []string{dir + `\Code`, dir + `\Code - Insiders`, dir + `\VSCodium`, dir + `\Code - OSS`}
	}
	windowsServers := []string{
		`C:\Users\me\.vscode-server\data`, `C:\Users\me\.vscode-server-insiders\data`,
		`C:\Users\me\.vscode-server-oss\data`, `C:\Users\me\.vscodium-server\data`,
	}
	for name, tt := range map[string]struct {
		goos, home string
		env        map[string]string
		want       [][]string // user data directories
	}{
		"linux":               {goos: "linux", home: home, want: [][]string{unixEditors(home + "/.config"), unixServers}},
		"linux, XDG":          {goos: "linux", home: home, env: map[string]string{"XDG_CONFIG_HOME": "/etc/me/"}, want: [][]string{unixEditors("/etc/me"), unixServers}},
		"linux, relative XDG": {goos: "linux", home: home, env: map[string]string{"XDG_CONFIG_HOME": "conf"}, want: [][]string{unixEditors(home + "/.config"), unixServers}},
		"freebsd":             {goos: "freebsd", home: home, want: [][]string{unixEditors(home + "/.config"), unixServers}},
		"macOS":               {goos: "darwin", home: home, env: map[string]string{"XDG_CONFIG_HOME": "/etc/me"}, want: [][]string{unixEditors(home + "/Library/Application Support"), unixServers}},
		"windows":             {goos: "windows", home: `C:\Users\me`, env: map[string]string{"APPDATA": `D:\Roaming\`}, want: [][]string{windowsEditors(`D:\Roaming`), windowsServers}},
		"windows, share":      {goos: "windows", home: `C:\Users\me`, env: map[string]string{"APPDATA": `\\srv\me`}, want: [][]string{windowsEditors(`\\srv\me`), windowsServers}},
		"windows, no APPDATA": {goos: "windows", home: `C:\Users\me`, want: [][]string{windowsEditors(`C:\Users\me\AppData\Roaming`), windowsServers}},
		"no home":             {goos: "linux"},
		"no home but XDG":     {goos: "linux", env: map[string]string{"XDG_CONFIG_HOME": "/etc/me"}, want: [][]string{unixEditors("/etc/me")}},
		"relative home":       {goos: "linux", home: "me"},
		"windows, no home":    {goos: "windows"},
		"windows, no drive":   {goos: "windows", home: `\Users\me`},
	} {
		t.Run(name, func(t *testing.T) {
			tail := unixTail
			if tt.goos == "windows" {
				tail = windowsTail
			}
			var want []string
			for _, part := range tt.want {
				for _, userData := range part {
					want = append(want, userData+tail)
				}
			}
			got := DefaultLocations(func(key string) string { return tt.env[key] }, tt.goos, tt.home)
			require.Equal(t, want, got)
		})
	}
}

// The home directory's own name holds a wildcard on purpose.
func TestServersInTheHomeDirectory(t *testing.T) {
	home := filepath.Join(winetest.TempDir(t), "me[1]")
	for _, name := range []string{".vscode-server-zeta", ".vscode-server-exploration", ".vscode-server", ".vscode", ".vscodium-server-insiders"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, name), 0o700))
	}
	l := layout{goos: "linux"}
	if filepath.Separator == '\\' {
		l.goos = "windows"
	}
	require.Equal(t, []string{
		".vscode-server", ".vscode-server-insiders", ".vscode-server-oss", ".vscodium-server",
		".vscode-server-exploration", ".vscode-server-zeta", ".vscodium-server-insiders",
	}, l.servers(home))
}

func TestFromLocationToEndpoint(t *testing.T) {
	home := winetest.TempDir(t)
	dir := filepath.Join(append([]string{home, ".vscode-server-next", "data"}, entriesPath...)...)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	host(published{"type": "standalone"}).write(t, dir)
	goos := "linux"
	if filepath.Separator == '\\' {
		goos = "windows"
	}
	found, passed := Scan(DefaultLocations(func(string) string { return "" }, goos, home), everyone)
	require.Len(t, found, 1)
	require.Equal(t, filepath.Join(dir, host(published{"type": "standalone"}).name()), found[0].File)
	for _, f := range passed {
		require.Equal(t, NoDirectory, f.Kind)
	}
}
