package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/wire"
)

// maxContent is the largest content given out, in bytes, as in package gitrepo.
const maxContent = 64 << 20

// Read gives the content of a version that git keeps, or of a file inside the
// work tree. Everything else is refused: other paths, however they are
// written, paths that lead through symbolic links, and git's own files.
func (t *Tree) Read(ctx context.Context, uri string) ([]byte, *ahp.Error) {
	if scheme, _, _ := strings.Cut(uri, ":"); scheme == blobScheme {
		s, ok := parseBlob(uri)
		if !ok {
			return nil, wire.Errorf(ahp.CodeNotFound, "%q is not a reference of this host", uri)
		}
		if !Allowed(s.Path) {
			return nil, forbidden(uri)
		}
		data, err := t.repo.Content(ctx, s)
		if err != nil {
			return nil, ContentError(uri, err)
		}
		return data, nil
	}
	if _, ok := ahp.FilePath(uri); !ok {
		return nil, forbidden(uri)
	}
	rel, ok := t.Relative(uri)
	if !ok || !Allowed(rel) {
		return nil, forbidden(uri)
	}
	return t.readFile(uri, rel)
}

func forbidden(uri string) *ahp.Error {
	return wire.Errorf(ahp.CodePermission, "this host serves the files of its work tree and their versions in git, not %s", uri)
}

// ContentError is an error of reading a resource as it is answered.
func ContentError(uri string, err error) *ahp.Error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, gitrepo.ErrNotFound):
		return wire.Errorf(ahp.CodeNotFound, "%s does not exist", uri)
	case errors.Is(err, gitrepo.ErrUnsafePath), errors.Is(err, fs.ErrPermission):
		return wire.Errorf(ahp.CodePermission, "%s may not be read: %v", uri, err)
	case errors.Is(err, gitrepo.ErrTooLarge):
		return wire.Errorf(ahp.CodeContent, "%s is larger than %d MiB and is not shown", uri, maxContent>>20)
	}
	return wire.Errorf(ahp.CodeContent, "%s cannot be read: %v", uri, err)
}

// Allowed reports whether a path inside the work tree may be read as far as its
// name goes: not git's own files, also of nested repositories, and on file
// systems that do not tell case apart.
func Allowed(rel string) bool {
	if rel == "" || rel == "." || path.Clean(rel) != rel || strings.Contains(rel, "\x00") || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return false
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.EqualFold(strings.TrimRight(part, ". "), ".git") || strings.EqualFold(part, "git~1") {
			return false
		}
	}
	return true
}

// readFile reads a file of the work tree as git sees it: of a symbolic link, its
// target's name. Links on the way are refused, for git does not look behind
// them either. What is opened lies below the root, even if names change
// meanwhile.
func (t *Tree) readFile(uri, rel string) ([]byte, *ahp.Error) {
	root, err := os.OpenRoot(t.repo.Root())
	if err != nil {
		return nil, ContentError(uri, err)
	}
	defer root.Close()
	parts := strings.Split(rel, "/")
	for i := 1; i < len(parts); i++ {
		info, err := root.Lstat(filepath.Join(parts[:i]...))
		if err != nil {
			return nil, ContentError(uri, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, forbidden(uri)
		}
	}
	name := filepath.Join(parts...)
	info, err := root.Lstat(name)
	if err != nil {
		return nil, ContentError(uri, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		if err != nil {
			return nil, ContentError(uri, err)
		}
		return []byte(target), nil
	}
	if !info.Mode().IsRegular() {
		return nil, wire.Errorf(ahp.CodeContent, "%s is not a file", uri)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, ContentError(uri, err)
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, wire.Errorf(ahp.CodeContent, "%s was replaced while it was read; read it again", uri)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxContent+1))
	switch {
	case err != nil:
		return nil, ContentError(uri, err)
	case len(data) > maxContent:
		return nil, ContentError(uri, gitrepo.ErrTooLarge)
	}
	return data, nil
}
