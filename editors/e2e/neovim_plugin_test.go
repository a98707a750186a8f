package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The plugin's own tests, inside Neovim and against the embedded host.
func TestNeovimPlugin(t *testing.T) {
	t.Parallel()
	nvim := tool(t, "Neovim", "editors/bin/nvim", "get-editors.sh")
	server, err := builtServer()
	require.NoError(t, err)
	cmd := exec.Command(filepath.Join(Root(), "editors/neovim/test/run.sh"))
	cmd.Env = append(os.Environ(), "AHP_LSP="+server, "AHP_E2E_DIR="+toolDir(),
		"PATH="+filepath.Dir(nvim)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	writeFile(t, filepath.Join(Artefacts(t), "tests.txt"), string(out), 0o644)
	require.NoError(t, err, "%s", out)
	require.Regexp(t, regexp.MustCompile(`(?m)^[1-9]\d* passed, 0 failed$`), string(out))
	t.Logf("%s", strings.TrimSpace(string(out)))
}

// The plugin's commands with a real host and its agent: a story from the agent's comments to its
// next turn.
func TestNeovimPluginReviews(t *testing.T) {
	s, n := neovimScenario(t)
	n.WaitLua("the hunks", "return #require('ahp.review').get(0).hunks == 2", nil)
	n.WaitLua("the comments", "return #require('ahp.review').get(0).threads == 2", nil)

	n.Cursor(1)
	n.Lua("vim.cmd('AhpHunk next')", nil)
	n.WaitLua("the first hunk", lineIs(helloLine), nil)
	n.Lua("vim.cmd.AhpThread()", nil)
	n.WaitLua("the thread", "return vim.b.ahp_thread", nil)
	require.Contains(t, n.Text(), helloComment)
	n.SaveScreen("thread")
	n.Type("r")
	n.WaitLua("the input window", "return vim.bo.buftype == 'acwrite'", nil)
	n.Lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, {'Not yet.', '', 'Perhaps *later*.'})", nil)
	n.SaveScreen("reply")
	n.Lua("vim.cmd.write()", nil)
	s.WaitAnnotation("the reply", func(a Annotation) bool {
		return len(a.Entries) == 2 && a.Entries[1].Text == "Not yet.\n\nPerhaps *later*."
	})
	n.WaitLua("the reply in the window", "return vim.b.ahp_thread and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('later')", nil)
	n.Type("x")
	s.waitResolved("Should the greeting be")
	n.WaitLua("the window to say so", "return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:find('resolved')", nil)
	n.SaveScreen("resolved")
	n.Type("q")

	n.Lua("vim.cmd('AhpHunk next')", nil)
	n.WaitLua("the second hunk", lineIs(countLine), nil)
	n.Lua("vim.cmd('AhpHunk revert')", nil)
	n.WaitLua("the hunk to be reverted", "return vim.api.nvim_get_current_line() == "+lua(oldCount), nil)
	n.Type("u")
	require.Equal(t, after, n.Text())

	n.Lua("vim.cmd.AhpDiff()", nil)
	n.WaitLua("the diff", "return vim.wo.diff and #vim.api.nvim_tabpage_list_wins(0) == 2", nil)
	n.SaveScreen("diff")
	var left string
	n.Lua("return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(vim.api.nvim_tabpage_list_wins(0)[1]), 0, -1, false), '\\n') .. '\\n'", &left)
	require.Equal(t, before, left)
	n.Lua("vim.cmd.tabclose()", nil)

	n.Cursor(byeLine)
	n.Lua("vim.cmd('AhpComment please rename this')", nil)
	comment := s.agentSees("please rename this")
	require.Equal(t, byeLine, comment.Range.StartLine)

	n.Lua("vim.cmd('AhpList comments')", nil)
	var listed []string
	n.WaitLua("the list", `
		local lines = vim.tbl_map(function(item) return item.lnum .. ' ' .. item.text end, vim.fn.getqflist())
		return #lines == 2 and lines`, &listed)
	require.Contains(t, listed[0], "11 you: please rename this")
	require.Contains(t, listed[1], countComment)
	n.SaveScreen("list")
	n.Lua("vim.cmd.cclose()", nil)

	// The agent goes on: the buffer is read again by itself, and the comment stays with its code.
	s.RunTurn("Rename it.", s.EditFile("greet.go", "package greet\n", "// Package greet greets.\npackage greet\n"))
	n.WaitLua("the file to be read again", "return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == '// Package greet greets.'", nil)
	n.WaitLua("the comment on its line", `
		for _, thread in ipairs(require('ahp.review').get(0).threads) do
			if thread.entries[1].text == 'please rename this' and thread.range.start.line == 11 then return true end
		end`, nil)
	n.SaveScreen("followed")
}

// lineIs is true in Neovim while the cursor is on a line.
func lineIs(line int) string { return "return vim.fn.line('.') == " + strconv.Itoa(line) }
