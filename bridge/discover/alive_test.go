package discover

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlive(t *testing.T) {
	require.True(t, Alive(os.Getpid()))
	require.True(t, Alive(os.Getppid()))
	// Not the own process group, nor every process.
	require.False(t, Alive(0))
	require.False(t, Alive(-1))
	require.False(t, Alive(-os.Getpid()))

	ended := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, ended.Run())
	require.False(t, Alive(ended.Process.Pid))
}
