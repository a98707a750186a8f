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
	"strings"
)

// tempIndex is a copy of the user's index, for commands that would change it.
// It has the time of the original: git trusts an entry's cached times only if
// they are older than the index. The caller calls the returned function.
//
// dir is where it is made; "" is the system's temporary folder, which works on
// a read-only repository.
func (r *Repo) tempIndex(dir string) (path string, before fs.FileInfo, done func(), err error) {
	dir, err = os.MkdirTemp(dir, "ahp-index-")
	if err != nil {
		return "", nil, nil, fmt.Errorf("make a temporary index: %w", classify(err))
	}
	done = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "index")
	before, err = r.copyIndex(path)
	if err != nil {
		done()
		return "", nil, nil, fmt.Errorf("copy the index: %w", classify(err))
	}
	return path, before, done, nil
}

func (r *Repo) indexPath() string { return filepath.Join(r.gitDir, "index") }

// copyIndex copies the index; without one it copies nothing and returns nil.
func (r *Repo) copyIndex(to string) (fs.FileInfo, error) {
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
func (r *Repo) changeIndex(ctx context.Context, change func(index string) error) error {
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
	return fmt.Errorf("change the index: %w: other commands keep changing it; %s", ErrIndexLocked, hints[ErrIndexLocked])
}

func (r *Repo) tryChangeIndex(change func(index string) error) (bool, error) {
	lock := r.indexPath() + ".lock"
	if _, err := os.Lstat(lock); err == nil {
		return false, lockedError(lock)
	}
	index, before, done, err := r.tempIndex(r.gitDir)
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
		return false, fmt.Errorf("change the index: %w", classify(err))
	}
	mode := fs.FileMode(0o644)
	if before != nil {
		mode = before.Mode().Perm()
	}
	if info.Mode().Perm() != mode {
		if err := os.Chmod(index, mode); err != nil {
			return false, fmt.Errorf("change the index: %w", classify(err))
		}
	}
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, lockedError(lock)
	}
	if err != nil {
		return false, fmt.Errorf("lock the index: %w", classify(err))
	}
	f.Close()
	defer os.Remove(lock)
	now, err := os.Stat(r.indexPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("change the index: %w", classify(err))
	}
	if !sameFile(before, now) {
		return false, nil
	}
	if err := os.Rename(index, r.indexPath()); err != nil {
		return false, fmt.Errorf("change the index: %w", classify(err))
	}
	return true, nil
}

// recordIndex is changeIndex for an operation that can be undone: change makes
// its edits in the copy and says what they are, and they are stored before the
// copy takes effect. Without edits the index stays.
func (r *Repo) recordIndex(ctx context.Context, prefix string, change func(index string) (record, error)) (Outcome, error) {
	var out Outcome
	err := r.changeIndex(ctx, func(index string) error {
		if out.Undo != "" { // of a try that came too late
			if _, err := r.git(ctx, "update-ref", "-d", out.Undo); err != nil {
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
		out.Undo, err = r.store(ctx, prefix, rec)
		return err
	})
	if err != nil {
		if out.Undo != "" {
			r.git(context.WithoutCancel(ctx), "update-ref", "-d", out.Undo)
		}
		return Outcome{}, err
	}
	slices.Sort(out.Paths)
	return out, nil
}

// sameFile reports that a file has not been written between two looks; nil is
// its absence. Git replaces its index rather than writing into it.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func lockedError(lock string) error {
	return fmt.Errorf("%w: %s exists; %s", ErrIndexLocked, lock, hints[ErrIndexLocked])
}

// indexEntry is what the index or a tree has at a path. The zero value is
// nothing.
type indexEntry struct{ mode, blob string }

// indexEntries reads the entries of some paths. ErrUnmerged if one has
// conflicts. index "" is the user's own.
func (r *Repo) indexEntries(ctx context.Context, index string, paths []string) (map[string]indexEntry, error) {
	args := []string{"ls-files", "-s", "-z"}
	out, err := r.gitIn(ctx, index, nil, withPaths(args, paths)...)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	want := setOf(paths)
	entries := make(map[string]indexEntry, len(paths))
	for rec := range records(out) {
		meta, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 || !want[path] {
			continue
		}
		if f[2] != "0" {
			return nil, fmt.Errorf("%s: %w: resolve it and run git add on it first", path, ErrUnmerged)
		}
		entries[path] = indexEntry{f[0], f[1]}
	}
	return entries, nil
}

// treeEntries reads the entries of some paths in a tree. nil is every path.
func (r *Repo) treeEntries(ctx context.Context, tree string, paths []string) (map[string]indexEntry, error) {
	out, err := r.git(ctx, withPaths([]string{"ls-tree", "-r", "-z", "--full-tree", tree}, paths)...)
	if err != nil {
		return nil, fmt.Errorf("read the tree %s: %w", tree, err)
	}
	want := setOf(paths)
	entries := make(map[string]indexEntry, len(paths))
	for rec := range records(out) {
		meta, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(meta)
		if ok && len(f) == 3 && (paths == nil || want[path]) {
			entries[path] = indexEntry{f[0], f[2]}
		}
	}
	return entries, nil
}

// setEntries writes entries into a temporary index; an empty entry removes the
// path, together with any conflict it has.
func (r *Repo) setEntries(ctx context.Context, index string, entries map[string]indexEntry) error {
	if len(entries) == 0 {
		return nil
	}
	var in bytes.Buffer
	// Removals first: a path may make room for a folder of its name.
	for path, e := range entries {
		if e.mode == "" {
			fmt.Fprintf(&in, "0 %s\t%s\x00", r.noObject(), path)
		}
	}
	for path, e := range entries {
		if e.mode != "" {
			fmt.Fprintf(&in, "%s %s 0\t%s\x00", e.mode, e.blob, path)
		}
	}
	_, err := r.gitIn(ctx, index, in.Bytes(), "update-index", "--replace", "-z", "--index-info")
	return err
}

// add is git add -A of exactly these paths: what is on disk goes into the index,
// what is not there goes from it.
func (r *Repo) add(ctx context.Context, index string, paths, config []string) error {
	root, err := r.inTree()
	if err != nil {
		return err
	}
	defer root.Close()
	var there bytes.Buffer
	gone := map[string]indexEntry{}
	for _, p := range paths {
		link, err := linkAbove(root, p)
		if err != nil {
			return err
		}
		if _, err := root.Lstat(p); link != "" || err != nil {
			gone[p] = indexEntry{}
			continue
		}
		there.WriteString(p + "\x00")
	}
	if err := r.setEntries(ctx, index, gone); err != nil {
		return err
	}
	if there.Len() == 0 {
		return nil
	}
	_, err = r.run(ctx, command{index: index, stdin: &there, config: config,
		args: []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}})
	return err
}

// maxPathArgs bounds the paths on a command line, in bytes; Windows has 32 KiB.
const maxPathArgs = 24 << 10

// withPaths narrows a command to paths, or not at all if they are too many:
// callers filter the result.
func withPaths(args, paths []string) []string {
	n := 0
	for _, p := range paths {
		n += len(p) + 3
	}
	if n > maxPathArgs {
		return args
	}
	return append(append(args, "--"), paths...)
}

// records splits what git prints with -z.
func records(out []byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for len(out) > 0 {
			rec, rest, _ := bytes.Cut(out, []byte{0})
			if !yield(string(rec)) {
				return
			}
			out = rest
		}
	}
}

func setOf(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return set
}
