package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A new user who lacks something gets one line, once, that says what to do; in Neovim, in :AhpStatus
// where a folder that is no repository is all that is wrong.
func TestFirstRun(t *testing.T) {
	for _, editor := range []string{"Neovim", "Helix"} {
		t.Run(editor+"/no repository", func(t *testing.T) {
			e := newEmbedded(t)
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "notes.md"), "# Notes\n", 0o644)
			firstRun(t, editor, dir, e.server, `ahp: no agent host found; "ahp-lsp doctor" says what to do`)
		})
		t.Run(editor+"/no such host", func(t *testing.T) {
			t.Parallel()
			dir := NewWorkspace(t, map[string]string{"notes.md": "# Notes\n"})
			firstRun(t, editor, dir, Server(t, "ws://127.0.0.1:1/", "none"), `ahp: [^\n]*127\.0\.0\.1:1[^\n]*; trying again`)
		})
		t.Run(editor+"/no session", func(t *testing.T) {
			t.Parallel()
			host := SharedHost(t)
			dir := NewWorkspace(t, map[string]string{"notes.md": "# Notes\n"})
			firstRun(t, editor, dir, Server(t, host.URL, host.Token), `ahp: no agent session works here; "ahp-lsp doctor" says why`)
		})
	}
}

// firstRun opens a file, waits for the message, and sees that it is the only one.
func firstRun(t *testing.T, editor, dir, server, pattern string) {
	t.Helper()
	switch editor {
	case "Neovim":
		n := StartNeovim(t, dir, server)
		n.Open("notes.md")
		var message string
		n.WaitLua("the message", "local all = require('ahp.message').all() return all[1] and all[1].text", &message)
		require.Regexp(t, pattern, message)
		if strings.Contains(pattern, "no agent host found") {
			n.Lua("vim.cmd.AhpStatus()", nil)
			n.WaitLua("the window", "return vim.api.nvim_win_get_config(0).relative ~= ''", nil)
			require.Contains(t, n.Text(), message)
		} else {
			n.WaitLua("the message on the screen", "return harness.messages[1] and harness.messages[1].message", &message)
			require.Regexp(t, pattern, message)
		}
		n.SaveScreen("told")
	case "Helix":
		h := StartHelix(t, dir, server, "notes.md")
		h.WaitScreen(pattern)
		h.SaveScreen("told")
	}
	var told [][]string
	require.Eventually(t, func() bool { // the log is written behind the message
		log, err := os.ReadFile(filepath.Join(Artefacts(t), "server.log"))
		told = regexp.MustCompile(`(?m)told: (.*)$`).FindAllStringSubmatch(string(log), -1)
		return err == nil && len(told) > 0
	}, Patience, 20*time.Millisecond)
	require.Len(t, told, 1)
	require.Regexp(t, strings.ReplaceAll(pattern, "ahp: ", ""), told[0][1])
}
