package tokenfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, text string, mode os.FileMode) string {
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"secret":                              "secret",
		" secret\n":                           "secret",
		"\tsecret\r\n\r\n":                    "secret",
		"two words":                           "two words",
		strings.Repeat("a", maxSize):          strings.Repeat("a", maxSize),
		strings.Repeat("a", maxSize-1) + "\n": strings.Repeat("a", maxSize-1),
	} {
		token, err := Read(write(t, text, 0o600))
		require.NoError(t, err)
		require.Equal(t, want, token)
	}
}

func TestRefuses(t *testing.T) {
	const other = "holds something else than one line of printable ASCII"
	for text, want := range map[string]string{
		"":                                "is empty",
		" \n":                             "is empty",
		"s3cret\nmore":                    other,
		"s3cret\rmore":                    other,
		"s3cret\x1b[0m":                   other,
		"s3cret\x00":                      other,
		"s3cret\u00fc":                    other,
		"\ufeffs3cret":                    other,
		"s3cret\xff":                      other,
		strings.Repeat("s3cret", maxSize): "at most 4096 bytes",
	} {
		_, err := Read(write(t, text, 0o600))
		require.ErrorContains(t, err, want, "%q", text)
		require.NotContains(t, err.Error(), "s3cret")
	}
	_, err := Read(t.TempDir())
	require.ErrorContains(t, err, "is a folder: not a regular file")
	_, err = Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	if runtime.GOOS != "windows" {
		_, err = Read(write(t, "s3cret", 0o644))
		require.ErrorContains(t, err, "can be read by other users (mode 0644): run chmod 600")
		_, err = Read("/dev/zero")
		require.ErrorContains(t, err, "not a regular file")
	}
}
