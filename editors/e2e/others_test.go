package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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

func TestVim(t *testing.T) {
	vim := tool(t, "Vim", "others/bin/vim", "get-others.sh")
	ale := tool(t, "ALE", "others/ale", "get-others.sh")
	e := newEmbedded(t)
	id := e.run("comment", fmt.Sprintf("greet.go:%d", helloLine), "Hello whom?", "--agent")
	home := t.TempDir()
	vimrc := writeFile(t, filepath.Join(home, "vimrc"), fmt.Sprintf(`
set nocompatible noswapfile number hidden
filetype plugin on
let g:ale_linters = {'go': ['gofmt']}
set runtimepath^=%s
runtime plugin/ale.vim
source %s
`, ale, filepath.Join(Root(), "editors/vim/ahp.vim")), 0o644)
	v := StartTerminal(t, e.dir, []string{
		"PATH=" + e.server + ":/usr/bin:/bin", "HOME=" + home, "XDG_CONFIG_HOME=" + home,
	}, vim, "-u", vimrc, "greet.go")
	// The sign is in the margin of the line; on it, the comment is shown below the text.
	marked := func(line int) string { return fmt.Sprintf(`(?m)^\S+ +%d `, line) }
	v.WaitScreen(marked(helloLine))
	v.Type(fmt.Sprintf(":%d", helloLine))
	v.Keys("Enter")
	v.WaitScreen(`agent: Hello whom\?`)
	v.SaveScreen("comment")

	v.Type(":ALECodeAction")
	v.Keys("Enter")
	actions := v.WaitScreen(`Type number`)
	v.SaveScreen("actions")
	resolve := regexp.MustCompile(`(?m)^(\d+)\) Resolve`).FindStringSubmatch(actions)
	require.NotNil(t, resolve, actions)
	v.Type(resolve[1])
	v.Keys("Enter")
	v.WaitNoScreen(marked(helloLine))
	// The editor shows what it has sent before the host has stored it.
	require.Eventually(t, func() bool { return !strings.Contains(e.run("comments", "--open"), id) }, Patience, 100*time.Millisecond)

	v.Type(fmt.Sprintf(":%dAhpComment from Vim", byeLine))
	v.Keys("Enter")
	v.WaitScreen(marked(byeLine))
	require.Eventually(t, func() bool { return strings.Contains(e.run("comments", "--open"), "from Vim") }, Patience, 100*time.Millisecond)

	// The user's own linters are still there.
	v.Type(":echo b:ale_linters")
	v.Keys("Enter")
	v.WaitScreen(`\{'go': \['gofmt', 'ahp-lsp'\]\}`)
	v.Type(":qa!")
	v.Keys("Enter")
	v.WaitExit()
}
