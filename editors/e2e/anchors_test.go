package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The agent writes the file again, above, below and through the comments, while it is open and
// has unsaved text.
func TestNeovimCommentsFollowTheAgent(t *testing.T) {
	s, n := neovimScenario(t)

	// Unsaved text above both comments: they go with their lines.
	n.Cursor(1)
	n.Type("O// mine<Esc>")
	n.WaitLua("the comments to move", `
		local found = vim.diagnostic.get(0)
		return #found == 2 and #vim.diagnostic.get(0, {lnum = 7}) == 1 and #vim.diagnostic.get(0, {lnum = 16}) == 1`, nil)

	s.RunTurn("Once more.",
		s.EditFile("greet.go", "// Hello greets one person.", "// Hello greets one person.\n// It is polite."),
		s.EditFile("greet.go", "func Count(n int) {", "func Count(upTo int, what string) {"),
		s.EditFile("greet.go", `return "Bye " + name`, `return "So long, " + name`))
	n.SaveScreen("dirty, after the agent's turn")
	// What the user has in front of them has not changed, and neither have the places.
	found := n.WaitDiagnostics(2)
	require.Equal(t, []int{helloLine + 1, countCommentLine + 1}, []int{found[0].Line, found[1].Line})
	require.NotContains(t, found[0].Message+found[1].Message, "changed since")

	n.Lua("vim.cmd('edit!')", nil)
	n.WaitLua("the agent's text and the comments in it", `
		local hello, count = vim.diagnostic.get(0, {lnum = 7}), vim.diagnostic.get(0, {lnum = 16})
		return #hello == 1 and #count == 1 and not hello[1].message:find('changed since')
			and count[1].message:find('code changed since') ~= nil`, nil)
	n.SaveScreen("after reading the agent's text")
	n.Cursor(countCommentLine + 1)
	hover := n.Hover()
	require.Contains(t, hover, "func Count(n int) {", "what it was about")
	require.Contains(t, hover, "func Count(upTo int, what string) {", "what it is now")
}

// A comment goes with its file, and comes back with it.
func TestNeovimCommentsFollowARename(t *testing.T) {
	s, n := neovimScenario(t)
	s.RunTurn("Move it.", Step{Tool: "bash", Input: map[string]any{
		"command": "git mv greet.go hello.go && sed -i '1i // moved' hello.go", "description": "move", "mode": "sync",
	}})
	require.FileExists(t, filepath.Join(s.Dir, "hello.go"))
	s.WaitChangeset("uncommitted", "the renamed file", func(c Changeset) bool { return c.Has(fileURI(s.Dir, "hello.go")) })
	n.Open("hello.go")
	n.WaitLua("the comments in the renamed file", `
		return #vim.diagnostic.get(0, {lnum = 7}) == 1 and #vim.diagnostic.get(0, {lnum = 16}) == 1`, nil)
	n.SaveScreen("renamed")
	_, err := os.Stat(filepath.Join(s.Dir, "greet.go"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// What a comment is about is known to the next start, although the file has changed meanwhile.
func TestNeovimCommentsSurviveARestart(t *testing.T) {
	t.Parallel()
	host := SharedHost(t)
	s := host.NewSession(t, NewWorkspace(t, map[string]string{"notes.md": "one\ntwo\nthree\n"}))
	// The turn does not write the file: nothing of the host's says what it was like.
	s.RunTurn("Look at the notes.", s.Comment("notes.md", 2, "Why two?"), Step{Text: "A remark."})
	server := Server(t, host.URL, host.Token)

	first := StartNeovim(t, s.Dir, server)
	first.Open("notes.md")
	require.Equal(t, 2, first.WaitDiagnostics(1)[0].Line)
	// The state is written behind the diagnostics.
	first.WaitLua("what the comment is about to be kept", `
		return #vim.fn.globpath(vim.env.XDG_STATE_HOME, 'ahp-lsp/anchors/*.json', true, true) == 1`, nil)
	first.Lua("vim.lsp.stop_client(vim.lsp.get_clients())", nil)

	require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "notes.md"), []byte("zero\nhalf\none\ntwo\nthree\n"), 0o644))
	second := StartNeovim(t, s.Dir, server)
	second.Open("notes.md")
	require.Equal(t, 4, second.WaitDiagnostics(1)[0].Line)
}
