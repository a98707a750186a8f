package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Without any host, flag or configuration: the server is the host, of the git repository.

// embedded is a work tree that several processes of the program share.
type embedded struct {
	t      *testing.T
	dir    string // the work tree
	server string // for StartNeovim and StartHelix
	env    []string
	binary string
}

func newEmbedded(t *testing.T) *embedded {
	t.Helper()
	t.Parallel()
	binary, err := builtServer()
	require.NoError(t, err)
	run, err := os.MkdirTemp("", "ahp-run-") // short: a socket's path has 107 bytes at most
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(run) })
	home := t.TempDir()
	e := &embedded{
		t: t, dir: NewWorkspace(t, map[string]string{"greet.go": before}), server: t.TempDir(), binary: binary,
		env: append(os.Environ(), "XDG_RUNTIME_DIR="+run, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home),
	}
	logs := Artefacts(t)
	// Editors give a private HOME to each server; where to meet is the same for all.
	writeFile(t, filepath.Join(e.server, "ahp-lsp"), fmt.Sprintf(`#!/bin/sh
unset AHP_HOST AHP_TOKEN AHP_SESSION
echo $$ >> '%s/pids'
XDG_RUNTIME_DIR='%s' exec '%s' --log-file '%s' --log-level debug "$@" 2>>'%s'
`, run, run, binary, filepath.Join(logs, "server.log"), filepath.Join(logs, "server.stderr")), 0o755)
	// An editor does not wait for its servers, and one that is ending still
	// writes into the repository.
	t.Cleanup(func() {
		pids, _ := os.ReadFile(filepath.Join(run, "pids"))
		deadline := time.Now().Add(Patience)
		for _, pid := range strings.Fields(string(pids)) {
			for tick := time.NewTicker(20 * time.Millisecond); time.Now().Before(deadline); <-tick.C {
				if _, err := os.Stat(filepath.Join("/proc", pid)); err != nil {
					break
				}
			}
		}
	})
	return e
}

// run runs a command of the program in the work tree.
func (e *embedded) run(args ...string) string {
	e.t.Helper()
	cmd := exec.Command(e.binary, args...)
	cmd.Dir, cmd.Env = e.dir, e.env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(e.t, err, "ahp-lsp %s\n%s%s", strings.Join(args, " "), out, stderr.String())
	return strings.TrimSpace(string(out))
}

func (e *embedded) file() string { return ReadFile(e.t, e.dir, "greet.go") }

// waitFile waits until the file on disk has this text.
func (e *embedded) waitFile(n *Neovim, text string) {
	e.t.Helper()
	n.WaitLua("the file on disk", "return table.concat(vim.fn.readfile(vim.api.nvim_buf_get_name(0)), '\\n') .. '\\n' == "+lua(text), nil)
}

func TestEmbeddedRevertsARangeAndUndoes(t *testing.T) {
	e := newEmbedded(t)
	n := StartNeovim(t, e.dir, e.server)
	n.Open("greet.go")
	n.WaitLua("the server", "return #vim.lsp.get_clients({name = 'ahp'}) == 1", nil)

	// Some agent in some terminal writes the file.
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "greet.go"), []byte(after), 0o644))
	n.Lua("vim.cmd.checktime()", nil)
	n.WaitLua("the file to be read again", "return vim.api.nvim_buf_get_lines(0, 6, 7, false)[1] == "+lua(newHello), nil)
	n.WaitLua("the agent's hunks", `
		for _, lens in ipairs(vim.lsp.codelens.get({bufnr = 0})) do
			if (lens.lens or lens).command.title:find('2 hunks') then return true end
		end`, nil)
	n.SaveScreen("hunks")

	n.Cursor(countLine)
	n.CodeAction(`(?i)^Revert: line`)
	n.SaveScreen("question")
	n.Choose(declineDiscard)
	require.Equal(t, after, e.file())
	n.CodeAction(`(?i)^Revert: line`)
	n.Choose("!" + declineDiscard)
	e.waitFile(n, strings.Replace(after, newCount, oldCount, 1))

	require.NotEmpty(t, e.run("undo"))
	require.Equal(t, after, e.file())
}

