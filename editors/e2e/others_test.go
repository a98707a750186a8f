package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Editors without a plugin of ours: the snippets in editors/ make them show a comment where it
// belongs, resolve it, and make one.

func TestEmacs(t *testing.T) {
	for _, client := range []string{"eglot", "lsp-mode"} {
		t.Run(client, func(t *testing.T) {
			emacs := tool(t, "Emacs", "others/bin/emacs", "get-others.sh")
			e := newEmbedded(t)
			id := e.run("comment", fmt.Sprintf("greet.go:%d", helloLine), "Hello whom?", "--agent")
			home := t.TempDir()
			cmd := exec.Command(emacs, "--batch", "-Q", "-l", filepath.Join(Root(), "editors/emacs/ahp.el"),
				"-l", filepath.Join(Root(), "editors/e2e/emacs.el"), client, "greet.go", fmt.Sprint(helloLine))
			cmd.Dir = e.dir
			cmd.Env = append(e.env, "PATH="+e.server+":/usr/bin:/bin", "HOME="+home, "XDG_CONFIG_HOME="+home)
			out, err := cmd.CombinedOutput()
			writeFile(t, filepath.Join(Artefacts(t), "emacs.out"), string(out), 0o644)
			require.NoError(t, err, "%s", out)
			require.Regexp(t, fmt.Sprintf(`(?m)^diagnostic %d .*Hello whom\?`, helloLine), string(out))
			require.Regexp(t, `(?m)^resolved\ncommented$`, string(out))
			open := e.run("comments", "--markdown", "--open")
			require.NotContains(t, open, id)
			require.Contains(t, open, "from "+client)
			require.Contains(t, open, fmt.Sprintf("greet.go:%d", helloLine+1))
		})
	}
}
