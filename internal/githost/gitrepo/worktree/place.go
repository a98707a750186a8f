package worktree

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"ahp-lsp/internal/githost/gitrepo/fault"
)

// What another program writes between the last look at a file and the step that
// replaces or deletes it is stored nowhere. So that step only moves the file aside,
// where it is looked at once more: what is not what was stored goes back. A program
// that has the file open, and writes after that, is the one that cannot be helped.

// place puts a finished file at p, where old was when it was looked at last. If
// something else is there by now, that stays (ErrConflict). After an error the name temp may hold another program's file: only ours may be
// deleted.
func (t *Tree) place(root *os.Root, temp string, ours fs.FileInfo, p string, old Version) error {
	dir, err := root.Open(path.Dir(p))
	if err != nil {
		return err
	}
	defer dir.Close()
	from, to := path.Base(temp), path.Base(p)
	if !old.Exists() {
		switch err := renameNew(dir, from, to); {
		case errors.Is(err, fs.ErrExist):
			return WrittenError()
		case !errors.Is(err, errors.ErrUnsupported):
			return err
		}
		return root.Rename(temp, p)
	}
	switch err := swap(dir, from, to); {
	case errors.Is(err, errors.ErrUnsupported):
		return root.Rename(temp, p)
	case errors.Is(err, fs.ErrNotExist):
		return WrittenError() // it has been deleted
	case err != nil:
		return err
	}
	Same, err := t.unchanged(root, temp, old)
	if err == nil && Same {
		// It is done, whether or not what is left can be removed.
		_ = root.Remove(temp)
		return nil
	}
	// Back again. Should there be something even newer, that stays.
	for range 3 {
		if serr := swap(dir, from, to); serr != nil {
			if now, lerr := root.Lstat(p); errors.Is(lerr, fs.ErrNotExist) || lerr == nil && os.SameFile(now, ours) {
				return errors.Join(err, serr, root.Rename(temp, p))
			}
			return errors.Join(err, serr, WrittenError())
		}
		if now, lerr := root.Lstat(temp); lerr != nil || os.SameFile(now, ours) {
			break
		}
	}
	return errors.Join(err, WrittenError())
}

// takeAway deletes a file that is what old was. Something else goes back to where it
// was (ErrConflict); where something even newer is there by then, it is kept beside
// that, and the error says under which name.
func (t *Tree) takeAway(root *os.Root, p string, old Version) error {
	temp := path.Join(path.Dir(p), TempPrefix+rand.Text()[:12])
	if err := root.Rename(p, temp); err != nil {
		return err
	}
	Same, err := t.unchanged(root, temp, old)
	if err == nil && Same {
		return root.Remove(temp)
	}
	dir, derr := root.Open(path.Dir(p))
	if derr != nil {
		return errors.Join(err, derr)
	}
	defer dir.Close()
	switch back := renameNew(dir, path.Base(temp), path.Base(p)); {
	case errors.Is(back, fs.ErrExist):
		// Something newer is there. What is aside stays, under its odd name.
		return errors.Join(err, fmt.Errorf("%w; the version just before is %s", WrittenError(), temp))
	case errors.Is(back, errors.ErrUnsupported):
		err = errors.Join(err, root.Rename(temp, p))
	case back != nil:
		err = errors.Join(err, back)
	}
	return errors.Join(err, WrittenError())
}

// WrittenError says that another program was faster.
func WrittenError() error {
	return fmt.Errorf("%w: another program has just written it; try again", fault.ErrConflict)
}
