package trust

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "ahp-lsp")
	s := Open(dir)
	require.False(t, s.Allowed("/a/.git", "1"))
	list, err := s.List()
	require.NoError(t, err)
	require.Empty(t, list)
	a := Entry{"/a/.git", "1", []string{"x (filter.x.clean)"}, time.Now().UTC().Truncate(time.Second)}
	require.NoError(t, s.Allow(a))
	require.NoError(t, s.Allow(Entry{Repository: "/b/.git", Hash: "1"}))
	require.True(t, s.Allowed("/a/.git", "1"))
	require.False(t, s.Allowed("/a/.git", "2"))
	require.False(t, s.Allowed("/a/.git", ""))
	require.False(t, s.Allowed("/c/.git", "1"))
	list, err = Open(dir).List()
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, a, list[0])
	// A second answer takes the place of the first.
	a.Hash = "2"
	require.NoError(t, s.Allow(a))
	require.False(t, s.Allowed("/a/.git", "1"))
	require.True(t, s.Allowed("/a/.git", "2"))
	had, err := s.Forget("/a/.git")
	require.NoError(t, err)
	require.True(t, had)
	had, err = s.Forget("/a/.git")
	require.NoError(t, err)
	require.False(t, had)
	require.False(t, s.Allowed("/a/.git", "2"))
	info, err := os.Stat(filepath.Join(dir, "trust.json"))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)
}

// What cannot be read allows nothing, and is not overwritten.
func TestDamage(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "{", "another format": `{"version":2,"entries":[{"repository":"/a/.git","hash":"1"}]}`, "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "trust.json")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			s := Open(dir)
			require.False(t, s.Allowed("/a/.git", "1"))
			_, err := s.List()
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, s.Allow(Entry{Repository: "/a/.git", Hash: "1"}), path)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, text, string(data))
		})
	}
}

// Two processes add answers at the same time, and none is lost.
func TestTwoProcesses(t *testing.T) {
	const each = 30
	if dir := os.Getenv("TRUST_TEST_DIR"); dir != "" {
		for i := range each {
			require.NoError(t, Open(dir).Allow(Entry{Repository: fmt.Sprintf("/%s/%d", os.Getenv("TRUST_TEST_NAME"), i), Hash: "1"}))
		}
		return
	}
	dir := t.TempDir()
	var children []*exec.Cmd
	for _, name := range []string{"a", "b"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcesses$")
		cmd.Env = append(os.Environ(), "TRUST_TEST_DIR="+dir, "TRUST_TEST_NAME="+name)
		require.NoError(t, cmd.Start())
		children = append(children, cmd)
	}
	for _, cmd := range children {
		require.NoError(t, cmd.Wait())
	}
	list, err := Open(dir).List()
	require.NoError(t, err)
	require.Len(t, list, 2*each)
}
