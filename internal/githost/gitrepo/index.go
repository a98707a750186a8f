package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// indexes reads the user's index, works on copies of it, and puts one in its place.
type indexes struct {
	cmd   *gitcmd.Runner
	files *worktree.Tree
}

const tempIndexPrefix = "ahp-index-"

// tempIndex is a copy of the user's index, for commands that would change it.
// It has the time of the original: git trusts an entry's cached times only if
// they are older than the index. The caller calls the returned function.
//
// dir is where it is made; "" is the system's temporary folder, which works on
// a read-only repository.
func (r *indexes) tempIndex(dir string) (path string, before fs.FileInfo, done func(), err error) {
	dir, err = os.MkdirTemp(dir, tempIndexPrefix)
	if err != nil {
		return "", nil, nil, fmt.Errorf("make a temporary index: %w", fault.Classify(err))
	}
	done = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "index")
	before, err = r.copyIndex(path)
	if err != nil {
		done()
		return "", nil, nil, fmt.Errorf("copy the index: %w", fault.Classify(err))
	}
	return path, before, done, nil
}

func (r *indexes) indexPath() string { return filepath.Join(r.cmd.GitDir, "index") }

// copyIndex copies the index; without one it copies nothing and returns nil.
func (r *indexes) copyIndex(to string) (fs.FileInfo, error) {
	in, err := os.Open(r.indexPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return nil, err
	}
	return info, os.Chtimes(to, info.ModTime(), info.ModTime())
}

// changeIndex runs change on a copy of the index and puts the copy in the
// index's place, as git does: under its lock file, in one rename. If the index
// has changed meanwhile, change runs again on the new one. The lock is held for
// the rename only, so a crash in change leaves nothing behind that matters.
func (r *indexes) changeIndex(ctx context.Context, change func(index string) error) error {
	const tries = 5
	for range tries {
		ok, err := r.tryChangeIndex(change)
		if ok || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fmt.Errorf("change the index: %w: other commands keep changing it; %s", ErrIndexLocked, fault.Hint(ErrIndexLocked))
}

func (r *indexes) tryChangeIndex(change func(index string) error) (bool, error) {
	lock := r.indexPath() + ".lock"
	if _, err := os.Lstat(lock); err == nil {
		return false, lockedError(lock)
	}
	index, before, done, err := r.tempIndex(r.cmd.GitDir)
	if err != nil {
		return false, err
	}
	defer done()
	if err := change(index); err != nil {
		return false, err
	}
	info, err := os.Stat(index)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // there was no index and still is nothing to put in it
	}
	if err != nil {
		return false, fmt.Errorf("change the index: %w", fault.Classify(err))
	}
	mode := fs.FileMode(0o644)
	if before != nil {
		mode = before.Mode().Perm()
	}
	if info.Mode().Perm() != mode {
		if err := os.Chmod(index, mode); err != nil {
			return false, fmt.Errorf("change the index: %w", fault.Classify(err))
		}
	}
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, lockedError(lock)
	}
	if err != nil {
		return false, fmt.Errorf("lock the index: %w", fault.Classify(err))
	}
	f.Close()
	defer os.Remove(lock)
	now, err := os.Stat(r.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("change the index: %w", fault.Classify(err))
	}
	if !worktree.SameFile(before, now) {
		return false, nil
	}
	if err := os.Rename(index, r.indexPath()); err != nil {
		return false, fmt.Errorf("change the index: %w", fault.Classify(err))
	}
	return true, nil
}

// recordIndex is changeIndex for an operation that can be undone: change makes
// its edits in the copy and says what they are, and they are stored before the
// copy takes effect. Without edits the index stays.
func (r *Repo) recordIndex(ctx context.Context, prefix string, change func(index string) (record, error)) (Outcome, error) {
	var out Outcome
	err := r.index.changeIndex(ctx, func(index string) error {
		if out.Undo != "" { // of a try that came too late
			if err := r.records.Remove(ctx, out.Undo); err != nil {
				return err
			}
		}
		out = Outcome{}
		rec, err := change(index)
		if err != nil {
			return err
		}
		rec.index = true
		out.Message = rec.message
		for _, e := range rec.edits {
			out.Paths = append(out.Paths, e.path)
		}
		if len(rec.edits) == 0 {
			return nil
		}
		r.index.refresh(ctx, index, rec.edits)
		out.Undo, err = r.log.store(ctx, prefix, rec)
		return err
	})
	if err != nil {
		if out.Undo != "" {
			_ = r.records.Remove(context.WithoutCancel(ctx), out.Undo) // a record too many does no harm
		}
		return Outcome{}, err
	}
	slices.Sort(out.Paths)
	return out, nil
}

// refresh notes in the index what the files on disk are like, so that nobody has
// to read them again to see that they are unchanged. Without it all still works.
func (r *indexes) refresh(ctx context.Context, index string, edits []edit) {
	var in bytes.Buffer
	for _, e := range edits {
		if e.new.Regular() {
			in.WriteString(e.path + "\x00")
		}
	}
	if in.Len() > 0 {
		r.cmd.In(ctx, index, in.Bytes(), "add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul")
	}
}

func lockedError(lock string) error {
	return fmt.Errorf("%w: %s exists; %s", ErrIndexLocked, lock, fault.Hint(ErrIndexLocked))
}
