// Package worktree reads and replaces files of a work tree: never outside of it, never
// through a symbolic link, and never over something that another program has just
// written. Files are written to a temporary file beside the old one, synced and put
// in its place.
package worktree

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitfile"
)

// Tree is the files of one work tree. It is not changed once it is used.
type Tree struct {
	Root       string // absolute, symbolic links resolved
	NoFileMode bool   // the file system does not keep executable bits
	IgnoreCase bool   // the file system takes A and a for one name
	MaxText    int64  // bytes of a file that are read into memory
}

// Version is a file of the work tree at one moment. The zero value is no file.
type Version struct {
	Mode string // git's mode; "" if there is no file
	Data []byte // content, or a symbolic link's target
	Size int64
	Perm fs.FileMode // permission bits; 0 if unknown
	// Blob holds the raw bytes in place of Data where they are too many for
	// memory; Clean says that it holds the form git stores, to be smudged.
	Blob  string
	Clean bool
	Info  fs.FileInfo // what the file was like when it was read
	IsDir bool        // a folder is there, which is no file to git
	Link  string      // the folder above that is a symbolic link: no file either
}

// Large: the content was not read.
func (v Version) Large() bool { return v.Mode != "" && v.Data == nil && v.Size > 0 }

// Exists reports that there is a file.
func (v Version) Exists() bool { return v.Mode != "" }

// Regular: it is a file with lines to speak of.
func (v Version) Regular() bool {
	return v.Mode == gitfile.ModeFile || v.Mode == gitfile.ModeExecutable
}

// Same reports equal content and mode.
func (v Version) Same(o Version) bool {
	if v.Mode != o.Mode {
		return false
	}
	if v.Blob != "" || o.Blob != "" || v.Large() || o.Large() {
		return v.Blob == o.Blob && v.Clean == o.Clean && v.Size == o.Size && v.Blob != ""
	}
	return bytes.Equal(v.Data, o.Data)
}

// GitMode is the mode that git has for a file.
func GitMode(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return gitfile.ModeSymlink
	case info.Mode()&0o100 != 0:
		return gitfile.ModeExecutable
	}
	return gitfile.ModeFile
}

// FileMode is a mode as this file system can have it.
func (t *Tree) FileMode(mode string) string {
	if t.NoFileMode && mode == gitfile.ModeExecutable {
		return gitfile.ModeFile
	}
	return mode
}

// spelled reports whether the last element of a path is spelled so on disk.
func spelled(root *os.Root, p string) bool {
	dir, err := root.Open(path.Dir(p))
	if err != nil {
		return true
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return err != nil || slices.Contains(names, path.Base(p))
}

func IsNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// Read reads a file of the work tree. A file over the text limit is not read,
// only described. A nested repository is a submodule; any other folder, and what
// is neither file nor link, is no file.
func (t *Tree) Read(p string) (Version, error) {
	root, err := t.Open()
	if err != nil {
		return Version{}, err
	}
	defer root.Close()
	return t.ReadIn(root, p)
}

func (t *Tree) ReadIn(root *os.Root, p string) (v Version, err error) {
	fail := func(err error) (Version, error) {
		return Version{}, fmt.Errorf("read %s: %w", p, fault.Classify(err))
	}
	if err := gitfile.CheckPath(p); err != nil {
		return Version{}, err
	}
	if v.Link, err = LinkAbove(root, p); v.Link != "" || err != nil {
		return v, err
	}
	info, err := root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) || IsNotDir(err) {
		return Version{}, nil
	}
	if err != nil {
		return fail(err)
	}
	if t.IgnoreCase && !spelled(root, p) {
		return Version{}, nil // another name, that only differs in case
	}
	v = Version{Mode: t.FileMode(GitMode(info)), Size: info.Size(), Perm: info.Mode().Perm(), Info: info}
	switch {
	case info.IsDir():
		if _, err := root.Lstat(p + "/.git"); err == nil {
			return Version{Mode: gitfile.ModeSubmodule, IsDir: true}, nil
		}
		return Version{IsDir: true}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(p)
		if err != nil {
			return fail(err)
		}
		v.Data = []byte(target)
		return v, nil
	case !info.Mode().IsRegular():
		return fail(errors.New("it is neither a file nor a link"))
	case v.Size > t.MaxText:
		return v, nil
	}
	f, err := root.Open(p)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	v.Data, err = io.ReadAll(io.LimitReader(f, t.MaxText+1))
	if err != nil {
		return fail(err)
	}
	if v.Size = int64(len(v.Data)); v.Size > t.MaxText {
		v.Data = nil // it grew meanwhile
	}
	return v, nil
}

