package setup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// serverName is what editors start when it is on the PATH.
const serverName = "ahp-lsp"

// serverCommand is what editors start as the server: this program.
func serverCommand() (string, error) {
	if _, err := exec.LookPath(serverName); err == nil {
		return serverName, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if strings.Contains(exe, string(filepath.Separator)+"go-build") { // go run
		return "", fmt.Errorf("ahp-lsp is not on the PATH, and %s is temporary\nhint: go install ./cmd/ahp-lsp, and put \"$(go env GOPATH)/bin\" on the PATH", exe)
	}
	return exe, nil
}
