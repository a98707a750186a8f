package gitfile

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// ErrUnsafePath: the path leads out of the work tree or into git's own files.
var ErrUnsafePath = errors.New("unsafe path")

// CheckPath refuses paths that are not plainly inside the work tree: absolute
// ones, those with . or .. or empty elements, and git's own folder in any
// spelling a file system may take for it.
func CheckPath(p string) error {
	bad := func(why string) error { return fmt.Errorf("%q: %w: %s", p, ErrUnsafePath, why) }
	if p == "" {
		return bad("it is empty")
	}
	if strings.ContainsRune(p, 0) {
		return bad("it holds a NUL byte")
	}
	if strings.HasPrefix(p, "/") || runtime.GOOS == "windows" && (strings.ContainsAny(p, `\:`)) {
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
