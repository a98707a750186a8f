package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// checkPath refuses paths that are not plainly inside the work tree: absolute
// ones, those with . or .. or empty elements, and git's own folder in any
// spelling a file system may take for it.
func checkPath(p string) error {
	bad := func(why string) error { return fmt.Errorf("%q: %w: %s", p, ErrUnsafePath, why) }
	if p == "" {
		return bad("it is empty")
	}
	if strings.ContainsRune(p, 0) {
		return bad("it holds a NUL byte")
	}
	if strings.HasPrefix(p, "/") || os.PathSeparator != '/' && (strings.ContainsAny(p, `\:`)) {
		return bad("it is absolute; paths must be relative to the work tree")
	}
	if len(p) > 2 && p[1] == ':' && isLetter(p[0]) && (p[2] == '/' || p[2] == '\\') {
		return bad("it names a drive; paths must be relative to the work tree")
	}
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "":
			return bad("it has an empty element")
		case ".", "..":
			return bad("it has the element " + part)
		}
		if isDotGit(part) {
			return bad("it leads into git's own files")
		}
	}
	return nil
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// isDotGit tells the names that some file system takes for .git: other case,
// Windows' short name, its trailing dots and spaces and streams, and code points
// that HFS+ ignores.
func isDotGit(name string) bool {
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(strings.ToLower(name), ". ")
	return name == ".git" || name == "git~1"
}

// inTree opens the work tree's root, through which no path can lead out of it.
func (r *Repo) inTree() (*os.Root, error) {
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return nil, fmt.Errorf("open the work tree %s: %w", r.root, classify(err))
	}
	return root, nil
}

// linkAbove is the first folder above a path that is a symbolic link, "" if none
// is. git does not follow those either, be they to the inside.
func linkAbove(root *os.Root, p string) (string, error) {
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		dir := p[:i] // from the top, so that none is looked at through a link
		info, err := root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist), isNotDir(err):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("%s: %w", p, classify(err))
		case info.Mode()&fs.ModeSymlink != 0:
			return dir, nil
		}
	}
	return "", nil
}

func linkError(p, link string) error {
	return fmt.Errorf("%s: %w: its folder %s is a symbolic link", p, ErrUnsafePath, link)
}

// tempPrefix begins the names of the files that are written before they replace
// another. They are never shown as changes.
const tempPrefix = ".ahp-tmp-"

func isTempName(p string) bool { return strings.HasPrefix(path.Base(p), tempPrefix) }
