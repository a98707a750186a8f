// Package tokenfile reads a host's token from a file.
package tokenfile

import (
	"fmt"
	"runtime"
	"strings"

	"ahp-lsp/internal/regularfile"
)

// maxSize is the size in bytes of the largest token file.
const maxSize = 4 << 10

// Read reads a token from a regular file that nobody else can read: one line of
// printable ASCII, without the white space around it. The error names the file, the
// cause and what to do; it never holds the token, nor anything else of the file.
func Read(path string) (string, error) {
	f, err := regularfile.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	// The modes of Windows do not say who can read.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("the token file %s can be read by other users (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
	}
	data, err := regularfile.ReadAll(f, maxSize)
	if err != nil {
		return "", fmt.Errorf("read the token: %w; a token file holds one line of at most %d bytes", err, maxSize)
	}
	token := strings.Trim(string(data), " \t\r\n")
	if token == "" {
		return "", fmt.Errorf("the token file %s is empty: write the host's token into it", path)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", fmt.Errorf("the token file %s holds something else than one line of printable ASCII: write nothing but the host's token into it", path)
	}
	return token, nil
}
