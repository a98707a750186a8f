//go:build unix

package review

import (
	"syscall"
	"testing"

	"ahp-lsp/bridge/ahp"

	"github.com/stretchr/testify/require"
)

// A named pipe in the work tree is not read: that would wait for its writer.
func TestNamedPipe(t *testing.T) {
	b := start(t, "a.txt", "one\n")
	require.NoError(t, syscall.Mkfifo(b.path("pipe"), 0o600))
	b.set("id", ahp.FileURI(b.path("pipe")), "", 0, 1)
	require.Equal(t, " (the file cannot be read)", b.comment("id").note())
	_, err := b.Add(t.Context(), Draft{Place: b.path("pipe:1"), Text: "text"})
	require.ErrorContains(t, err, "pipe is a named pipe")
}
