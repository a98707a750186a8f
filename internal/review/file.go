package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/regularfile"
)

// maxFile bounds, in bytes, what is read of a file with comments.
const maxFile = 64 << 20

// errOutside is the cause of the refusal of a file that is not in the work tree.
var errOutside = errors.New("not in the work tree")

// inside is a file's path relative to the work tree, which is slash-separated. Links
// among its folders are resolved, as other clients know the file; the file itself may
// be gone.
func (r *Review) inside(path string) (rel string, err error) {
	dir, err := resolve(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(path))
	rel, err = filepath.Rel(r.repo.Root(), path)
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	if err != nil || !filepath.IsLocal(rel) || strings.EqualFold(top, ".git") {
		return "", fmt.Errorf("%s is %w %s", path, errOutside, r.repo.Root())
	}
	return filepath.ToSlash(rel), nil
}

// resolve follows the links on the way to a folder, the end of which may be gone.
func resolve(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
		return real, err
	}
	above, err := resolve(filepath.Dir(dir))
	return filepath.Join(above, filepath.Base(dir)), err
}

// read reads a file of the work tree: a regular one, or a link to one inside.
func (r *Review) read(rel string) ([]byte, error) {
	root, err := os.OpenRoot(r.repo.Root())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := regularfile.OpenIn(root, filepath.FromSlash(rel))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return regularfile.ReadAll(f, maxFile)
}

// deleted is the text of a file that is gone from the disk: as it was in the last
// commit or, if it is gone from that, where the branch began.
func (r *Review) deleted(ctx context.Context, rel string) ([]byte, error) {
	files, err := r.repo.Uncommitted(ctx)
	if err != nil {
		return nil, err
	}
	_, branch, err := r.repo.Branch(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range append(files, branch...) {
		if f.Before != nil && f.Before.Path == rel && (f.After == nil || f.After.Path != rel) {
			return r.repo.Content(ctx, *f.Before)
		}
	}
	return nil, fmt.Errorf("%s: %w, neither on disk nor among the changes", rel, fs.ErrNotExist)
}
