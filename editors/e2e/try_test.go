package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A new user's one command, editors/try.sh: an editor opens on what an agent just said, and
// leaving it takes everything away again.
func TestTry(t *testing.T) {
	for _, editor := range []string{"nvim", "hx"} {
		t.Run(editor, func(t *testing.T) {
			t.Parallel()
			tool(t, editor, "editors/bin/"+editor, "get-editors.sh")
			tool(t, "the agent host", "host/stamp", "get-host.sh")
			temp := t.TempDir()
			env := append(os.Environ(), "AHP_E2E_DIR="+toolDir(), "TMPDIR="+temp, "COLORTERM=truecolor")
			terminal := StartTerminal(t, Root(), env, "editors/try.sh", editor)
			// It builds the server, and starts a host of its own.
			terminal.waitLonger(5*Patience, "the agent's comment", func() bool {
				return strings.Contains(terminal.Screen(), "Is **stranger**")
			})
			terminal.SaveScreen("open")
			terminal.Type(":qa!")
			terminal.Keys("Enter")
			terminal.WaitExit()
			left, err := filepath.Glob(filepath.Join(temp, "tmp.*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
