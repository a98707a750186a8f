package helixconfig

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"ahp-lsp/internal/atomicfile"
)

// fileName is what Helix calls its configuration of languages.
const fileName = "languages.toml"

// UserFile is the languages.toml of the user with this home folder.
func UserFile(home string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(cmp.Or(os.Getenv("APPDATA"), filepath.Join(home, "AppData", "Roaming")), "helix", fileName)
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "helix", fileName)
}

// replace replaces a languages.toml in one step, and keeps the text that
// was there. A link is followed: the file it leads to is written, with the
// permissions it had. An empty text removes a file that is no link.
func replace(path string, old, text []byte) (backup string, err error) {
	target, err := followLinks(path)
	if err != nil {
		return "", err
	}
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(target); {
	case err == nil:
		mode = info.Mode().Perm()
		if backup, err = keepBackup(path, old, mode); err != nil {
			return "", fmt.Errorf("keep a copy of %s: %w", path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if len(bytes.TrimSpace(text)) == 0 && target == path {
		return backup, os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return backup, err
	}
	return backup, atomicfile.Replace(target, text, mode)
}

// maxLinks is how many links are followed before it is called a circle.
const maxLinks = 40

// followLinks is the file that a path leads to, whether or not it is there.
func followLinks(path string) (string, error) {
	for range maxLinks {
		next, err := os.Readlink(path)
		if err != nil { // no link, or nothing there
			return path, nil
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return "", fmt.Errorf("%s: too many links", path)
}

// keepBackup copies a text beside the file. It never replaces another copy.
func keepBackup(path string, text []byte, mode fs.FileMode) (string, error) {
	for n := 0; ; n++ {
		name := path + ".bak"
		if n > 0 {
			name = fmt.Sprintf("%s.bak.%d", path, n)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			if same, err := os.ReadFile(name); err == nil && bytes.Equal(same, text) {
				return name, nil
			}
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(text)
		return name, errors.Join(err, f.Close())
	}
}