func TestEmbeddedCommentsReachAnotherEditor(t *testing.T) {
	e := newEmbedded(t)
	n := StartNeovim(t, e.dir, e.server)
	n.Open("greet.go")
	n.WaitLua("the server", "return #vim.lsp.get_clients({name = 'ahp'}) == 1", nil)
	h := StartHelix(t, e.dir, e.server, "greet.go")

	// The command line takes part, too; that both see it shows that both are connected.
	id := e.run("comment", fmt.Sprintf("greet.go:%d", byeLine), "from the shell")
	h.WaitScreen(fmt.Sprintf(`(?m)^● +%d `, byeLine))
	n.WaitDiagnostics(1)

	began := time.Now()
	n.Execute("ahp.annotation.create", map[string]any{
		"uri": fileURI(e.dir, "greet.go"), "text": "from Neovim",
		"range": Range{Start: Position{helloLine - 1, 1}, End: Position{helloLine - 1, 7}},
	}, nil)
	h.WaitScreen(fmt.Sprintf(`(?m)^● +%d `, helloLine))
	t.Logf("a comment made in Neovim was on Helix's screen after %s", time.Since(began).Round(time.Millisecond))

	comments := e.run("comments", "--markdown", "--open")
	require.Contains(t, comments, fmt.Sprintf("greet.go:%d", helloLine))
	require.Contains(t, comments, "from Neovim")
	e.run("resolve", id)
	h.WaitNoScreen(fmt.Sprintf(`(?m)^● +%d `, byeLine))
	require.Len(t, n.WaitDiagnostics(1), 1)
}

func TestEmbeddedAppliesAPatchSetHunkByHunk(t *testing.T) {
	e := newEmbedded(t)
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "greet.go"), []byte(after), 0o644))
	diff := exec.Command("git", "diff", "-U1")
	diff.Dir = e.dir
	patch, err := diff.Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "greet.go"), []byte(before), 0o644))
	file := writeFile(t, filepath.Join(t.TempDir(), "proposal.diff"), string(patch), 0o644)

	n := StartNeovim(t, e.dir, e.server)
	n.Open("greet.go")
	e.run("patchset", "import", file, "--rationale", "Greetings should be formatted.")
	hunks := func(count string) {
		n.WaitLua("the proposal's hunks", `
			for _, lens in ipairs(vim.lsp.codelens.get({bufnr = 0})) do
				if (lens.lens or lens).command.title:find(`+lua(count)+`) then return true end
			end`, nil)
	}
	hunks("2 hunks")
	n.Cursor(countLine)
	require.Contains(t, n.Hover(), "Greetings should be formatted.")
	n.SaveScreen("proposal")
	n.Type("<Esc>")
	require.Equal(t, before, e.file())

	n.CodeAction(`(?i)^Apply: line`)
	first := strings.Replace(before, oldCount, newCount, 1)
	e.waitFile(n, first)
	n.Lua("vim.cmd.checktime()", nil)
	n.WaitLua("the file to be read again", "return vim.api.nvim_buf_get_lines(0, 17, 18, false)[1] == "+lua(newCount), nil)
	hunks("1 hunk,")
	n.Cursor(helloLine)
	n.CodeAction(`(?i)^Apply: line`)
	e.waitFile(n, after)
}

// Each hunk is its turn's, also when a later turn wrote the same file.
func TestEmbeddedNamesTheTurn(t *testing.T) {
	e := newEmbedded(t)
	turn := func(title, text string) {
		e.run("turn", "start", "--title", title)
		require.NoError(t, os.WriteFile(filepath.Join(e.dir, "greet.go"), []byte(text), 0o644))
		e.run("turn", "end")
	}
	turn("Greet with Sprintf", strings.Replace(before, oldHello, newHello, 1))
	turn("Count from one", after)
	n := StartNeovim(t, e.dir, e.server)
	n.Open("greet.go")
	n.WaitLua("the agent's hunks", `
		for _, lens in ipairs(vim.lsp.codelens.get({bufnr = 0})) do
			if (lens.lens or lens).command.title:find('2 hunks') then return true end
		end`, nil)
	r := &neovimReader{n}
	r.at(helloLine)
	r.hover("turn 1: Greet with Sprintf")
	r.at(countLine)
	r.hover("turn 2: Count from one")
	n.SaveScreen("whose hunk")
}
