package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// freshUser is the environment of a user with an empty home, on a machine where ahp-lsp is not on
// the PATH.
func freshUser(t *testing.T) (home string, env []string) {
	t.Helper()
	home, err := os.MkdirTemp("", "home-") // short, as sockets are made in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return home, []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + home}
}

func runAs(t *testing.T, env []string, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = env, dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// After "ahp-lsp setup nvim" a user who has nothing but the program sees what an agent changed.
func TestSetupNeovim(t *testing.T) {
	nvim := tool(t, "Neovim", "editors/bin/nvim", "get-editors.sh")
	binary, err := builtServer()
	if err != nil {
		t.Fatal(err)
	}
	home, env := freshUser(t)
	dir := NewWorkspace(t, map[string]string{"main.go": "package main\n\nfunc main() {\n}\n"})
	writeFile(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {\n\tprintln(1)\n}\n", 0o644) // the agent
	runAs(t, env, dir, binary, "setup", "nvim", "--yes")

	shown := filepath.Join(home, "shown")
	script := writeFile(t, filepath.Join(home, "look.lua"), `
		local line
		vim.wait(25000, function()
			line = require('ahp').statusline()
			return line:find('hunk') ~= nil
		end, 20)
		vim.fn.writefile({ line, vim.fn.maparg('<Plug>(AhpHunkNext)', 'n'), vim.fn.exists(':AhpThread') }, [[`+shown+`]])
		vim.cmd('help ahp-install') -- known without :helptags
		vim.cmd('qall!')`, 0o644)
	said := runAs(t, env, dir, nvim, "--headless", "main.go", "-c", "luafile "+script)
	if got := ReadFile(t, shown); !strings.HasPrefix(got, "ahp: 0/1 hunks\n") || !strings.HasSuffix(got, "\n2\n") {
		t.Fatalf("Neovim shows %q\n%s", got, said)
	}
	if strings.Contains(said, "E149") {
		t.Errorf("the help has no tags: %s", said)
	}

	runAs(t, env, dir, binary, "setup", "nvim", "--remove", "--yes")
	if found, _ := filepath.Glob(filepath.Join(home, ".local/share/nvim/site/pack/*")); len(found) > 0 {
		t.Errorf("left behind: %s", found)
	}
}

// After "ahp-lsp setup emacs" Emacs loads the library and knows where the program is.
func TestSetupEmacs(t *testing.T) {
	emacs := tool(t, "Emacs", "others/bin/emacs", "get-others.sh")
	binary, err := builtServer()
	if err != nil {
		t.Fatal(err)
	}
	home, env := freshUser(t)
	runAs(t, env, home, binary, "setup", "emacs", "--yes")
	got := runAs(t, env, home, emacs, "--batch", "-l", filepath.Join(home, ".emacs.d/init.el"),
		"--eval", `(princ (format "%s %s" (featurep 'ahp) (car ahp-program)))`)
	if want := "t " + binary; !strings.HasSuffix(got, want) { // before it, Emacs may warn about folders
		t.Errorf("Emacs has %q, not %q", got, want)
	}
}