// unchanged reports that the file is still as it was read. Large files are
// judged by size, times and identity.
func (t *Tree) unchanged(root *os.Root, p string, old Version) (bool, error) {
	now, err := t.ReadIn(root, p)
	if err != nil {
		return false, err
	}
	if now.Large() || old.Large() {
		return now.Mode == old.Mode && now.Info != nil && old.Info != nil && SameFile(now.Info, old.Info), nil
	}
	return now.Mode == old.Mode && bytes.Equal(now.Data, old.Data), nil
}

// Source writes a version's bytes.
type Source func(w io.Writer) error

// Replace puts a file in the place of old, or where there was none: written
// beside it, synced, then put in its place if old is still there unchanged.
func (t *Tree) Replace(root *os.Root, p string, old, v Version, content Source) (err error) {
	if link, err := LinkAbove(root, p); err != nil {
		return err
	} else if link != "" {
		return LinkError(p, link)
	}
	dir := path.Dir(p)
	if dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("write %s: %w", p, fault.Classify(err))
		}
	}
	temp := path.Join(dir, TempPrefix+rand.Text()[:12])
	var ours fs.FileInfo // nil until it is complete
	defer func() {
		if err != nil {
			if now, lerr := root.Lstat(temp); lerr == nil && (ours == nil || os.SameFile(now, ours)) {
				root.Remove(temp)
			}
			err = fmt.Errorf("write %s: %w", p, fault.Classify(err))
		}
	}()
	if v.Mode == gitfile.ModeSymlink {
		if err := root.Symlink(string(v.Data), temp); err != nil {
			return err
		}
	} else if err := writeTemp(root, temp, old, v, content); err != nil {
		return err
	}
	if ours, err = root.Lstat(temp); err != nil {
		return err
	}
	ok, err := t.unchanged(root, p, old)
	if err != nil {
		return err
	}
	if !ok {
		return WrittenError()
	}
	if old.IsDir {
		// Only an empty folder goes; anything in it is not ours to delete.
		if err := root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := t.place(root, temp, ours, p, old); err != nil {
		return err
	}
	syncDir(root, dir)
	return nil
}

// wantedPerm is the permission bits for v where old was. Only the executable
// bits follow git's mode. Without exact they are still subject to the umask.
func wantedPerm(old, v Version) (perm fs.FileMode, exact bool) {
	perm = v.Perm
	if perm == 0 && old.Regular() {
		perm = old.Perm
	}
	switch {
	case perm == 0 && v.Mode == gitfile.ModeExecutable:
		return 0o777, false
	case perm == 0:
		return 0o666, false
	case v.Mode == gitfile.ModeExecutable:
		return perm | perm>>2&0o111, true
	}
	return perm &^ 0o111, true
}

func writeTemp(root *os.Root, temp string, old, v Version, content Source) error {
	perm, exact := wantedPerm(old, v)
	open := perm
	if exact {
		open = 0o600
	}
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, open)
	if err != nil {
		return err
	}
	err = content(f)
	if err == nil && exact {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes a rename last. Not every system can sync a folder, and by then
// nothing can be lost but the change itself.
func syncDir(root *os.Root, dir string) {
	if d, err := root.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// Remove deletes a file that is still as it was read, and then the folders that
// became empty, as git does.
func (t *Tree) Remove(root *os.Root, p string, old Version) error {
	ok, err := t.unchanged(root, p, old)
	if err != nil {
		return fmt.Errorf("delete %s: %w", p, err)
	}
	if !ok {
		return fmt.Errorf("delete %s: %w", p, WrittenError())
	}
	if err := t.takeAway(root, p, old); err != nil {
		return fmt.Errorf("delete %s: %w", p, fault.Classify(err))
	}
	dir := path.Dir(p)
	syncDir(root, dir)
	for ; dir != "."; dir = path.Dir(dir) {
		if root.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// SameFile reports that a file has not been written between two looks; nil is
// its absence. Git replaces its index rather than writing into it.
func SameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
