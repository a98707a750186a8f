package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func neovimScenario(t *testing.T) (*scenario, *Neovim) {
	t.Helper()
	s := newScenario(t)
	n := StartNeovim(t, s.Dir, s.server)
	n.Open("greet.go")
	found := n.WaitDiagnostics(2)
	require.Equal(t, []int{helloLine, countCommentLine}, []int{found[0].Line, found[1].Line})
	return s, n
}

func TestNeovimShowsThreads(t *testing.T) {
	s, n := neovimScenario(t)
	found := n.WaitDiagnostics(2)
	require.Contains(t, found[0].Message, "Should the greeting be")
	require.Contains(t, found[1].Message, countComment)
	require.Equal(t, "ahp", found[0].Source)
	require.Equal(t, helloLine, found[0].EndLine)

	n.Cursor(helloLine)
	hover := n.Hover()
	n.SaveScreen("hover")
	require.Contains(t, hover, "Should the greeting be")
	require.Contains(t, strings.ToLower(hover), "agent")
	require.NotContains(t, hover, countComment)
	n.Type("<Esc>gg")

	n.WaitLua("a code lens on the comment's line", `
		for _, lens in ipairs(vim.lsp.codelens.get({bufnr = 0})) do
			if (lens.lens or lens).range.start.line == 6 then return true end
		end`, nil)
	n.SaveScreen("code lenses")

	// The threads go with their lines.
	n.Type("O// a line above everything<Esc>")
	n.Cursor(helloLine + 1)
	n.WaitLua("the actions of the thread on its new line", "return vim.diagnostic.get(0, {lnum = 7})[1] ~= nil", nil)
	require.GreaterOrEqual(t, match(n.CodeActions(), resolveAction), 0)
	s.requireNotInvoked()
}

func TestNeovimResolves(t *testing.T) {
	s, n := neovimScenario(t)
	n.Cursor(helloLine)
	n.CodeAction(resolveAction)
	s.waitResolved("Should the greeting be")
	left := n.WaitDiagnostics(1)
	require.Equal(t, countCommentLine, left[0].Line)
}

func TestNeovimCommentsByCommand(t *testing.T) {
	s, n := neovimScenario(t)
	n.Execute("ahp.annotation.create", map[string]any{
		"uri": s.uri(), "text": "please rename this",
		"range": Range{Start: Position{byeLine - 1, 5}, End: Position{byeLine - 1, 8}},
	}, nil)
	comment := s.agentSees("please rename this")
	require.Equal(t, s.uri(), comment.ResourceURI)
	require.Equal(t, []int{byeLine, 6, byeLine, 9},
		[]int{comment.Range.StartLine, comment.Range.StartColumn, comment.Range.EndLine, comment.Range.EndColumn})
	require.Len(t, n.WaitDiagnostics(3), 3)
}

func TestNeovimCommentsFromALine(t *testing.T) {
	s, n := neovimScenario(t)
	n.Cursor(byeLine + 1)
	n.Type("O// ahp: please explain this<Esc>")
	require.NotEqual(t, after, n.Text())
	n.CodeAction(createAction)
	n.WaitLua("the line to be gone", "return not table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('ahp:')", nil)
	require.Equal(t, after, n.Text())
	comment := s.agentSees("please explain this")
	require.Equal(t, s.uri(), comment.ResourceURI)
	require.Equal(t, byeLine+1, comment.Range.StartLine)
	require.Equal(t, byeLine+1, n.WaitDiagnostics(3)[1].Line)
}

func TestNeovimDiscards(t *testing.T) {
	s, n := neovimScenario(t)
	s.WaitOperation("uncommitted", "discard-changes", "greet.go")
	n.Cursor(countLine)

	n.CodeAction(discardAction)
	require.Contains(t, n.WaitPrompt().Prompt, "greet.go")
	n.Choose(declineDiscard)
	n.CodeAction(discardAction)
	n.Dismiss()
	// Whatever is sent from here on comes after what must not have been sent.
	n.Cursor(helloLine)
	n.CodeAction(resolveAction)
	s.waitResolved("Should the greeting be")
	s.requireNotInvoked()

	n.Cursor(countLine)
	n.CodeAction(discardAction)
	n.SaveScreen("before the confirmation")
	n.Choose("!" + declineDiscard)
	s.waitDiscarded()
	n.Lua("vim.cmd.checktime()", nil)
	n.WaitLua("the file to be read again", "return vim.api.nvim_buf_get_lines(0, 6, 7, false)[1] == "+lua(oldHello), nil)
	require.Equal(t, before, n.Text())
}

func TestNeovimRevertsAHunk(t *testing.T) {
	s, n := neovimScenario(t)
	n.Cursor(countLine)
	n.CodeAction(revertAction)
	n.WaitLua("the hunk to be reverted", "return vim.api.nvim_buf_get_lines(0, 17, 18, false)[1] == "+lua(oldCount), nil)
	require.Equal(t, strings.Replace(after, newCount, oldCount, 1), n.Text())
	n.SaveScreen("reverted")
	n.Type("u")
	require.Equal(t, after, n.Text())
	s.requireNotInvoked()
}
