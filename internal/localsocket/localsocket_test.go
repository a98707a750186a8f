package localsocket

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/winetest"
)

func TestPipeName(t *testing.T) {
	for path, want := range map[string]string{
		`\\.\pipe\a`: "a", `\\.\PIPE\a b`: "a b", `\\?\pipe\a`: "a", `\\.\pipe\`: "", `/tmp/a.sock`: "", `\\server\pipe\a`: "", "": "",
	} {
		name, ok := PipeName(path)
		require.Equal(t, want, name, path)
		require.Equal(t, want != "", ok, path)
	}
}

// address is a new one that this system can listen on.
func address(t *testing.T) string {
	if runtime.GOOS == "windows" {
		return PipePrefix + fmt.Sprintf("ahp-lsp-test-%d-%s", os.Getpid(), t.Name())
	}
	return filepath.Join(winetest.TempDir(t), "s.sock")
}

func TestBothWays(t *testing.T) {
	at := address(t)
	l, err := Listen(at)
	require.NoError(t, err)
	defer l.Close()
	if winetest.Running() {
		// The first instance of the pipe is there to keep its name; Windows lets
		// nobody connect to it, Wine 8 does.
		c, err := Dial(t.Context(), "unix", at)
		require.NoError(t, err)
		defer c.Close()
	}
	served := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, err = io.Copy(c, io.LimitReader(c, 5))
			c.Close()
		}
		served <- err
	}()
	c, err := Dial(t.Context(), "unix", at)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte("hello"))
	require.NoError(t, err)
	got, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))
	require.NoError(t, <-served)
}

func TestNobodyElse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pipe's security descriptor says it")
	}
	at := address(t)
	l, err := Listen(at)
	require.NoError(t, err)
	info, err := os.Stat(at)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	// A socket that was left behind is replaced.
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	require.FileExists(t, at)
	again, err := Listen(at)
	require.NoError(t, err)
	require.NoError(t, again.Close())

	_, err = Dial(t.Context(), "unix", at)
	require.Error(t, err)
	_, err = Listen(filepath.Join(winetest.TempDir(t), "none", "s.sock"))
	require.Error(t, err)
}

func TestURL(t *testing.T) {
	require.Equal(t, "ws+unix:///tmp/a%20b.sock", URL("/tmp/a b.sock"))
	require.Equal(t, "ws+pipe:///vscode%20host", URL(`\\.\pipe\vscode host`))
}
