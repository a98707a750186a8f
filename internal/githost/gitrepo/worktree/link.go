package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitfile"
)

// Open opens the work tree's root, through which no path can lead out of it.
func (t *Tree) Open() (*os.Root, error) {
	root, err := os.OpenRoot(t.Root)
	if err != nil {
		return nil, fmt.Errorf("open the work tree %s: %w", t.Root, fault.Classify(err))
	}
	return root, nil
}

// LinkAbove is the first folder above a path that is a symbolic link, "" if none
// is. git does not follow those either, be they to the inside.
func LinkAbove(root *os.Root, p string) (string, error) {
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		dir := p[:i] // from the top, so that none is looked at through a link
		info, err := root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist), IsNotDir(err):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("%s: %w", p, fault.Classify(err))
		case info.Mode()&fs.ModeSymlink != 0:
			return dir, nil
		}
	}
	return "", nil
}

// LinkError says that a path leads through a symbolic link.
func LinkError(p, link string) error {
	return fmt.Errorf("%s: %w: its folder %s is a symbolic link", p, gitfile.ErrUnsafePath, link)
}

// TempPrefix begins the names of the files that are written before they replace
// another. They are never shown as changes.
const TempPrefix = ".ahp-tmp-"

// IsTempName reports a name that begins so.
func IsTempName(p string) bool { return strings.HasPrefix(path.Base(p), TempPrefix) }

// Abs is the name of a path on this system.
func (t *Tree) Abs(path string) string { return filepath.Join(t.Root, filepath.FromSlash(path)) }
