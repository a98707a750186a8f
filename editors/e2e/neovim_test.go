package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The harness itself, without the server.
func TestNeovimHarness(t *testing.T) {
	dir := NewWorkspace(t, map[string]string{"notes.md": "# Notes\n\nöne\ntwo\n"})
	n := StartNeovim(t, dir, "")
	n.Open("notes.md")
	require.Equal(t, "# Notes\n\nöne\ntwo\n", n.Text())
	require.Contains(t, n.SaveScreen("opened"), "öne")

	var type_ string
	n.Lua("return vim.bo.filetype", &type_)
	require.Equal(t, "markdown", type_)
	n.Cursor(3)
	n.Type("ddp")
	require.Equal(t, "# Notes\n\ntwo\nöne\n", n.Text())
	n.Type("uu")
	require.Equal(t, "# Notes\n\nöne\ntwo\n", n.Text())

	n.Lua("vim.defer_fn(function() harness.late = {7} end, 50)", nil)
	var late []int
	n.WaitLua("a timer", "return harness.late", &late)
	require.Equal(t, []int{7}, late)

	n.Lua("vim.ui.select({'ja', 'nein'}, {prompt = 'Sure?'}, function(item) harness.chosen = item end)", nil)
	require.Equal(t, Prompt{"select", "Sure?", []string{"ja", "nein"}}, n.Choose("^n"))
	var chosen string
	n.Lua("return harness.chosen", &chosen)
	require.Equal(t, "nein", chosen)
	n.Lua("vim.ui.input({prompt = 'Name: '}, function(text) harness.chosen = text end)", nil)
	n.Answer("é\"\\\n")
	n.Lua("return harness.chosen", &chosen)
	require.Equal(t, "é\"\\\n", chosen)
}
