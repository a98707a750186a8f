package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The harness itself, without the server.
func TestHelixHarness(t *testing.T) {
	dir := NewWorkspace(t, map[string]string{"notes.md": "# Notes\n\nöne\ntwo\n"})
	h := StartHelix(t, dir, "", "notes.md")
	require.Contains(t, h.SaveScreen("opened"), "öne")
	h.Cursor(4)
	h.Insert("between")
	h.WaitScreen(`(?m)^ +4 +between\n +5 +two`)
	h.Keys("u")
	h.WaitScreen(`(?m)^ +4 +two`)
	h.Keys("U")
	h.WaitScreen(`(?m)^ +4 +between`)
	h.Command("write")
	h.WaitScreen(`written`)
	require.Equal(t, "# Notes\n\nöne\nbetween\ntwo\n", ReadFile(t, filepath.Join(dir, "notes.md")))
}
