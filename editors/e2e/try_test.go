package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A new user's one command, editors/try.sh: an editor opens on what an agent just said, and
// leaving it takes everything away again.
func TestTry(t *testing.T) {
	for _, editor := range []string{"nvim", "hx"} {
		t.Run(editor, func(t *testing.T) {
			t.Parallel()
			tool(t, "the agent host", "host/stamp", "get-host.sh")
			terminal, temp := try(t, editor)
			terminal.WaitScreen(`Is \*\*stranger\*\*`)
			terminal.SaveScreen("open")
			leave(t, terminal, temp)
		})
	}
}

// The same for somebody who has a host, and a folder with a session.
func TestTryWithAHost(t *testing.T) {
	for _, editor := range []string{"nvim", "hx"} {
		t.Run(editor, func(t *testing.T) {
			t.Parallel()
			host := SharedHost(t)
			s := host.NewSession(t, NewWorkspace(t, map[string]string{"notes.md": "# Notes\n\none\n"}))
			s.RunTurn("Say something.", s.Comment("notes.md", 3, "Only one?"))
			terminal, temp := try(t, editor, "--host", host.URL, "--token", host.Token, s.Dir)
			if editor == "hx" {
				terminal.WaitScreen("Press Enter")
				terminal.Keys("Enter")
				terminal.WaitScreen(`> notes\.md`)
				terminal.Keys("Enter")
			} else {
				terminal.WaitScreen(`notes\.md`)
				terminal.Type(":edit notes.md")
				terminal.Keys("Enter")
			}
			terminal.WaitScreen("agent: Only one")
			terminal.SaveScreen("open")
			leave(t, terminal, temp)
		})
	}
}

// try starts the script, with its temporary files in temp, and waits until it has built the
// server and has a host.
func try(t *testing.T, arguments ...string) (terminal *Terminal, temp string) {
	t.Helper()
	tool(t, arguments[0], "editors/bin/"+arguments[0], "get-editors.sh")
	temp = t.TempDir()
	env := append(os.Environ(), "AHP_E2E_DIR="+toolDir(), "TMPDIR="+temp, "COLORTERM=truecolor")
	terminal = StartTerminal(t, Root(), env, append([]string{"editors/try.sh"}, arguments...)...)
	terminal.waitLonger(5*Patience, "the editor", func() bool {
		return regexp.MustCompile(`space a|gra +what`).MatchString(terminal.Screen())
	})
	return terminal, temp
}

// leave leaves the editor, after which nothing of what the script made is there.
func leave(t *testing.T, terminal *Terminal, temp string) {
	t.Helper()
	terminal.Type(":qa!")
	terminal.Keys("Enter")
	terminal.WaitExit()
	left, err := filepath.Glob(filepath.Join(temp, "tmp.*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
