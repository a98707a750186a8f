package lsp

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge"
	"ahp-lsp/lsp/workspace"
)

func TestSettingsOver(t *testing.T) {
	yes, no := ptr(true), ptr(false)
	low := Settings{Host: "env", Token: "env", Diagnostics: yes, Severity: map[string]string{"open": "hint", "awaiting": "error"}, Changesets: []string{"branch"}}
	got := low.Over(Settings{Host: "high", Diagnostics: no, Severity: map[string]string{"open": "warning"}})
	require.Equal(t, Settings{
		Host: "high", Token: "env", Diagnostics: no, Changesets: []string{"branch"},
		Severity: map[string]string{"open": "warning", "awaiting": "error"},
	}, got)
	require.Equal(t, "hint", low.Severity["open"], "the sources are not changed")
	require.Equal(t, low, low.Over(Settings{}))
	require.Equal(t, low, Settings{}.Over(low))
}

func TestTokenFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	require.Equal(t, "secret", Settings{Host: "ws://h", TokenFile: write("good", " secret\n", 0o600)}.Hosts(nil, nil)()[0].Token)
	for path, want := range map[string]string{
		write("open", "secret", 0o644): "can be read by other users (mode 0644): run chmod 600",
		write("empty", "\n", 0o600):    "is empty",
		filepath.Join(dir, "none"):     "no such file",
	} {
		hosts := Settings{Host: "ws://h", TokenFile: path}.Hosts(nil, nil)()
		require.Len(t, hosts, 1)
		require.ErrorContains(t, hosts[0].Err, want, "told when it is tried")
	}
	require.Equal(t, []bridge.Host{{URL: "ws://h", Token: "given"}}, Settings{Host: "ws://h", Token: "given", TokenFile: "/none"}.Hosts(nil, nil)())
	require.Empty(t, Settings{Host: "auto"}.Hosts(nil, nil)())
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	missing := readFile(path, workspace.Disk{})
	require.True(t, missing.Known && missing.Text == nil)
	require.Equal(t, "the file does not exist", missing.Why)
	require.NoError(t, os.WriteFile(path, []byte("\uFEFFone\r\n"), 0o644))
	first := readFile(path, missing)
	require.Equal(t, "one\r\n", first.Text.String(), "no byte order mark")
	require.Same(t, first.Text, readFile(path, first).Text, "equal texts are one")

	// Within the resolution of file times an equal stamp proves nothing.
	stamp, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("\uFEFFtwo\r\n"), 0o644))
	require.NoError(t, os.Chtimes(path, stamp.ModTime(), stamp.ModTime()))
	require.Equal(t, "two\r\n", readFile(path, first).Text.String())
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, old, old))
	second := readFile(path, first)
	require.NoError(t, os.WriteFile(path, []byte("\uFEFFsix\r\n"), 0o644))
	require.NoError(t, os.Chtimes(path, old, old))
	require.Same(t, second.Text, readFile(path, second).Text, "not read again")

	require.NoError(t, os.WriteFile(path, []byte("a\x00b"), 0o644))
	require.Equal(t, "it is binary, or not UTF-8", readFile(path, second).Why)
	require.NoError(t, os.WriteFile(path, []byte("caf\xe9"), 0o644))
	require.Equal(t, "it is binary, or not UTF-8", readFile(path, second).Why)
	require.NoError(t, os.Truncate(path, maxDiskFile+1))
	require.Equal(t, "the file is too large", readFile(path, second).Why)
	require.Equal(t, "it is not a regular file", readFile(dir, workspace.Disk{}).Why)
}
