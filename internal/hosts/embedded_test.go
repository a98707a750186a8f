//go:build unix

package hosts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// An editor that ends while git is still busy starting the host does not leave the server behind.
func TestCloseDoesNotWaitForAHostThatIsStarting(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	require.NoError(t, exec.Command(git, "-C", dir, "init", "-q").Run())
	began := filepath.Join(bin, "began")
	require.NoError(t, syscall.Mkfifo(began, 0o600))
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *\" symbolic-ref \"*) echo >%q; exec sleep 3600;; esac\nexec %q \"$@\"\n", began, git)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))

	e := NewEmbedded(t.Context(), Options{})
	failed := make(chan error, 1)
	go func() {
		_, err := e.serve(dir)
		failed <- err
	}()
	_, err = os.ReadFile(began) // git is at work now
	require.NoError(t, err)
	e.Close()
	require.Error(t, <-failed)
	require.Empty(t, e.open)
}
