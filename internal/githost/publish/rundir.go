package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"

	"ahp-lsp/internal/localsocket"
)

// runDir is where hosts of this user listen and publish themselves: a directory
// of mode 0700 with
//
//	entries/<identity>.json   one per running host, as VS Code has them
//	<hash of the work tree>.sock
//
// It is <dir>/ahp-lsp for the first of the user's runtime directory, the state
// directory, and the directory for temporary files with the user's id, that can
// be used.
type runDir struct{ path string }

// candidates are the folders it can be, most wanted first.
func candidates() []string {
	dirs := []string{filepath.Join(xdg.RuntimeDir, "ahp-lsp"), filepath.Join(xdg.StateHome, "ahp-lsp", "run")}
	if uid := os.Getuid(); uid >= 0 {
		dirs = append(dirs, filepath.Join(os.TempDir(), fmt.Sprintf("ahp-lsp-%d", uid)))
	}
	return dirs
}

// EntryDirs are the directories in which hosts of this package publish
// themselves; not all of them exist.
func EntryDirs() []string {
	var dirs []string
	for _, dir := range candidates() {
		dirs = append(dirs, filepath.Join(dir, "entries"))
	}
	return dirs
}

// maxSocketPath is the length in bytes that a socket's path may have on every
// system: 104 on macOS, with the final zero.
const maxSocketPath = 103

// findRunDir makes the directory to listen in. dir, if not empty, is the one
// asked for.
func findRunDir(dir string) (runDir, error) {
	dirs := candidates()
	if dir != "" {
		dirs = []string{dir}
	}
	var errs []error
	for _, dir := range dirs {
		d := runDir{path: dir}
		if len(d.socket("x")) > maxSocketPath && runtime.GOOS != "windows" {
			errs = append(errs, fmt.Errorf("%s: the path is too long for a socket", dir))
			continue
		}
		if err := ownDir(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := ownDir(filepath.Join(dir, "entries")); err != nil {
			errs = append(errs, err)
			continue
		}
		return d, nil
	}
	return runDir{}, errors.Join(errs...)
}

// ownDir makes a directory, unless it is there, and closes it to other users.
func ownDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if err := owned(info); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// socket is the path of the socket of a work tree.
func (d runDir) socket(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(d.path, hex.EncodeToString(sum[:8])+".sock")
}

// address is where the host of a work tree listens: at its socket, or, on Windows,
// at a named pipe that is called after it.
func (d runDir) address(id string) string {
	if runtime.GOOS != "windows" {
		return d.socket(id)
	}
	sum := sha256.Sum256([]byte(d.socket(id)))
	return localsocket.PipePrefix + "ahp-lsp-" + hex.EncodeToString(sum[:16])
}

func (d runDir) entries() string { return filepath.Join(d.path, "entries") }

// unwritable reports whether an error says that nothing can be written in a folder.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errReadOnlyFS)
}
