package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// One command, and Helix has the server in every language it knows, besides the language's own.
func TestHelixConfig(t *testing.T) {
	helix := tool(t, "Helix", "editors/bin/hx", "get-editors.sh")
	e := newEmbedded(t)
	files := map[string]string{"greet.go": "", "notes.md": "# Notes\n\nOne.\n", "setup.ini": "[section]\nkey = 1\n", "Makefile": "all:\n\techo\n"}
	home := t.TempDir()
	// What the user has stays, and says which files are whose.
	mine := "# mine\n[[language]]\nname = \"make\"\nlanguage-servers = [\"gopls\"]\n\n[[language]]\nname = \"settings\"\nscope = \"source.settings\"\nfile-types = [\"ini\"]\n"
	config := writeFile(t, filepath.Join(home, "helix/languages.toml"), mine, 0o600)
	path := "PATH=" + filepath.Dir(helix) + ":" + e.server + ":/usr/bin:/bin"
	e.env = append(e.env, "HOME="+home, "XDG_CONFIG_HOME="+home, path)

	require.Contains(t, e.run("helix-config", "--write"), "added ahp-lsp to "+config)
	written := ReadFile(t, config)
	require.Contains(t, e.run("helix-config", "--write"), "up to date")
	require.Equal(t, mine, ReadFile(t, config+".bak"))

	health := func(about string) string {
		cmd := exec.Command(helix, "--health", about)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, path)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err)
		said := escape.ReplaceAllString(string(out), "")
		require.NotContains(t, said, "Error parsing")
		require.NotContains(t, said, "default language config")
		return said
	}
	require.Regexp(t, `(?s)gopls: .*✓ ahp-lsp: `, health("go"))
	require.Regexp(t, `(?s)language servers:\s+✓ ahp-lsp: `, health("ini")) // it has none of its own
	require.Regexp(t, `(?s)gopls: .*✓ ahp-lsp: `, health("make"))
	require.Contains(t, health("all"), "Language file: "+config)

	for file, text := range files {
		if text != "" {
			writeFile(t, filepath.Join(e.dir, file), text, 0o644)
		}
		e.run("comment", file+":2", "Look at "+file+", please.", "--agent")
	}
	h := StartHelixAt(t, home, e.dir, e.server, "greet.go")
	for file := range files {
		h.Command("open " + file)
		require.Equal(t, []int{2}, helixMarks(h.WaitScreen(`(?m)^● +2 `)), file)
		h.Keys("Space", "d")
		h.WaitScreen(`ahp .*Look at ` + file)
		h.SaveScreen(file)
		h.Keys("Escape")
		h.WaitNoScreen(`ahp .*Look at ` + file)
		h.Command("buffer-close")
	}
	h.Command("open setup.ini")
	h.Command("set-language")
	h.WaitScreen(`settings`) // Helix still takes the user's language for the file
	h.Command("quit-all!")
	h.WaitExit()

	e.run("helix-config", "--remove", "--write")
	require.Equal(t, mine, ReadFile(t, config))
	require.Equal(t, written, ReadFile(t, config+".bak.1"))
}
