package discover

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlive(t *testing.T) {
	require.True(t, Alive(os.Getpid()))
	// Another process: a child, for nobody says that the parent is still there.
	child := exec.Command(os.Args[0], "-test.run=^TestAliveChild$")
	child.Env = append(os.Environ(), "DISCOVER_TEST_CHILD=1")
	hold, err := child.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	require.True(t, Alive(child.Process.Pid))
	require.NoError(t, hold.Close())
	require.NoError(t, child.Wait())
	require.False(t, Alive(child.Process.Pid))

	// Not the own process group, nor every process.
	require.False(t, Alive(0))
	require.False(t, Alive(-1))
	require.False(t, Alive(-os.Getpid()))

	ended := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, ended.Run())
	require.False(t, Alive(ended.Process.Pid))
}

// TestAliveChild is the child of TestAlive: it runs until its input ends.
func TestAliveChild(t *testing.T) {
	if os.Getenv("DISCOVER_TEST_CHILD") == "" {
		t.Skip("run by TestAlive")
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}
