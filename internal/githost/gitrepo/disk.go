package gitrepo

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
)

// version is a file of the work tree at one moment. The zero value is no file.
type version struct {
	mode string // git's mode; "" if there is no file
	data []byte // content, or a symbolic link's target
	size int64
	perm fs.FileMode // permission bits; 0 if unknown
	// blob holds the raw bytes in place of data where they are too many for
	// memory; clean says that it holds the form git stores, to be smudged.
	blob  string
	clean bool
	info  fs.FileInfo // what the file was like when it was read
	isDir bool        // a folder is there, which is no file to git
	link  string      // the folder above that is a symbolic link: no file either
}

// large: the content was not read.
func (v version) large() bool { return v.mode != "" && v.data == nil && v.size > 0 }

func (v version) exists() bool { return v.mode != "" }

// regular: it is a file with lines to speak of.
func (v version) regular() bool { return v.mode == ModeFile || v.mode == ModeExecutable }

// same reports equal content and mode.
func (v version) same(o version) bool {
	if v.mode != o.mode {
		return false
	}
	if v.blob != "" || o.blob != "" || v.large() || o.large() {
		return v.blob == o.blob && v.clean == o.clean && v.size == o.size && v.blob != ""
	}
	return bytes.Equal(v.data, o.data)
}

func gitMode(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return ModeSymlink
	case info.Mode()&0o100 != 0:
		return ModeExecutable
	}
	return ModeFile
}

// fileMode is a mode as this file system can have it.
func (r *Repo) fileMode(mode string) string {
	if r.noFileMode && mode == ModeExecutable {
		return ModeFile
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

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// onDisk reads a file of the work tree. A file over the text limit is not read,
// only described. A nested repository is a submodule; any other folder, and what
// is neither file nor link, is no file.
func (r *Repo) onDisk(p string) (version, error) {
	root, err := r.inTree()
	if err != nil {
		return version{}, err
	}
	defer root.Close()
	return r.readVersion(root, p)
}

func (r *Repo) readVersion(root *os.Root, p string) (v version, err error) {
	fail := func(err error) (version, error) {
		return version{}, fmt.Errorf("read %s: %w", p, classify(err))
	}
	if err := checkPath(p); err != nil {
		return version{}, err
	}
	if v.link, err = linkAbove(root, p); v.link != "" || err != nil {
		return v, err
	}
	info, err := root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return version{}, nil
	}
	if err != nil {
		return fail(err)
	}
	if r.ignoreCase && !spelled(root, p) {
		return version{}, nil // another name, that only differs in case
	}
	v = version{mode: r.fileMode(gitMode(info)), size: info.Size(), perm: info.Mode().Perm(), info: info}
	switch {
	case info.IsDir():
		if _, err := root.Lstat(p + "/.git"); err == nil {
			return version{mode: ModeSubmodule, isDir: true}, nil
		}
		return version{isDir: true}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(p)
		if err != nil {
			return fail(err)
		}
		v.data = []byte(target)
		return v, nil
	case !info.Mode().IsRegular():
		return fail(errors.New("it is neither a file nor a link"))
	case v.size > r.limits.text:
		return v, nil
	}
	f, err := root.Open(p)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	v.data, err = io.ReadAll(io.LimitReader(f, r.limits.text+1))
	if err != nil {
		return fail(err)
	}
	if v.size = int64(len(v.data)); v.size > r.limits.text {
		v.data = nil // it grew meanwhile
	}
	return v, nil
}

// unchanged reports that the file is still as it was read. Large files are
// judged by size, times and identity.
func (r *Repo) unchanged(root *os.Root, p string, old version) (bool, error) {
	now, err := r.readVersion(root, p)
	if err != nil {
		return false, err
	}
	if now.large() || old.large() {
		return now.mode == old.mode && now.info != nil && old.info != nil && sameFile(now.info, old.info), nil
	}
	return now.mode == old.mode && bytes.Equal(now.data, old.data), nil
}

// source writes a version's bytes.
type source func(w io.Writer) error

// replace puts a file in the place of old, or where there was none: written
// beside it, synced, then put in its place if old is still there unchanged.
func (r *Repo) replace(root *os.Root, p string, old, v version, content source) (err error) {
	if link, err := linkAbove(root, p); err != nil {
		return err
	} else if link != "" {
		return linkError(p, link)
	}
	dir := path.Dir(p)
	if dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("write %s: %w", p, classify(err))
		}
	}
	temp := path.Join(dir, tempPrefix+rand.Text()[:12])
	var ours fs.FileInfo // nil until it is complete
	defer func() {
		if err != nil {
			if now, lerr := root.Lstat(temp); lerr == nil && (ours == nil || os.SameFile(now, ours)) {
				root.Remove(temp)
			}
			err = fmt.Errorf("write %s: %w", p, classify(err))
		}
	}()
	if v.mode == ModeSymlink {
		if err := root.Symlink(string(v.data), temp); err != nil {
			return err
		}
	} else if err := writeTemp(root, temp, old, v, content); err != nil {
		return err
	}
	if ours, err = root.Lstat(temp); err != nil {
		return err
	}
	ok, err := r.unchanged(root, p, old)
	if err != nil {
		return err
	}
	if !ok {
		return writtenError()
	}
	if old.isDir {
		// Only an empty folder goes; anything in it is not ours to delete.
		if err := root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := r.place(root, temp, ours, p, old); err != nil {
		return err
	}
	syncDir(root, dir)
	return nil
}

// wantedPerm is the permission bits for v where old was. Only the executable
// bits follow git's mode. Without exact they are still subject to the umask.
func wantedPerm(old, v version) (perm fs.FileMode, exact bool) {
	perm = v.perm
	if perm == 0 && old.regular() {
		perm = old.perm
	}
	switch {
	case perm == 0 && v.mode == ModeExecutable:
		return 0o777, false
	case perm == 0:
		return 0o666, false
	case v.mode == ModeExecutable:
		return perm | perm>>2&0o111, true
	}
	return perm &^ 0o111, true
}

func writeTemp(root *os.Root, temp string, old, v version, content source) error {
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

// remove deletes a file that is still as it was read, and then the folders that
// became empty, as git does.
func (r *Repo) remove(root *os.Root, p string, old version) error {
	ok, err := r.unchanged(root, p, old)
	if err != nil {
		return fmt.Errorf("delete %s: %w", p, err)
	}
	if !ok {
		return fmt.Errorf("delete %s: %w", p, writtenError())
	}
	if err := r.takeAway(root, p, old); err != nil {
		return fmt.Errorf("delete %s: %w", p, classify(err))
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
